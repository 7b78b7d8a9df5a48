// How long a list of deliveries renews itself while something in it waits: soon at first, seldom later, never for ever.

const LONGEST_MS = 5 * 60_000;

/** Pause before the next reading after so long, both in milliseconds; undefined once it is enough. */
export function pauseBeforeRenewal(waitedMs: number): number | undefined {
  if (waitedMs >= LONGEST_MS) return undefined;
  return Math.min(20_000, Math.max(1000, waitedMs / 4));
}
