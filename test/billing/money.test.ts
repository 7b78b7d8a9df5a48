// The spend cap, the list of credit, and what a deleted organization leaves.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addEntry } from '../../src/billing/ledger.ts';
import { systemContext } from '../../src/core/transact.ts';
import { billingAccounts, creditEntries } from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { ALL_SCOPES, scopes } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { initiate, startBuildScenario } from '../builds/scenario.ts';
import {
  api,
  auditMark,
  auditRows,
  type Client,
  expectInvalid,
  expectRefusal,
  type Json,
  walkPages,
} from '../support/harness.ts';
import { addPerson, personalTokenClient } from '../support/people.ts';
import { listReservations, startMetered } from './metered.ts';

describe('the spend cap', () => {
  let fixture: Fixture;
  let path: string;

  beforeAll(async () => {
    fixture = await startFixture({ config: { billing: { enabled: true } } });
    path = `/api/v1/organizations/${fixture.organization_id}/spend-cap`;
  });
  afterAll(() => fixture.stop());

  const set = (monthly_cap_cents: unknown) => api(fixture).put<Json>(path, { monthly_cap_cents });
  const caps = (own: number | null, ceiling: number | null, effective: number | null) => ({
    monthly_cap_cents: own,
    account_ceiling_cents: ceiling,
    effective_cap_cents: effective,
  });

  it('is a whole number from 0 to 2^40, or null', async () => {
    expect((await api(fixture).get(path)).body).toEqual(caps(null, null, null));
    for (const cap of [0, 1, 2 ** 40, null]) {
      const answer = await set(cap);
      expect([answer.status, answer.body]).toEqual([200, caps(cap, null, cap)]);
      expect((await api(fixture).get(path)).body).toEqual(caps(cap, null, cap));
    }
    expectInvalid(await set(-1), 'body.monthly_cap_cents: greater_than_equal');
    expectInvalid(await set(2 ** 40 + 1), 'body.monthly_cap_cents: less_than_equal');
    expectInvalid(await set(1.5), 'body.monthly_cap_cents: int_type');
    expectInvalid(await set('7'), 'body.monthly_cap_cents: int_type');
    expectInvalid(await api(fixture).put(path, {}), 'body.monthly_cap_cents: missing');
  });

  it('above the ceiling of the operator is kept without an effect', async () => {
    fixture.app.db.update(billingAccounts).set({ accountCeilingCents: 500 }).run();
    expect((await set(700)).body).toEqual(caps(700, 500, 500));
    expect((await set(300)).body).toEqual(caps(300, 500, 300));
    expect((await set(null)).body).toEqual(caps(null, 500, 500));
    fixture.app.db.update(billingAccounts).set({ accountCeilingCents: null }).run();
  });

  it('is audited when it changes, and only then', async () => {
    await set(null);
    const after = auditMark(fixture);
    await set(900);
    await set(900);
    await set(null);
    await set(null);
    expect(auditRows(fixture, { after }).map(({ event, type, details }) => [event, type, details])).toEqual([
      ['org_spend_cap_changed', 'org_spend_cap', { from: null, to: 900 }],
      ['org_spend_cap_changed', 'org_spend_cap', { from: 900, to: null }],
    ]);
  });

  it('is read with the scope read and changed with all scopes, by admins', async () => {
    const { organization_id: organizationId } = fixture;
    const token = (bits: bigint) =>
      personalTokenClient(fixture, { developerId: fixture.admin.developer_id, organizationId, scopes: bits });
    const every = Object.values(scopes).reduce((sum, bit) => sum | bit, 0n);
    for (const bits of [scopes.read, every]) {
      expect((await token(bits).get(path)).status).toBe(200);
      expectRefusal(await token(bits).put(path, { monthly_cap_cents: 1 }), 403, 'permission_denied');
    }
    expect((await token(ALL_SCOPES).put(path, { monthly_cap_cents: null })).status).toBe(200);
    const manager = await addPerson(fixture, { organizations: { [organizationId]: 'manager' } });
    expectRefusal(await manager.client.get(path), 403, 'insufficient_role');
    expectRefusal(await manager.client.put(path, { monthly_cap_cents: 1 }), 403, 'insufficient_role');
    const stranger = await addPerson(fixture);
    expectRefusal(await stranger.client.get(path), 404, 'not_found');
  });

  it('can be read and not be changed with billing off', async () => {
    const free = await startFixture();
    try {
      const own = `/api/v1/organizations/${free.organization_id}/spend-cap`;
      expect((await api(free).get(own)).body).toEqual(caps(null, null, null));
      const after = auditMark(free);
      expectRefusal(await api(free).put(own, { monthly_cap_cents: 5 }), 400, 'operation_not_allowed');
      expect(auditRows(free, { after })).toEqual([]);
      expect(free.app.db.select().from(billingAccounts).all()).toEqual([]);
    } finally {
      await free.stop();
    }
  });
});

describe('the list of credit', () => {
  it('has top-ups and refunds, newest first, in pages', async () => {
    const fixture = await startFixture({ config: { billing: { enabled: true } } });
    try {
      const { organization_id: organizationId } = fixture;
      const kinds = ['topup', 'usage', 'refund', 'forfeit', 'topup', 'refund', 'topup'] as const;
      systemContext(fixture.app).transact((tx) => {
        for (const [index, kind] of kinds.entries()) {
          const entry = { organizationId, kind, amountCents: 100 + index, source: 'operator' as const };
          addEntry(tx, { ...entry, operatorName: 'dana', note: `N${index}`, feeCents: kind === 'refund' ? 3 : null });
        }
      });
      const path = `/api/v1/organizations/${organizationId}/credits`;
      const pages = await walkPages(api(fixture), path, { limit: 2 });
      expect(pages.map((page) => page.map(({ kind, amount_cents }) => [kind, amount_cents]))).toEqual([
        [
          ['topup', 106],
          ['refund', 105],
        ],
        [
          ['topup', 104],
          ['refund', 102],
        ],
        [['topup', 100]],
      ]);
      expect(pages[0]?.[1]).toEqual({
        identifier: expect.stringMatching(/^[0-9a-f-]{36}$/),
        amount_cents: 105,
        created_at: fixture.clock.now().toISOString(),
        source: 'operator',
        operator_name: 'dana',
        note: 'N5',
        kind: 'refund',
        fee_cents: 3,
      });
    } finally {
      await fixture.stop();
    }
  });
});

describe('a deleted organization', () => {
  async function remove(fixture: Fixture, client: Client): Promise<void> {
    const { organization_id, android_project_id, ios_project_id } = fixture;
    for (const path of [
      `/api/v1/projects/${android_project_id}`,
      `/api/v1/projects/${ios_project_id}`,
      `/api/v1/organizations/${organization_id}`,
    ]) {
      const answer = await client.delete(path, path.includes('projects') ? { organization_id, force: true } : {});
      expect(answer.status, answer.text).toBe(204);
      await fixture.drain();
    }
  }

  it('is billed, forfeits the rest, and its rows of money stay', async () => {
    const scenario = await startMetered({ prices: { seat_month_cents: 3000 }, trial_days: 3650 });
    try {
      const { fixture, organization } = scenario;
      scenario.credit(5000);
      await initiate(scenario.ci, scenario.android);
      fixture.clock.advance(10 * DAY);
      const after = auditMark(fixture);
      const { body } = await (await scenario.current()).get<Json>(`/api/v1/organizations/${organization}/billing`);
      const left = Number(body.balance_cents);
      expect(left).toBeLessThan(5000);
      await remove(fixture, await scenario.current());
      const { db } = fixture.app;
      const rows = db.select().from(creditEntries).where(eq(creditEntries.organizationId, organization)).all();
      const sum = (kind: string) =>
        rows.filter((row) => row.kind === kind).reduce((total, { amountCents }) => total + amountCents, 0);
      const used = sum('usage');
      expect(sum('topup')).toBe(5000);
      // What is billed is rounded down by month and meter, what is shown is the exact sum rounded down.
      expect(5000 - used - left).toBeGreaterThanOrEqual(0);
      expect(5000 - used - left).toBeLessThanOrEqual(2);
      expect(sum('forfeit')).toBe(5000 - used);
      const account = db.select().from(billingAccounts).where(eq(billingAccounts.organizationId, organization)).get();
      expect(account?.balanceCents).toBe(0);
      const forfeited = auditRows(fixture, { after }).filter(({ event }) => event === 'credit_forfeited');
      expect(forfeited.map(({ type, details }) => [type, details])).toEqual([
        ['credit', { amount_cents: 5000 - used, source: 'operator' }],
      ]);
      await fixture.sweep('billing');
      expect(db.select().from(creditEntries).where(eq(creditEntries.organizationId, organization)).all()).toEqual(rows);
      expect(listReservations({ db }).filter((row) => row.organizationId === organization)).toEqual([]);
    } finally {
      await scenario[Symbol.asyncDispose]();
    }
  });

  it('leaves nothing with billing off', async () => {
    const free = await startBuildScenario();
    try {
      const { app } = free.fixture;
      await remove(free.fixture, free.admin);
      expect([app.db.select().from(billingAccounts).all(), app.db.select().from(creditEntries).all()]).toEqual([
        [],
        [],
      ]);
    } finally {
      await free[Symbol.asyncDispose]();
    }
  });
});
