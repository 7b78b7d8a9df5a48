// Polling: refetching while something is expected to change elsewhere, with increasing pauses.
import { useEffect, useRef, useState } from 'react';
import type { Query } from '../api/api-url.ts';
import { useRead } from '../api/hooks.ts';
import { minuteMs } from './times.ts';

/** How often to poll, and for how long. The pause is a fraction of the elapsed time within the two limits. */
export interface PollingSchedule {
  minMs: number;
  maxMs: number;
  fraction: number;
  timeoutMs: number;
}

export const pollingSchedules = {
  /** A device that is being registered. */
  enrollment: { minMs: 2000, maxMs: 15_000, fraction: 1 / 10, timeoutMs: 15 * minuteMs },
  /** A sign-in through the identity provider, or a DNS record. */
  singleSignOn: { minMs: 3000, maxMs: 30_000, fraction: 1 / 5, timeoutMs: 10 * minuteMs },
  /** Webhook deliveries that are pending. */
  deliveries: { minMs: 1000, maxMs: 20_000, fraction: 1 / 4, timeoutMs: 5 * minuteMs },
} as const satisfies Record<string, PollingSchedule>;

/** Returns the pause before the next request in milliseconds; undefined after the timeout. */
export function pollingInterval(elapsedMs: number, schedule: PollingSchedule): number | undefined {
  const { minMs, maxMs, fraction, timeoutMs } = schedule;
  if (elapsedMs >= timeoutMs) return undefined;
  return Math.min(maxMs, Math.max(minMs, elapsedMs * fraction));
}

interface ScheduledReadOptions {
  query?: Query;
  /** Doesn't poll while undefined. */
  schedule: PollingSchedule | undefined;
}

/** Reads a resource and polls it until the schedule's timeout. `restart` starts the schedule over. */
export function useScheduledRead<Answer>(path: string, { query = {}, schedule }: ScheduledReadOptions) {
  const [startedAt, setStartedAt] = useState(() => Date.now());
  const [elapsedMs, setElapsedMs] = useState(0);
  const intervalMs = schedule && pollingInterval(elapsedMs, schedule);
  const read = useRead<Answer>(path, { query, intervalMs });
  const readAt = Math.max(read.dataUpdatedAt, read.errorUpdatedAt);
  useEffect(() => setElapsedMs(Math.max(0, readAt - startedAt)), [readAt, startedAt]);
  const [restart] = useState(() => () => setStartedAt(Date.now()));
  return { ...read, isPolling: intervalMs !== undefined, restart };
}

const FIRST_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 60_000;

/** Returns the pause before the next request in milliseconds, after a number of reads without a change. */
export function unchangedInterval(unchangedReads: number): number {
  return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 1.5 ** unchangedReads);
}

interface PollingReadOptions<Answer> {
  query?: Query;
  isEnabled?: boolean;
  /** Returns the part of the data whose changes count; all of it by default. */
  fingerprint?(answer: Answer): string;
}

/** Reads a resource and polls it as long as it is shown, less often while it doesn't change. */
export function usePollingRead<Answer>(path: string, options: PollingReadOptions<Answer> = {}) {
  const { query = {}, isEnabled = true, fingerprint = JSON.stringify } = options;
  const [unchangedReads, setUnchangedReads] = useState(0);
  const previous = useRef<string>(undefined);
  const read = useRead<Answer>(path, { query, isEnabled, intervalMs: unchangedInterval(unchangedReads) });
  const { data, dataUpdatedAt } = read;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each read, also without a change
  useEffect(() => {
    if (data === undefined) return;
    const current = fingerprint(data);
    setUnchangedReads((before) => (current === previous.current ? before + 1 : 0));
    previous.current = current;
  }, [dataUpdatedAt]);
  return read;
}
