// How long a page looks out for something that happens elsewhere, and how often: fast at first, slower later, never for ever.

const POLLING_TIMEOUT_MS = 10 * 60_000;

/** Pause before the next look after waiting so long, both in milliseconds; undefined once the patience is over. */
export function pollingInterval(waitedMs: number): number | undefined {
  if (waitedMs >= POLLING_TIMEOUT_MS) return undefined;
  return Math.min(30_000, Math.max(3000, waitedMs / 5));
}
