// A pause that the server asked for: until when, and that it is over by itself.
import { useEffect, useState } from 'react';
import { ApiError } from '../api/errors.ts';

/** Moment in milliseconds from which a refused request may be sent again; undefined when the refusal is about something else. */
export function readPauseEnd(error: unknown, now: number): number | undefined {
  if (!(error instanceof ApiError) || error.status !== 429 || error.retryAfter === null) return undefined;
  return now + error.retryAfter * 1000;
}

/** The end of the pause that is on, and what begins one. */
export function useCooldown(): { until: number | undefined; begin(end: number): void } {
  const [until, setUntil] = useState<number>();
  useEffect(() => {
    if (until === undefined) return;
    const timer = setTimeout(() => setUntil(undefined), Math.max(0, until - Date.now()));
    return () => clearTimeout(timer);
  }, [until]);
  return { until, begin: setUntil };
}
