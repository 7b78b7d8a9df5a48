// The clock that ids follow.

import type { Db } from '../data/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { ClockGuard } from './clock-guard.ts';

/** Rows that every change writes one of, or that are made from such a row. */
const TABLES = ['audit_events', 'outbox_events', 'webhook_deliveries'];

/**
 * The time of the guard, which a wrong reading of the machine's clock doesn't reach. Where the database has later ids, as the
 * clock was wrong for longer than a day, it waits there until the clock has caught up: ids stand for the order of creation,
 * and the newest release of a channel is the one it serves, so new rows must never come before old ones.
 */
export function clockForIds(db: Db, guard: Pick<ClockGuard, 'now'>): Clock {
  const newest = TABLES.map((table) => db.$client.prepare<[], string | null>(`SELECT max(id) FROM ${table}`).pluck());
  const told = newest.map((query) => millisecondOf(query.get() ?? ''));
  const earliest = Math.max(...told) + 1;
  return { now: () => new Date(Math.max(guard.now(), earliest)) };
}

/** The first 48 bits of a UUIDv7 (RFC 9562 section 5.7); 0 for anything else. */
function millisecondOf(id: string): number {
  const digits = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id);
  return digits === null ? 0 : Number.parseInt(`${digits[1]}${digits[2]}`, 16);
}
