// What organizations use. Stored bytes and seats are levels: each change of a level first adds the time since the last one. Only
// `accrue` turns time into use, so a server that was off for months is right afterwards (docs/specification/billing.md#meters).
import type { Context, Tx } from '../core/context.ts';
import { type Db, prepared } from '../data/database.ts';
import { endOf, monthOf } from './costs.ts';
import { listAt, listPrices, type PriceList } from './price-lists.ts';
import { addToDays, dayOf, type Span, splitByDay } from './usage-days.ts';

type Queries = { db: Db };

/** What was used in a month at one price list. */
export interface UsageRow {
  organizationId: string;
  month: string;
  priceListId: string;
  levelBytes: number;
  levelSeats: number;
  levelSince: number;
  storedByteMs: string;
  seatMs: number;
  downloadedBytes: number;
  closedAt: number | null;
}

/** The columns of a UsageRow, as SQL. */
export const usageColumns = `organization_id AS organizationId, month, price_list_id AS priceListId, level_bytes AS levelBytes,
  level_seats AS levelSeats, level_since AS levelSince, stored_byte_ms AS storedByteMs, seat_ms AS seatMs,
  downloaded_bytes AS downloadedBytes, closed_at AS closedAt`;

// The parameter has a plus, so that SQLite keeps the plan (data/database.ts). Every download link asks this.
const newestRow = prepared((db) =>
  db.$client.prepare<[string], UsageRow>(
    `SELECT ${usageColumns} FROM usage_months WHERE organization_id = +? ORDER BY month DESC, price_list_id DESC LIMIT 1`,
  ),
);

const writeRow = prepared((db) =>
  db.$client.prepare<[UsageRow]>(
    `INSERT INTO usage_months (organization_id, month, price_list_id, level_bytes, level_seats, level_since, stored_byte_ms,
        seat_ms, downloaded_bytes, closed_at)
      VALUES (@organizationId, @month, @priceListId, @levelBytes, @levelSeats, @levelSince, @storedByteMs, @seatMs,
        @downloadedBytes, @closedAt)
      ON CONFLICT DO UPDATE SET level_bytes = excluded.level_bytes, level_seats = excluded.level_seats,
        level_since = excluded.level_since, stored_byte_ms = excluded.stored_byte_ms, seat_ms = excluded.seat_ms,
        downloaded_bytes = excluded.downloaded_bytes, closed_at = excluded.closed_at`,
  ),
);

/** Packages in containers of organizations aren't metered. A package without a row is in the server's storage. */
export const COUNT_BYTES = `SELECT coalesce(sum(size_bytes), 0) FROM builds WHERE organization_id = ?
  AND NOT EXISTS (SELECT 1 FROM object_places p WHERE p.object_key = builds.object_key AND p.backend LIKE 'azure:%')`;
export const COUNT_SEATS = `SELECT count(*) FROM organization_memberships m JOIN developers d ON d.id = m.developer_id
  WHERE m.organization_id = ?`;

const storedBytes = prepared((db) =>
  db.$client
    .prepare<[string], number>(
      "SELECT coalesce(sum(bytes), 0) FROM build_totals WHERE organization_id = ? AND backend NOT LIKE 'azure:%'",
    )
    .pluck(),
);

const countedSeats = prepared((db) => db.$client.prepare<[string], number>(COUNT_SEATS).pluck());

/** Returns the levels. The bytes are those of COUNT_BYTES, from totals. */
export function countLevels(ctx: Queries, organizationId: string): { bytes: number; seats: number } {
  return { bytes: storedBytes(ctx).get(organizationId) ?? 0, seats: countedSeats(ctx).get(organizationId) ?? 0 };
}

/** The time until which use is counted: not the clock's while that may be wrong, because what is counted is charged. */
export const meteredTime = ({ clockGuard }: Pick<Context, 'clockGuard'>): number => clockGuard.now();

/** Returns the newest row of metered use, or undefined if the organization was never metered. */
export function findNewestUsage(ctx: Queries, organizationId: string): UsageRow | undefined {
  return newestRow(ctx).get(organizationId);
}

/** Starts to meter an organization, from its counted levels. Also after billing was off. */
export function openMeters(tx: Tx, organizationId: string): UsageRow {
  const { bytes, seats } = countLevels(tx, organizationId);
  const last = findNewestUsage(tx, organizationId);
  const lists = listPrices(tx, meteredTime(tx));
  const at = Math.max(meteredTime(tx), last?.levelSince ?? 0);
  const list = listAt(lists, at, 0);
  const levels = { levelBytes: bytes, levelSeats: seats, levelSince: at };
  const month = monthOf(at);
  const row =
    last !== undefined && last.month === month && last.priceListId === list.id
      ? { ...last, ...levels }
      : newRow(organizationId, month, list.id, levels);
  writeRow(tx).run(row);
  return row;
}

function newRow(
  organizationId: string,
  month: string,
  priceListId: string,
  levels: Pick<UsageRow, 'levelBytes' | 'levelSeats' | 'levelSince'>,
): UsageRow {
  const none = { storedByteMs: '0', seatMs: 0, downloadedBytes: 0, closedAt: null };
  return { organizationId, month, priceListId, ...levels, ...none };
}

function addTime(row: UsageRow, until: number): UsageRow {
  const ms = until - row.levelSince;
  return {
    ...row,
    levelSince: until,
    storedByteMs: String(BigInt(row.storedByteMs) + BigInt(row.levelBytes) * BigInt(ms)),
    seatMs: row.seatMs + row.levelSeats * ms,
  };
}

/**
 * Adds the time until now to the meters: ends a row at every end of a UTC month and every change of prices, and carries the
 * levels over. Time that was added already isn't added again after the clock was moved back. Returns the row of the current levels.
 */
export function accrue(tx: Tx, organizationId: string): UsageRow {
  const until = meteredTime(tx);
  const found = findNewestUsage(tx, organizationId) ?? openMeters(tx, organizationId);
  const { rows, present } = splitTime(found, listPrices(tx, until), until);
  for (const row of rows) writeRow(tx).run(row);
  addToDays(tx, organizationId, splitByDay(spansOf(found, rows)));
  return present;
}

/** The spans by which rows grew, of which the first one is `found` or begins where it ended. */
export function spansOf(found: UsageRow, rows: readonly UsageRow[]): Span[] {
  let from = found.levelSince;
  return rows.map(({ priceListId, levelSince: until, levelBytes, levelSeats }) => {
    const span = { priceListId, from, until, levelBytes, levelSeats };
    from = until;
    return span;
  });
}

/** Returns the rows that change when the time until `until` is added, and the row of the current levels. */
export function splitTime(
  found: UsageRow,
  lists: readonly PriceList[],
  time: number,
): { rows: UsageRow[]; present: UsageRow } {
  const rows: UsageRow[] = [];
  let row = found;
  // Other prices may apply from the same millisecond.
  const until = Math.max(time, row.levelSince);
  for (;;) {
    const index = lists.findIndex((list) => list.id === row.priceListId);
    const next = lists[index + 1];
    const monthEnds = endOf(row.month);
    const change = next === undefined ? monthEnds : Math.max(next.effectiveAt, row.levelSince);
    const ends = Math.min(monthEnds, change);
    if (until < ends) {
      if (until > row.levelSince || row !== found) {
        row = addTime(row, until);
        rows.push(row);
      }
      return { rows, present: row };
    }
    const { organizationId, levelBytes, levelSeats } = row;
    rows.push(addTime(row, ends));
    const list = listAt(lists, ends, index);
    row = newRow(organizationId, monthOf(ends), list.id, { levelBytes, levelSeats, levelSince: ends });
  }
}

/** Changes the levels of an organization from now on. */
export function changeLevels(tx: Tx, organizationId: string, change: { bytes?: number; seats?: number }): void {
  const row = accrue(tx, organizationId);
  writeRow(tx).run({
    ...row,
    levelBytes: row.levelBytes + (change.bytes ?? 0),
    levelSeats: change.seats ?? row.levelSeats,
  });
}

/** Counts the members of an organization again. */
export function recountSeats(tx: Tx, organizationId: string): void {
  changeLevels(tx, organizationId, { seats: countedSeats(tx).get(organizationId) ?? 0 });
}

/** Counts the stored bytes of an organization again. */
export function recountBytes(tx: Tx, organizationId: string): void {
  const row = accrue(tx, organizationId);
  writeRow(tx).run({ ...row, levelBytes: storedBytes(tx).get(organizationId) ?? 0 });
}

/** Adds downloaded bytes to the current month. */
export function addDownloadedBytes(tx: Tx, organizationId: string, bytes: number): UsageRow {
  const row = accrue(tx, organizationId);
  const after = { ...row, downloadedBytes: row.downloadedBytes + bytes };
  writeRow(tx).run(after);
  const { priceListId, levelSince } = row;
  addToDays(tx, organizationId, [
    { day: dayOf(levelSince), priceListId, storedByteMs: 0n, seatMs: 0, downloadedBytes: bytes },
  ]);
  return after;
}

/** Marks a month as billed. */
export function closeRows(tx: Tx, rows: readonly UsageRow[]): void {
  for (const row of rows) writeRow(tx).run({ ...row, closedAt: tx.now });
}
