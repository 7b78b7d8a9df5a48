// Retries of the client commands and their delays (docs/specification/conventions.md#retries).
import type { CommandHost } from '../host.ts';

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
const MAX_REQUESTED_DELAY_MS = 300_000;

/** The result of an attempt: done, or a temporary problem with the delay requested by the server in milliseconds. */
export type Attempt<T> = { done: T } | { trouble: string; retryAfterMs?: number | undefined };

/** Runs an attempt up to five times with exponential backoff and jitter. Returns the last failure if all fail. */
export async function tryRepeatedly<T>(
  host: CommandHost,
  attempt: () => Promise<Attempt<T>>,
): Promise<{ done: T } | { trouble: string }> {
  for (let number = 1; ; number++) {
    const outcome = await attempt();
    if ('done' in outcome || number === ATTEMPTS) return outcome;
    const pause = choosePause(number, outcome.retryAfterMs, host.random());
    host.say(`${outcome.trouble}; trying again in ${Math.ceil(pause / 1000)} s (${number + 1} of ${ATTEMPTS})\n`);
    await host.sleep(pause);
  }
}

/**
 * Returns the milliseconds before the next attempt: doubling from one second to a minute, half of it random, and at
 * least what the server requested.
 */
function choosePause(attempt: number, retryAfterMs: number | undefined, random: number): number {
  const full = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
  const jittered = full / 2 + (full / 2) * random;
  return Math.max(jittered, Math.min(retryAfterMs ?? 0, MAX_REQUESTED_DELAY_MS));
}

/**
 * Returns Retry-After in milliseconds, from seconds or an HTTP date (RFC 9110 section 10.2.3); undefined if it's
 * missing or invalid.
 */
export function readRetryAfter(value: string | null | undefined, now: number): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
