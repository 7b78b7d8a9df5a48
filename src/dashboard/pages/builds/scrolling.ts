// Whether the list is being scrolled. Rows ask for it instead of getting it, so that those that are there aren't rendered again.
import { useEffect, useState } from 'react';

export interface Scrolling {
  isOn: boolean;
  /** Calls `act` once scrolling is over. Returns a function that calls it off. */
  whenOver(act: () => void): () => void;
}

/** Returns the same object in each rendering. */
export function useScrolling(isScrolling: boolean): Scrolling {
  const [{ scrolling, waiting }] = useState(() => {
    const acts = new Set<() => void>();
    const whenOver = (act: () => void) => {
      acts.add(act);
      return () => void acts.delete(act);
    };
    return { scrolling: { isOn: isScrolling, whenOver }, waiting: acts };
  });
  scrolling.isOn = isScrolling;
  useEffect(() => {
    if (isScrolling) return;
    for (const act of waiting) act();
    waiting.clear();
  }, [isScrolling, waiting]);
  return scrolling;
}
