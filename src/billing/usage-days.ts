// What organizations use by UTC day: the same sums as usage_months has, in smaller steps, for a chart. Only `accrue` and downloads
// add to them (billing/meters.ts), so the days of a month add up to the month.

import type { Tx } from '../core/context.ts';
import { type Db, prepared } from '../data/database.ts';
import { DAY } from '../lib/clock.ts';

type Queries = { db: Db };

/** Levels that held from one time to another. */
export interface Span {
  priceListId: string;
  from: number;
  until: number;
  levelBytes: number;
  levelSeats: number;
}

/** What was used on a day at one price list. */
export interface UsageDay {
  /** YYYY-MM-DD. */
  day: string;
  priceListId: string;
  storedByteMs: bigint;
  seatMs: number;
  downloadedBytes: number;
}

interface DayRow extends Omit<UsageDay, 'storedByteMs'> {
  storedByteMs: string;
}

const columns = `day, price_list_id AS priceListId, stored_byte_ms AS storedByteMs, seat_ms AS seatMs,
  downloaded_bytes AS downloadedBytes`;

const oneDay = prepared((db) =>
  db.$client.prepare<[string, string, string], DayRow>(
    `SELECT ${columns} FROM usage_days WHERE organization_id = ? AND day = ? AND price_list_id = ?`,
  ),
);

const daysBetween = prepared((db) =>
  db.$client.prepare<[string, string, string], DayRow>(
    `SELECT ${columns} FROM usage_days WHERE organization_id = ? AND day >= ? AND day <= ? ORDER BY day, price_list_id`,
  ),
);

const writeDay = prepared((db) =>
  db.$client.prepare<[DayRow & { organizationId: string }]>(
    `INSERT INTO usage_days (organization_id, day, price_list_id, stored_byte_ms, seat_ms, downloaded_bytes)
      VALUES (@organizationId, @day, @priceListId, @storedByteMs, @seatMs, @downloadedBytes)
      ON CONFLICT DO UPDATE SET stored_byte_ms = excluded.stored_byte_ms, seat_ms = excluded.seat_ms,
        downloaded_bytes = excluded.downloaded_bytes`,
  ),
);

const deleteBefore = prepared((db) =>
  db.$client.prepare<[string, number]>(
    'DELETE FROM usage_days WHERE rowid IN (SELECT rowid FROM usage_days WHERE day < ? ORDER BY day LIMIT ?)',
  ),
);

/** Returns the UTC day of a time as YYYY-MM-DD. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Divides spans by day. */
export function splitByDay(spans: readonly Span[]): UsageDay[] {
  return spans.flatMap(({ priceListId, from, until, levelBytes, levelSeats }) => {
    const days: UsageDay[] = [];
    for (let start = from; start < until; ) {
      const end = Math.min(until, (Math.floor(start / DAY) + 1) * DAY);
      const ms = end - start;
      days.push({
        day: dayOf(start),
        priceListId,
        storedByteMs: BigInt(levelBytes) * BigInt(ms),
        seatMs: levelSeats * ms,
        downloadedBytes: 0,
      });
      start = end;
    }
    return days;
  });
}

/** Adds use to the days of an organization. */
export function addToDays(tx: Tx, organizationId: string, days: readonly UsageDay[]): void {
  for (const added of days) {
    const before = oneDay(tx).get(organizationId, added.day, added.priceListId);
    writeDay(tx).run({
      organizationId,
      day: added.day,
      priceListId: added.priceListId,
      storedByteMs: String(BigInt(before?.storedByteMs ?? 0) + added.storedByteMs),
      seatMs: (before?.seatMs ?? 0) + added.seatMs,
      downloadedBytes: (before?.downloadedBytes ?? 0) + added.downloadedBytes,
    });
  }
}

/** Returns what is stored for the days of a month, oldest first. There can be several rows for a day, one for each price list. */
export function listDays(ctx: Queries, organizationId: string, month: string): UsageDay[] {
  return daysBetween(ctx)
    .all(organizationId, `${month}-01`, `${month}-31`)
    .map((row) => ({ ...row, storedByteMs: BigInt(row.storedByteMs) }));
}

/** Deletes up to `limit` days before a day. Returns the number deleted. */
export function deleteOldDays(tx: Tx, before: string, limit: number): number {
  return deleteBefore(tx).run(before, limit).changes;
}
