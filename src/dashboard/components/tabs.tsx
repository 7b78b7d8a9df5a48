// The links to the pages of a project or of the settings. On a phone, they scroll sideways.
import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';

/** How much of the next link is visible beside that of this page. */
const PEEK_PX = 48;

/** Marks the sides on which links are hidden, where the style sheet fades them out. */
function markHidden(list: HTMLElement): void {
  const { scrollLeft, scrollWidth, clientWidth } = list;
  list.toggleAttribute('data-more-before', scrollLeft > 1);
  list.toggleAttribute('data-more-after', scrollLeft + clientWidth < scrollWidth - 1);
}

/** Renders links with the class `tw-tab` in one line, and scrolls to the one of this page. */
export function Tabs({ children }: { children: ReactNode }) {
  const list = useRef<HTMLDivElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another link
  useEffect(() => {
    const active = list.current?.querySelector<HTMLElement>('[data-status="active"]');
    if (list.current && active)
      list.current.scrollLeft = active.offsetLeft + active.offsetWidth + PEEK_PX - list.current.clientWidth;
  }, [path]);
  useEffect(() => {
    const { current } = list;
    if (current === null) return;
    const mark = () => markHidden(current);
    const observer = new ResizeObserver(mark);
    // The links change their size with the language, the list with the window.
    for (const one of [current, ...current.children]) observer.observe(one);
    current.addEventListener('scroll', mark, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener('scroll', mark);
    };
  }, []);
  return (
    <div ref={list} className="tw-tabs">
      {children}
    </div>
  );
}
