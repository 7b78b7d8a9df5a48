// What organizations have used, with its cost: the stored use with the time until now added, without writing anything.
import { type Db, prepared } from '../data/database.ts';
import { type Costs, costsOf, totalOf } from './costs.ts';
import { findNewestUsage, spansOf, splitTime, type UsageRow, usageColumns } from './meters.ts';
import { findPrices, type PriceList, pickPrices, readPriceLists } from './price-lists.ts';
import { listDays, splitByDay, type UsageDay } from './usage-days.ts';

type Queries = { db: Db };

// Parameters have a plus, so that SQLite keeps the plans (data/database.ts). Every download link asks these.
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
  const lists = readPriceLists(ctx);
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
  const added = found === undefined ? [] : spansOf(found, splitTime(found, readPriceLists(ctx), now).rows);
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
