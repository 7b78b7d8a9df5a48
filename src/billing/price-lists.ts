// The price lists that were in force, so that a change of the configured prices doesn't change what earlier use cost.
import type { Tx } from '../core/context.ts';
import { type Db, prepared } from '../data/database.ts';
import type { UnitPrices } from './costs.ts';

export interface PriceList extends UnitPrices {
  id: string;
  effectiveAt: number;
}

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

/** Returns the price lists, oldest first. */
export function readPriceLists(ctx: { db: Db }): PriceList[] {
  return allPriceLists(ctx).all();
}

/** Returns the price lists, oldest first. There is at least one; the first comes from the configuration and applies from `now`. */
export function listPrices(tx: Tx, now: number): PriceList[] {
  const known = readPriceLists(tx);
  return known.length > 0 ? known : [addPrices(tx, now)];
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

/** Adds a price list that applies from `now` if the configuration has other prices than the last one. */
export function adoptPrices(tx: Tx, now: number): void {
  const last = listPrices(tx, now).at(-1) as PriceList;
  const { prices } = tx.config.billing;
  const isSame =
    last.storageGibMonthCents === prices.storage_gib_month_cents &&
    last.downloadGibCents === prices.download_gib_cents &&
    last.seatMonthCents === prices.seat_month_cents;
  // The clock may have been moved back.
  if (!isSame) addPrices(tx, Math.max(now, last.effectiveAt));
}

/** Returns a price list by its id. Throws if there is none. */
export function findPrices(ctx: { db: Db }, id: string): PriceList {
  return pickPrices(readPriceLists(ctx), id);
}

/** Returns the price list with an id. Throws if there is none. */
export function pickPrices(lists: readonly PriceList[], id: string): PriceList {
  const found = lists.find((list) => list.id === id);
  if (found === undefined) throw new Error('A month of use has no price list');
  return found;
}

/** Returns the last list in force at a time, at least the one at `from`. */
export function listAt(lists: readonly PriceList[], time: number, from: number): PriceList {
  const found = lists.findLastIndex((list) => list.effectiveAt <= time);
  return lists[Math.max(found, from)] as PriceList;
}
