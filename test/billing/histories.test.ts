// Random histories of organizations against a naive model, which keeps everything that happened and computes from the beginning.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyFacts, createAccount, useAccount } from '../../src/billing/accounts.ts';
import { UCENTS } from '../../src/billing/costs.ts';
import { admitBuild, forgetStoredBytes, meterDownload, readFunds, reserveUpload } from '../../src/billing/gates.ts';
import { addEntry } from '../../src/billing/ledger.ts';
import { meteredTime } from '../../src/billing/meters.ts';
import { adoptPrices } from '../../src/billing/price-lists.ts';
import { closeMonths } from '../../src/billing/sweeps.ts';
import type { Context } from '../../src/core/context.ts';
import { systemContext } from '../../src/core/transact.ts';
import { creditEntries, organizations, priceLists, reservations } from '../../src/data/tables/tables.ts';
import { lockOf } from '../../src/http/organization-lock.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { AppError } from '../../src/lib/errors.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

const GIB = 1n << 30n;
const BUILD = 256 * 1024 * 1024;
const BEGIN = Date.parse('2030-01-30T22:00:00.000Z');

let fixture: Fixture;
let ctx: Context;

beforeAll(async () => {
  fixture = await startFixture({
    config: {
      limits: { build_size_bytes: BUILD },
      billing: { enabled: true, trial_days: 20, prices: { storage_gib_month_cents: 1000, download_gib_cents: 1000 } },
    },
  });
  ctx = systemContext(fixture.app);
});
afterAll(() => fixture.stop());

type Step =
  | { do: 'wait'; ms: number }
  | { do: 'turn back'; ms: number }
  | { do: 'credit'; cents: number }
  | { do: 'upload' }
  | { do: 'complete'; bytes: number }
  | { do: 'delete' }
  | { do: 'download'; bytes: number }
  | { do: 'close' }
  | { do: 'prices'; storage: number; download: number }
  | { do: 'operator lock'; lock: 'suspended' | 'awaiting_payment' | null }
  | { do: 'card' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('wait' as const),
    ms: fc.oneof(fc.integer({ min: 0, max: DAY }), fc.integer({ min: 0, max: 70 * DAY })),
  }),
  fc.record({ do: fc.constant('turn back' as const), ms: fc.integer({ min: 0, max: HOUR }) }),
  fc.record({ do: fc.constant('credit' as const), cents: fc.integer({ min: 1, max: 5000 }) }),
  fc.constant({ do: 'upload' as const }),
  fc.record({ do: fc.constant('complete' as const), bytes: fc.integer({ min: 1, max: BUILD }) }),
  fc.constant({ do: 'delete' as const }),
  fc.record({ do: fc.constant('download' as const), bytes: fc.integer({ min: 1, max: 4 * BUILD }) }),
  fc.constant({ do: 'close' as const }),
  fc.record({
    do: fc.constant('prices' as const),
    storage: fc.integer({ min: 0, max: 3000 }),
    download: fc.integer({ min: 0, max: 3000 }),
  }),
  fc.record({
    do: fc.constant('operator lock' as const),
    lock: fc.constantFrom('suspended' as const, 'awaiting_payment' as const, null),
  }),
  fc.constant({ do: 'card' as const }),
);

const monthOf = (time: number) => new Date(time).toISOString().slice(0, 7);
const startOf = (month: string) => Date.parse(`${month}-01T00:00:00Z`);
const endOf = (month: string) => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return Date.UTC(year, number, 1);
};

/** Everything that happened to one organization. */
class Model {
  now = BEGIN;
  /** How far the meters have counted: never back. */
  metered = BEGIN;
  levels = [{ at: BEGIN, bytes: 0 }];
  prices: { at: number; storage: number; download: number }[];
  downloads: { month: string; price: number; bytes: number }[] = [];
  credits = 0;
  billed = new Map<string, number>();
  uploads: { id: string; amount: bigint; until: number }[] = [];
  builds: number[] = [];
  operatorLock: string | null = null;
  hasCard = false;

  constructor(storage: number, download: number) {
    this.prices = [{ at: Number.NEGATIVE_INFINITY, storage, download }];
  }

  meter(): number {
    this.metered = Math.max(this.metered, this.now);
    return this.metered;
  }

  /** The cost of a month until now, price by price. */
  costOf(month: string): { storage: bigint; downloads: bigint } {
    const until = Math.max(this.metered, this.now);
    const length = BigInt(endOf(month) - startOf(month));
    let [storage, downloads] = [0n, 0n];
    for (const [index, price] of this.prices.entries()) {
      const from = Math.max(startOf(month), price.at);
      const to = Math.min(endOf(month), this.prices[index + 1]?.at ?? Number.POSITIVE_INFINITY);
      let byteMs = 0n;
      for (const [order, level] of this.levels.entries()) {
        const begins = Math.max(from, level.at);
        const ends = Math.min(to, this.levels[order + 1]?.at ?? until, until);
        if (ends > begins) byteMs += BigInt(level.bytes) * BigInt(ends - begins);
      }
      storage += (byteMs * BigInt(price.storage) * UCENTS) / (GIB * length);
      const bytes = this.downloads
        .filter((download) => download.month === month && download.price === index)
        .reduce((sum, download) => sum + download.bytes, 0);
      downloads += (BigInt(bytes) * BigInt(price.download) * UCENTS) / GIB;
    }
    return { storage, downloads };
  }

  months(): string[] {
    const last = monthOf(Math.max(this.metered, this.now));
    const found: string[] = [];
    for (let month = monthOf(BEGIN); month <= last; month = monthOf(endOf(month))) found.push(month);
    return found;
  }

  get balance(): number {
    return this.credits - [...this.billed.values()].reduce((sum, cents) => sum + cents, 0);
  }

  get openCost(): bigint {
    return this.months()
      .filter((month) => !this.billed.has(month))
      .map((month) => this.costOf(month))
      .reduce((sum, { storage, downloads }) => sum + storage + downloads, 0n);
  }

  get reserved(): bigint {
    return this.uploads.filter(({ until }) => until > this.now).reduce((sum, { amount }) => sum + amount, 0n);
  }

  get available(): bigint {
    return BigInt(this.balance) * UCENTS - this.openCost - this.reserved;
  }

  storing(bytes: number): bigint {
    const month = monthOf(Math.max(this.metered, this.now));
    const length = BigInt(endOf(month) - startOf(month));
    const time = Math.max(this.metered, this.now);
    const price = this.prices.findLast(({ at }) => at <= time)?.storage ?? 0;
    return (BigInt(bytes) * BigInt(30 * DAY) * BigInt(price) * UCENTS) / (GIB * length);
  }

  get lock(): string | null {
    if (this.operatorLock !== null) return this.operatorLock;
    return !this.hasCard && this.now >= BEGIN + 20 * DAY ? 'grace' : null;
  }

  /** Bills what is over, as the cleanup job does. */
  close(): void {
    const present = monthOf(this.meter());
    for (const month of this.months()) {
      if (month >= present || this.billed.has(month)) continue;
      const { storage, downloads } = this.costOf(month);
      this.billed.set(month, Number(storage / UCENTS) + Number(downloads / UCENTS));
    }
  }
}

function attempt(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

/** Starts a server with other prices, as far as the meters can tell. */
function setPrices(storage: number, download: number): void {
  const { config } = fixture.app;
  const prices = { ...config.billing.prices, storage_gib_month_cents: storage, download_gib_cents: download };
  const changed = { ...config, billing: { ...config.billing, prices } };
  inTx((tx) => adoptPrices(Object.assign(Object.create(tx), { config: changed }), meteredTime(tx)));
}

const inTx = (work: (tx: Parameters<Parameters<Context['transact']>[0]>[0]) => void) =>
  ctx.transact((tx) => work(tx), { bookkeeping: true });

function apply(id: string, model: Model, { ...now }: Step): void {
  switch (now.do) {
    case 'wait':
      model.now += now.ms;
      fixture.clock.set(new Date(model.now));
      return;
    case 'turn back':
      model.now -= now.ms;
      fixture.clock.set(new Date(model.now));
      return;
    case 'credit':
      model.credits += now.cents;
      inTx(
        (tx) => void addEntry(tx, { organizationId: id, kind: 'topup', amountCents: now.cents, source: 'operator' }),
      );
      return;
    case 'upload': {
      const uploadId = ctx.ids.next();
      const amount = model.storing(BUILD);
      const expected = model.available <= 0n || model.available < amount ? 'prepaid_credit_exhausted' : undefined;
      const until = model.now + HOUR;
      expect(
        attempt(() => inTx((tx) => reserveUpload(tx, { id: uploadId, organizationId: id, expiresAt: until }))),
      ).toBe(expected);
      if (expected !== undefined) return;
      // A new reservation deletes those that have expired, so they don't return when the clock is turned back.
      for (const upload of model.uploads) if (upload.until <= model.now) upload.amount = 0n;
      model.uploads.push({ id: uploadId, amount, until });
      return;
    }
    case 'complete': {
      const upload = model.uploads.pop();
      if (upload === undefined) return;
      const amount = model.storing(now.bytes);
      const expected = model.available <= 0n || model.available < amount ? 'prepaid_credit_exhausted' : undefined;
      const admitted = { organizationId: id, uploadId: upload.id, bytes: now.bytes, key: upload.id };
      expect(attempt(() => inTx((tx) => admitBuild(tx, admitted)))).toBe(expected);
      if (expected !== undefined) {
        model.uploads.push(upload);
        return;
      }
      model.builds.push(now.bytes);
      changeLevel(model, now.bytes);
      return;
    }
    case 'delete': {
      const bytes = model.builds.shift();
      if (bytes === undefined) return;
      inTx((tx) => forgetStoredBytes(tx, { organizationId: id, bytes, key: 'builds/any' }));
      changeLevel(model, -bytes);
      return;
    }
    case 'download':
      inTx((tx) => meterDownload(tx, { organizationId: id, reservationId: 'none', expiresAt: 0 }, now.bytes));
      model.downloads.push({
        month: monthOf(model.meter()),
        price: model.prices.findLastIndex(({ at }) => at <= model.metered),
        bytes: now.bytes,
      });
      return;
    case 'close':
      inTx((tx) => void closeMonths(tx, id));
      model.close();
      return;
    case 'prices': {
      const last = model.prices.at(-1);
      if (last?.storage === now.storage && last.download === now.download) return;
      setPrices(now.storage, now.download);
      // The clock may be behind what is metered already.
      const at = Math.max(model.now, model.metered, last?.at ?? 0);
      model.prices.push({ at, storage: now.storage, download: now.download });
      return;
    }
    case 'operator lock':
      model.operatorLock = now.lock;
      inTx((tx) => void applyFacts(tx, id, { operatorLock: now.lock }));
      return;
    case 'card':
      model.hasCard = true;
      inTx((tx) => void applyFacts(tx, id, { cardAt: BEGIN, paymentOkAt: BEGIN }));
      return;
  }
}

function changeLevel(model: Model, change: number): void {
  const bytes = (model.levels.at(-1)?.bytes ?? 0) + change;
  model.levels.push({ at: model.meter(), bytes });
}

describe('a random history', () => {
  it('has the ledger, balance, meters and lock of the model after every step', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const { db } = fixture.app;
        fixture.clock.set(new Date(BEGIN));
        db.delete(priceLists).run();
        db.delete(reservations).run();
        db.$client.exec('DELETE FROM usage_months');
        const id = ctx.ids.next();
        db.insert(organizations).values({ id, name: 'Harbor', tier: 'team', createdAt: BEGIN }).run();
        inTx((tx) => createAccount(tx, id));
        const model = new Model(1000, 1000);
        for (const now of steps) {
          apply(id, model, now);
          const account = ctx.transact((tx) => useAccount(tx, id), { bookkeeping: true });
          const funds = readFunds(ctx, account);
          expect(account.balanceCents).toBe(model.balance);
          expect(funds.openCost).toBe(model.openCost);
          expect(funds.reserved).toBe(model.reserved);
          expect(funds.available).toBe(model.available);
          expect(funds.present.levelBytes).toBe(model.levels.at(-1)?.bytes);
          const stored = db
            .select()
            .from(organizations)
            .all()
            .find((row) => row.id === id);
          expect(stored && lockOf(ctx, stored)).toBe(model.lock);
        }
        const entries = db
          .select()
          .from(creditEntries)
          .all()
          .filter((row) => row.organizationId === id);
        const sum = entries.reduce(
          (total, row) => total + (row.kind === 'topup' ? row.amountCents : -row.amountCents),
          0,
        );
        expect(sum).toBe(model.balance);
      }),
      { numRuns: 150, seed: 20_301 },
    );
  });
});
