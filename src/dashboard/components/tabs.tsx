// The links to the pages of a project or of the settings. On a phone, they scroll sideways.
import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';

/** Renders links with the class `tw-tab` in one line, and scrolls to the one of this page. */
export function Tabs({ children }: { children: ReactNode }) {
  const list = useRef<HTMLDivElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another link
  useEffect(() => {
    const active = list.current?.querySelector<HTMLElement>('[data-status="active"]');
    if (list.current && active)
      list.current.scrollLeft = active.offsetLeft + active.offsetWidth - list.current.clientWidth;
  }, [path]);
  return (
    <div ref={list} className="tw-tabs">
      {children}
    </div>
  );
}
