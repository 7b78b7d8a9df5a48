// The clock for ids.

import type { Db } from '../data/database.ts';
import type { ClockGuard } from './clock-guard.ts';

/** Tables whose newest ids bound all others: every change writes a row in one of the first three, and downloads only their own. */
const TABLES = ['audit_events', 'outbox_events', 'webhook_deliveries', 'downloads'];

/**
 * Returns the guard's time, which isn't affected by wrong clock readings. If the database has later ids, because the clock was
 * wrong for more than a day or was set back a little between two starts, the time stops after them until the clock catches up: ids represent the order of creation, and the
 * newest release of a channel is the live one, so new rows must never sort before old rows.
 */
export function clockForIds(db: Db, guard: Pick<ClockGuard, 'now'>): { time(): number } {
  const newest = TABLES.map((table) => db.$client.prepare<[], string | null>(`SELECT max(id) FROM ${table}`).pluck());
  const times = newest.map((query) => millisecondOf(query.get() ?? ''));
  const earliest = Math.max(...times) + 1;
  return { time: () => Math.max(guard.now(), earliest) };
}

/** Returns the first 48 bits of a UUIDv7 (RFC 9562 section 5.7), or 0 for other text. */
function millisecondOf(id: string): number {
  const digits = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id);
  return digits === null ? 0 : Number.parseInt(`${digits[1]}${digits[2]}`, 16);
}
