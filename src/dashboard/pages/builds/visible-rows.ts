// Which rows of a long list are rendered while the window scrolls. Rows have one height, so nothing is measured but the list's place.
import { type RefObject, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { type Scrolling, type Speed, useScrolling } from './scrolling.ts';

/**
 * Rows are added and removed in groups of this size: a change of the list costs as much as six rows, mostly for style and layout.
 * More would take longer than a frame on slow computers.
 */
export const GROUP = 8;
/** The browser scrolls before it asks for rows, so there are more than it shows. */
const AHEAD = 8;
/** How long after its last event a list counts as scrolled. */
const OVER_MS = 150;
/** Rows that pass per second while a list counts as scrolled fast: a row is in the window for less than half a second. */
const FAST_ROWS = 50;

export interface Range {
  first: number;
  /** The row after the last. */
  end: number;
}

/**
 * Returns the rows to render.
 * @param above how many pixels of the list are above the window; negative if it begins below the window's top
 */
export function findRange(above: number, windowHeight: number, rowHeight: number): Range {
  const first = Math.floor((Math.floor(above / rowHeight) - AHEAD) / GROUP) * GROUP;
  // Always as many, so that rows are added and removed at the same time.
  const length = Math.ceil(windowHeight / rowHeight) + 2 * AHEAD + GROUP;
  return { first: Math.max(first, 0), end: Math.max(first + length, 0) };
}

export function useVisibleRows(
  list: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
): Range & { scrolling: Scrolling } {
  const [range, setRange] = useState(() => findRange(0, innerHeight, rowHeight));
  const [speed, setSpeed] = useState<Speed>('still');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = { at: 0, top: scrollY };
    const update = () => {
      const above = -(list.current?.getBoundingClientRect().top ?? 0);
      const next = findRange(above, innerHeight, rowHeight);
      // At once, so that the rows are there in the same frame.
      flushSync(() => setRange((now) => (now.first === next.first && now.end === next.end ? now : next)));
    };
    const onScroll = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setSpeed('still'), OVER_MS);
      const now = { at: performance.now(), top: scrollY };
      const rowsPerSecond = (Math.abs(now.top - last.top) / rowHeight / (now.at - last.at)) * 1000;
      last = now;
      setSpeed(rowsPerSecond > FAST_ROWS ? 'fast' : 'slow');
      update();
    };
    queueMicrotask(update);
    addEventListener('scroll', onScroll, { passive: true });
    addEventListener('resize', update);
    return () => {
      clearTimeout(timer);
      removeEventListener('scroll', onScroll);
      removeEventListener('resize', update);
    };
  }, [list, rowHeight]);
  const scrolling = useScrolling(speed);
  return { first: Math.min(range.first, count), end: Math.min(range.end, count), scrolling };
}
