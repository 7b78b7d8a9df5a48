// The waiting time after a 429 response.
import { useEffect, useState } from 'react';
import { ApiError } from '../api/errors.ts';

/** Returns when a rejected request may be sent again, in milliseconds since the epoch; undefined for other errors. */
export function readRetryTime(error: unknown, now: number): number | undefined {
  if (!(error instanceof ApiError) || error.status !== 429 || error.retryAfter === null) return undefined;
  return now + error.retryAfter * 1000;
}

/** Returns the end of the current waiting time, and a function that starts one. It ends automatically. */
export function useCooldown(): { until: number | undefined; begin(end: number): void } {
  const [until, setUntil] = useState<number>();
  useEffect(() => {
    if (until === undefined) return;
    const timer = setTimeout(() => setUntil(undefined), Math.max(0, until - Date.now()));
    return () => clearTimeout(timer);
  }, [until]);
  return { until, begin: setUntil };
}
