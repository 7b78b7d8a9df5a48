// The names of the rail's icons: one tooltip for the icon under the pointer or with the focus.
import { type ReactNode, type SyntheticEvent, useEffect, useState } from 'react';

/** As in styles/frame.css. */
const RAIL = '(min-width: 48em) and (max-width: 73.75em)';

interface Tip {
  name: string;
  /** The middle of the icon, from the top of the window. */
  top: number;
}

interface RailTipsProps {
  className: string;
  label: string;
  children: ReactNode;
}

/** Renders the sidebar's element. Names elements with a `data-tip`, which screen readers read from the elements. */
export function RailTips({ className, label, children }: RailTipsProps) {
  const [tip, setTip] = useState<Tip>();
  const hide = () => setTip(undefined);
  const isShown = tip !== undefined;
  useEffect(() => {
    if (!isShown) return;
    const listen = ({ key }: KeyboardEvent) => key === 'Escape' && setTip(undefined);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [isShown]);
  function show({ target }: SyntheticEvent): void {
    const item = target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null;
    const { top, height } = item?.getBoundingClientRect() ?? new DOMRect();
    const isNamed = item !== null && matchMedia(RAIL).matches;
    setTip(isNamed ? { name: item.dataset.tip ?? '', top: top + height / 2 } : undefined);
  }
  return (
    <aside
      className={className}
      aria-label={label}
      onPointerOver={(event) => event.pointerType !== 'touch' && show(event)}
      onPointerLeave={hide}
      onFocus={(event) => event.target.matches(':focus-visible') && show(event)}
      onBlur={hide}
      onPointerDown={hide}
      onScroll={hide}
    >
      {children}
      {tip !== undefined && (
        <span className="tw-rail-tip" style={{ top: tip.top }} aria-hidden>
          {tip.name}
        </span>
      )}
    </aside>
  );
}
