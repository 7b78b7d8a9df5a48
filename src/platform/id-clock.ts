// The clock that identifiers are told by.
import type { Clock } from './clock.ts';
import type { Db } from './database.ts';

/** Rows that every change writes one of, or that are made from such a row. */
const TABLES = ['audit_events', 'outbox_events', 'webhook_deliveries'];

/**
 * The given clock, unless the database has ids from later than it tells: then one that waits there until the clock has caught
 * up. A clock that was ahead before the server started must not put new rows before the old ones, as ids stand for the order
 * of creation.
 */
export function clockForIds(db: Db, clock: Clock): Clock {
  const newest = TABLES.map((table) => db.$client.prepare<[], string | null>(`SELECT max(id) FROM ${table}`).pluck());
  const told = newest.map((query) => millisecondOf(query.get() ?? ''));
  const earliest = Math.max(...told) + 1;
  if (clock.now().getTime() >= earliest) return clock;
  return { now: () => new Date(Math.max(clock.now().getTime(), earliest)) };
}

/** The first 48 bits of a UUIDv7 (RFC 9562 section 5.7); 0 for anything else. */
function millisecondOf(id: string): number {
  const digits = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id);
  return digits === null ? 0 : Number.parseInt(`${digits[1]}${digits[2]}`, 16);
}
