// What organizations use. Stored bytes and seats are levels: each change of a level first adds the time since the last one. Only
// `accrue` turns time into use, so a server that was off for months is right afterwards (docs/specification/billing.md#meters).
import type { Context, Tx } from '../core/context.ts';
import { type Db, prepared } from '../data/database.ts';
import { type Costs, costsOf, endOf, monthOf, totalOf, type UnitPrices } from './costs.ts';
import { addToDays, dayOf, listDays, type Span, splitByDay, type UsageDay } from './usage-days.ts';

type Queries = { db: Db };

export interface PriceList extends UnitPrices {
  id: string;
  effectiveAt: number;
}

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

const usageColumns = `organization_id AS organizationId, month, price_list_id AS priceListId, level_bytes AS levelBytes,
  level_seats AS levelSeats, level_since AS levelSince, stored_byte_ms AS storedByteMs, seat_ms AS seatMs,
  downloaded_bytes AS downloadedBytes, closed_at AS closedAt`;

// Parameters have a plus, so that SQLite keeps the plans (data/database.ts). Every download link asks these.
const newestRow = prepared((db) =>
  db.$client.prepare<[string], UsageRow>(
    `SELECT ${usageColumns} FROM usage_months WHERE organization_id = +? ORDER BY month DESC, price_list_id DESC LIMIT 1`,
  ),
);

const openRows = prepared((db) =>
  db.$client.prepare<[string], UsageRow>(
    `SELECT ${usageColumns} FROM usage_months WHERE organization_id = +? AND closed_at IS NULL ORDER BY month, price_list_id`,
  ),
);

const rowsOfMonth = prepared((db) =>
  db.$client.prepare<[string, string], UsageRow>(
    `SELECT ${usageColumns} FROM usage_months WHERE organization_id = +? AND month = +? ORDER BY price_list_id`,
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

const allPriceLists = prepared((db) =>
  db.$client.prepare<[], PriceList>(
    `SELECT id, storage_gib_month_cents AS storageGibMonthCents, download_gib_cents AS downloadGibCents,
        seat_month_cents AS seatMonthCents, effective_at AS effectiveAt
      FROM price_lists ORDER BY id`,
  ),
);

const insertPriceList = prepared((db) =>
  db.$client.prepare<[PriceList]>(
    `INSERT INTO price_lists (id, storage_gib_month_cents, download_gib_cents, seat_month_cents, effective_at)
      VALUES (@id, @storageGibMonthCents, @downloadGibCents, @seatMonthCents, @effectiveAt)`,
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

/** Returns the price lists, oldest first. There is at least one; the first comes from the configuration. */
function listPrices(tx: Tx): PriceList[] {
  const known = allPriceLists(tx).all();
  return known.length > 0 ? known : [addPrices(tx, meteredTime(tx))];
}

function addPrices(tx: Tx, effectiveAt: number): PriceList {
  const { prices } = tx.config.billing;
  const row = {
    id: tx.ids.next(),
    storageGibMonthCents: prices.storage_gib_month_cents,
    downloadGibCents: prices.download_gib_cents,
    seatMonthCents: prices.seat_month_cents,
    effectiveAt,
  };
  insertPriceList(tx).run(row);
  return row;
}

/** Adds a price list if the configuration has other prices than the last one. */
export function adoptPrices(tx: Tx): void {
  const last = listPrices(tx).at(-1) as PriceList;
  const { prices } = tx.config.billing;
  const isSame =
    last.storageGibMonthCents === prices.storage_gib_month_cents &&
    last.downloadGibCents === prices.download_gib_cents &&
    last.seatMonthCents === prices.seat_month_cents;
  // The clock may have been moved back.
  if (!isSame) addPrices(tx, Math.max(meteredTime(tx), last.effectiveAt));
}

export function findPrices(ctx: Queries, id: string): PriceList {
  return pickPrices(allPriceLists(ctx).all(), id);
}

function pickPrices(lists: readonly PriceList[], id: string): PriceList {
  const found = lists.find((list) => list.id === id);
  if (found === undefined) throw new Error('A month of use has no price list');
  return found;
}

export function findNewestUsage(ctx: Queries, organizationId: string): UsageRow | undefined {
  return newestRow(ctx).get(organizationId);
}

/** Starts to meter an organization, from its counted levels. Also after billing was off. */
export function openMeters(tx: Tx, organizationId: string): UsageRow {
  const { bytes, seats } = countLevels(tx, organizationId);
  const last = findNewestUsage(tx, organizationId);
  const lists = listPrices(tx);
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

/** Returns the last list in force at a time, at least the one at `from`. */
function listAt(lists: readonly PriceList[], time: number, from: number): PriceList {
  const found = lists.findLastIndex((list) => list.effectiveAt <= time);
  return lists[Math.max(found, from)] as PriceList;
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
 * Adds the time until `until` to the meters: ends a row at every end of a UTC month and every change of prices, and carries the
 * levels over. Time that was added already isn't added again after the clock was moved back. Returns the row of the current levels.
 */
export function accrue(tx: Tx, organizationId: string, until: number = meteredTime(tx)): UsageRow {
  const found = findNewestUsage(tx, organizationId) ?? openMeters(tx, organizationId);
  const { rows, present } = splitTime(found, listPrices(tx), until);
  for (const row of rows) writeRow(tx).run(row);
  addToDays(tx, organizationId, splitByDay(spansOf(found, rows)));
  return present;
}

/** The spans by which rows grew, of which the first one is `found` or begins where it ended. */
function spansOf(found: UsageRow, rows: readonly UsageRow[]): Span[] {
  let from = found.levelSince;
  return rows.map(({ priceListId, levelSince: until, levelBytes, levelSeats }) => {
    const span = { priceListId, from, until, levelBytes, levelSeats };
    from = until;
    return span;
  });
}

/** Returns the rows that change when the time until `until` is added, and the row of the current levels. */
function splitTime(
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

function costsOfRow(lists: readonly PriceList[], row: UsageRow): Costs {
  const use = {
    month: row.month,
    storedByteMs: BigInt(row.storedByteMs),
    seatMs: BigInt(row.seatMs),
    downloadedBytes: BigInt(row.downloadedBytes),
  };
  return costsOf(use, pickPrices(lists, row.priceListId));
}

function sumCosts(lists: readonly PriceList[], rows: readonly UsageRow[]): Costs {
  const sum: Costs = { storage: 0n, downloads: 0n, seats: 0n };
  for (const row of rows) {
    const costs = costsOfRow(lists, row);
    sum.storage += costs.storage;
    sum.downloads += costs.downloads;
    sum.seats += costs.seats;
  }
  return sum;
}

/** What an organization has used until now. */
export interface PresentUse {
  present: UsageRow;
  prices: PriceList;
  /** Of the months that aren't closed. */
  openCost: bigint;
  /** Of the current month. */
  monthCost: bigint;
}

/** Returns stored rows with the time until now added, without writing anything. */
function readRows(
  ctx: Queries,
  found: UsageRow | undefined,
  now: number,
  stored: readonly UsageRow[],
): { rows: UsageRow[]; added: UsageRow[]; present: UsageRow; lists: PriceList[] } {
  if (found === undefined) throw new Error('An organization with an account has no meters');
  const lists = allPriceLists(ctx).all();
  const { rows: added, present } = splitTime(found, lists, now);
  const isAdded = (row: UsageRow) =>
    added.some(({ month, priceListId }) => month === row.month && priceListId === row.priceListId);
  return { rows: stored.filter((row) => !isAdded(row)), added, present, lists };
}

/** Returns the use of an organization that has an account, until `now`. */
export function readPresentUse(ctx: Queries, organizationId: string, now: number): PresentUse {
  // The newest row is the last one, unless the organization was deleted.
  const open = openRows(ctx).all(organizationId);
  const { rows, added, present, lists } = readRows(ctx, open.at(-1) ?? findNewestUsage(ctx, organizationId), now, open);
  let [openCost, monthCost] = [0n, 0n];
  for (const some of [rows, added]) {
    for (const row of some) {
      const cost = totalOf(costsOfRow(lists, row));
      openCost += cost;
      if (row.month === present.month) monthCost += cost;
    }
  }
  return { present, prices: pickPrices(lists, present.priceListId), openCost, monthCost };
}

/** The use of one month. There can be several rows, one for each price list. */
export interface MonthOfUse {
  rows: UsageRow[];
  costs: Costs;
}

/** Returns the use of a month, until `now` if it is the current one. */
export function readMonth(ctx: Queries, organizationId: string, month: string, now: number): MonthOfUse {
  const { rows, added, lists } = readRows(
    ctx,
    findNewestUsage(ctx, organizationId),
    now,
    rowsOfMonth(ctx).all(organizationId, month),
  );
  const all = [...rows, ...added.filter((row) => row.month === month)];
  return { rows: all, costs: sumCosts(lists, all) };
}

/** The use of a day, with its cost. */
export interface DayOfUse {
  /** YYYY-MM-DD. */
  day: string;
  storedByteMs: bigint;
  downloadedBytes: bigint;
  costs: Costs;
}

/** Returns the use by day of a month, until `now` if it is the current one. Days before the first use of a month are left out. */
export function readDays(ctx: Queries, organizationId: string, month: string, now: number): DayOfUse[] {
  const found = findNewestUsage(ctx, organizationId);
  const added = found === undefined ? [] : spansOf(found, splitTime(found, allPriceLists(ctx).all(), now).rows);
  const recent = splitByDay(added).filter(({ day }) => day.startsWith(month));
  const days = new Map<string, DayOfUse>();
  for (const { day, priceListId, storedByteMs, seatMs, downloadedBytes } of mergeDays([
    ...listDays(ctx, organizationId, month),
    ...recent,
  ])) {
    const use = { month, storedByteMs, seatMs: BigInt(seatMs), downloadedBytes: BigInt(downloadedBytes) };
    const { storage, downloads, seats } = costsOf(use, findPrices(ctx, priceListId));
    const before = days.get(day);
    const costs = before?.costs ?? { storage: 0n, downloads: 0n, seats: 0n };
    days.set(day, {
      day,
      storedByteMs: (before?.storedByteMs ?? 0n) + storedByteMs,
      downloadedBytes: (before?.downloadedBytes ?? 0n) + use.downloadedBytes,
      costs: { storage: costs.storage + storage, downloads: costs.downloads + downloads, seats: costs.seats + seats },
    });
  }
  return [...days.values()].toSorted((one, other) => (one.day < other.day ? -1 : 1));
}

/** Returns one row for each day and price list. */
function mergeDays(rows: readonly UsageDay[]): UsageDay[] {
  const merged = new Map<string, UsageDay>();
  for (const row of rows) {
    const key = `${row.day} ${row.priceListId}`;
    const before = merged.get(key);
    merged.set(
      key,
      before === undefined
        ? row
        : {
            ...row,
            storedByteMs: before.storedByteMs + row.storedByteMs,
            seatMs: before.seatMs + row.seatMs,
            downloadedBytes: before.downloadedBytes + row.downloadedBytes,
          },
    );
  }
  return [...merged.values()];
}

/** Returns the months that aren't closed, oldest first. */
export function listOpenMonths(ctx: Queries, organizationId: string): string[] {
  const months = openRows(ctx)
    .all(organizationId)
    .map(({ month }) => month);
  return [...new Set(months)];
}

const firstMonth = prepared((db) =>
  db.$client.prepare<[string], string>('SELECT min(month) FROM usage_months WHERE organization_id = ?').pluck(),
);

/** Returns the month in which metering began. */
export function findFirstMonth(ctx: Queries, organizationId: string): string | undefined {
  return firstMonth(ctx).get(organizationId);
}

/** Marks a month as billed. */
export function closeRows(tx: Tx, rows: readonly UsageRow[]): void {
  for (const row of rows) writeRow(tx).run({ ...row, closedAt: tx.now });
}
