// How fast the list is being scrolled. Rows ask for it instead of getting it, so that those that are there aren't rendered again.
import { useEffect, useState } from 'react';

/** Nobody reads rows that pass fast. */
export type Speed = 'still' | 'slow' | 'fast';

const speeds: readonly Speed[] = ['still', 'slow', 'fast'];

/** Whether one speed is at most another. */
export function isAtMost(speed: Speed, limit: Speed): boolean {
  return speeds.indexOf(speed) <= speeds.indexOf(limit);
}

export interface Scrolling {
  speed: Speed;
  /** Calls `act` once the speed is at most `limit`. Returns a function that calls it off. */
  whenAtMost(limit: Speed, act: () => void): () => void;
}

/** Rows that are completed in one frame. More would take longer than a frame on slow computers. */
const PER_FRAME = 8;

/** Returns the same object in each rendering. */
export function useScrolling(speed: Speed): Scrolling {
  const [{ scrolling, waiting }] = useState(() => {
    const entries = new Set<{ limit: Speed; act: () => void }>();
    const whenAtMost = (limit: Speed, act: () => void) => {
      const entry = { limit, act };
      entries.add(entry);
      return () => void entries.delete(entry);
    };
    return { scrolling: { speed, whenAtMost }, waiting: entries };
  });
  scrolling.speed = speed;
  useEffect(() => {
    let frame: number | undefined;
    const actOnSome = () => {
      const due = [...waiting].filter(({ limit }) => isAtMost(speed, limit));
      for (const entry of due.slice(0, PER_FRAME)) {
        waiting.delete(entry);
        entry.act();
      }
      frame = due.length > PER_FRAME ? requestAnimationFrame(actOnSome) : undefined;
    };
    actOnSome();
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [speed, waiting]);
  return scrolling;
}
