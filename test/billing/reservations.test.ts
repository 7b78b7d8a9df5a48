// The sums of reservations that triggers keep, against adding up the rows.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, useAccount } from '../../src/billing/accounts.ts';
import {
  type BilledLink,
  meterDownload,
  readFunds,
  releaseUpload,
  reserveDownload,
  reserveUpload,
} from '../../src/billing/gates.ts';
import { addEntry } from '../../src/billing/ledger.ts';
import { deleteExpired, listReserving, releaseReservation, reserveRefund } from '../../src/billing/reservations.ts';
import { reservationsSweep } from '../../src/billing/sweeps.ts';
import type { Context } from '../../src/core/context.ts';
import { systemContext } from '../../src/core/transact.ts';
import { organizations, reservations, SUMS_AT } from '../../src/data/tables/tables.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { listReservations } from './metered.ts';

const BEGIN = Date.parse('2030-01-15T00:00:00.000Z');
const MIB = 1024 * 1024;

let fixture: Fixture;
let ctx: Context;

beforeAll(async () => {
  fixture = await startFixture({
    config: {
      limits: { build_size_bytes: MIB },
      billing: { enabled: true, trial_days: 400, prices: { storage_gib_month_cents: 999, download_gib_cents: 777 } },
    },
  });
  ctx = systemContext(fixture.app);
});
afterAll(() => fixture.stop());

const inTx: Context['transact'] = (work) => ctx.transact(work, { bookkeeping: true });

function newOrganization(): string {
  const id = ctx.ids.next();
  fixture.app.db.insert(organizations).values({ id, name: 'Harbor', tier: 'team', createdAt: BEGIN }).run();
  inTx((tx) => {
    createAccount(tx, id);
    addEntry(tx, { organizationId: id, kind: 'topup', amountCents: 1_000_000, source: 'operator' });
  });
  return id;
}

/** Adds up the rows of an organization that haven't expired. */
function addUp(organizationId: string, now: number): { reserved: bigint; reservedUse: bigint } {
  const rows = listReservations(fixture.app).filter(
    (row) => row.organizationId === organizationId && row.expiresAt > now,
  );
  const sum = (of: typeof rows) => of.reduce((total, row) => total + BigInt(row.amountUcents), 0n);
  return { reserved: sum(rows), reservedUse: sum(rows.filter(({ kind }) => kind !== 'refund')) };
}

function read(organizationId: string): { reserved: bigint; reservedUse: bigint } {
  const { reserved, reservedUse } = readFunds(
    ctx,
    inTx((tx) => useAccount(tx, organizationId)),
  );
  return { reserved, reservedUse };
}

const unknownLink = { reservationId: 'none', expiresAt: BEGIN };

const step = fc.oneof(
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 40 * MINUTE }) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 90 * DAY }) }),
  fc.record({ do: fc.constant('upload' as const) }),
  fc.record({ do: fc.constant('upload again' as const) }),
  fc.record({ do: fc.constant('complete' as const) }),
  fc.record({ do: fc.constant('link' as const), bytes: fc.integer({ min: 1, max: MIB }) }),
  fc.record({ do: fc.constant('download' as const), bytes: fc.integer({ min: 1, max: 2 * MIB }) }),
  fc.record({ do: fc.constant('refund' as const), cents: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ do: fc.constant('settle' as const) }),
  fc.record({ do: fc.constant('sweep' as const) }),
);

describe('the sums of reservations', () => {
  it('equal the rows after every step of random histories, of two organizations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), step), { maxLength: 60 }), async (steps) => {
        let now = BEGIN;
        fixture.clock.set(new Date(now));
        fixture.app.db.delete(reservations).run();
        const ids = [newOrganization(), newOrganization()] as const;
        const held = { uploads: [] as string[], links: [] as BilledLink[], refunds: [] as string[] };
        for (const [isOther, next] of steps) {
          const organizationId = isOther ? ids[1] : ids[0];
          switch (next.do) {
            case 'wait':
              now += next.ms;
              fixture.clock.set(new Date(now));
              break;
            case 'upload': {
              const id = ctx.ids.next();
              inTx((tx) => reserveUpload(tx, { id, organizationId, expiresAt: now + HOUR }));
              held.uploads.push(id);
              break;
            }
            case 'upload again': {
              const id = `${organizationId}:same`;
              inTx((tx) => reserveUpload(tx, { id, organizationId, expiresAt: now + 2 * HOUR }));
              break;
            }
            case 'complete':
              inTx((tx) => releaseUpload(tx, held.uploads.pop() ?? 'none'));
              break;
            case 'link': {
              const id = ctx.ids.next();
              const link = { organizationId, sizeBytes: next.bytes, reservationId: id, expiresAt: now + 15 * MINUTE };
              inTx((tx) => reserveDownload(tx, link));
              held.links.push(link);
              break;
            }
            case 'download':
              inTx((tx) => meterDownload(tx, held.links.at(-1) ?? { ...unknownLink, organizationId }, next.bytes));
              break;
            case 'refund': {
              const details = { amountCents: next.cents, feeCents: null, operatorName: 'dana', note: null };
              held.refunds.push(inTx((tx) => reserveRefund(tx, { organizationId, ...details })));
              break;
            }
            case 'settle':
              inTx((tx) => releaseReservation(tx, 'refund', held.refunds.pop() ?? 'none'));
              break;
            case 'sweep':
              await reservationsSweep.run(ctx);
              break;
          }
          for (const id of ids) expect(read(id), next.do).toEqual(addUp(id, now));
        }
      }),
      { numRuns: 100, seed: 20_302 },
    );
  });

  it('are added up once by the migration', () => {
    fixture.clock.set(new Date(BEGIN));
    const ids = [newOrganization(), newOrganization()];
    for (const [index, organizationId] of ids.entries()) {
      inTx((tx) => {
        reserveUpload(tx, { id: `m:${index}`, organizationId, expiresAt: BEGIN + HOUR });
        reserveRefund(tx, { organizationId, amountCents: 7, feeCents: null, operatorName: 'dana', note: null });
      });
    }
    const { $client } = fixture.app.db;
    const rowsOf = (table: string) =>
      $client.prepare(`SELECT * FROM ${table} WHERE organization_id IN (?, ?) ORDER BY 1, 2, 3, 4`).all(...ids);
    const wanted = rowsOf('reservations');
    expect(wanted.length).toBe(8);
    // As they were before there was one for each kind.
    const add = $client.prepare(
      `INSERT INTO reservations (organization_id, kind, expires_at, subject_id, amount_ucents) VALUES (?, 'use', ?, ?, 7)`,
    );
    for (const id of ids) add.run(id, SUMS_AT, id);
    const folder = join(import.meta.dirname, '../../migrations');
    const name = readdirSync(folder).find((file) => file.endsWith('_reservation_order.sql')) ?? '';
    const statements = readFileSync(join(folder, name), 'utf8').split('--> statement-breakpoint');
    const end = statements.findIndex((each) => each.includes('DROP TABLE'));
    for (const statement of statements.slice(0, end)) $client.exec(statement);
    expect(rowsOf('__new_reservations')).toEqual(wanted);
    $client.exec("DROP TABLE __new_reservations; DELETE FROM reservations WHERE kind = 'use'");
  });

  it('are nothing again once all have expired and were deleted', async () => {
    fixture.clock.set(new Date(BEGIN));
    const organizationId = newOrganization();
    for (let number = 0; number < 30; number += 1) {
      inTx((tx) => reserveUpload(tx, { id: `all:${number}`, organizationId, expiresAt: BEGIN + HOUR }));
    }
    expect(read(organizationId).reserved).toBeGreaterThan(0n);
    fixture.clock.set(new Date(BEGIN + HOUR));
    expect(read(organizationId)).toEqual({ reserved: 0n, reservedUse: 0n });
    await reservationsSweep.run(ctx);
    const rows = fixture.app.db
      .select()
      .from(reservations)
      .where(eq(reservations.organizationId, organizationId))
      .all();
    expect(rows).toMatchObject([{ kind: 'upload', expiresAt: SUMS_AT, amountUcents: 0 }]);
  });

  it('are found by organization, a page at a time, with those that have expired', () => {
    fixture.clock.set(new Date(BEGIN));
    const [one, other] = [newOrganization(), newOrganization()].toSorted() as [string, string];
    for (const id of [one, other]) {
      inTx((tx) => reserveUpload(tx, { id: `page:${id}`, organizationId: id, expiresAt: BEGIN + HOUR }));
    }
    inTx((tx) =>
      reserveRefund(tx, { organizationId: one, amountCents: 1, feeCents: null, operatorName: 'd', note: null }),
    );
    const list = (after: string) => inTx((tx) => listReserving(tx, after, 1));
    expect([list(one), list(other)]).toEqual([[{ id: other, hasExpired: false }], []]);
    fixture.clock.set(new Date(BEGIN + HOUR));
    expect(list(one)).toEqual([{ id: other, hasExpired: true }]);
    expect(inTx((tx) => [deleteExpired(tx, other, 10), deleteExpired(tx, other, 10)])).toEqual([1, 0]);
    expect(list(one)).toEqual([{ id: other, hasExpired: false }]);
    // The provider may still approve a refund.
    fixture.clock.set(new Date(BEGIN + 90 * DAY));
    expect(inTx((tx) => [deleteExpired(tx, one, 10), deleteExpired(tx, one, 10)])).toEqual([1, 0]);
  });

  it('are read without adding up: a new reservation also deletes expired ones of its organization', () => {
    fixture.clock.set(new Date(BEGIN));
    const organizationId = newOrganization();
    const count = () => listReservations(fixture.app).filter((row) => row.organizationId === organizationId).length;
    const link = (id: string, until: number) =>
      inTx((tx) => reserveDownload(tx, { organizationId, sizeBytes: MIB, reservationId: id, expiresAt: until }));
    for (let number = 0; number < 50; number += 1) link(`link:${number}`, BEGIN);
    expect(count()).toBe(50);
    fixture.clock.set(new Date(BEGIN + HOUR));
    for (const [index, left] of [31, 12, 3].entries()) {
      link(`later:${index}`, BEGIN + HOUR);
      expect(count()).toBe(left);
      expect(read(organizationId)).toEqual(addUp(organizationId, BEGIN + HOUR));
    }
  });
});
