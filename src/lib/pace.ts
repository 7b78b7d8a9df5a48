// Rests between the steps of long work, so that other work of the machine isn't delayed by it.
import { setTimeout as wait } from 'node:timers/promises';

export interface Pace {
  /** Rests in proportion to the time since the last rest. Called between steps. Rejects with the reason of an aborted signal. */
  rest(signal?: AbortSignal): Promise<void>;
}

/** A step that took long was mostly waiting for a service. */
const MAX_REST_MS = 1_000;

/** Returns a pace that works for at most `share` of the time, from 0 (excluded) to 1. A busy machine makes steps, and so rests, longer. */
export function createPace(
  share: number,
  {
    now = () => performance.now(),
    sleep = wait as (ms: number, value: undefined, options: object) => Promise<unknown>,
  } = {},
): Pace {
  if (!(share > 0 && share <= 1)) throw new RangeError('the share of a pace is above 0 and at most 1');
  const factor = 1 / share - 1;
  let since = now();
  return {
    async rest(signal) {
      const restMs = Math.min((now() - since) * factor, MAX_REST_MS);
      if (restMs >= 1) {
        try {
          await sleep(restMs, undefined, signal === undefined ? {} : { signal });
        } catch (error) {
          signal?.throwIfAborted();
          throw error;
        }
        since = now();
      }
      // Shorter ones add up.
    },
  };
}
