// What a deleted organization is charged, pays and gets back afterwards: nothing is metered, and money that still moves is counted.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { meterDownload } from '../../src/billing/gates.ts';
import { findNewestUsage, recountBytes } from '../../src/billing/meters.ts';
import { refundOrganization } from '../../src/billing/operator.ts';
import { countBilling } from '../../src/billing/totals.ts';
import { checkBilling, recountBilling } from '../../src/checks/billing.ts';
import { finishRemovals } from '../../src/core/removal.ts';
import { systemContext } from '../../src/core/transact.ts';
import { billingAccounts, builds, projects, usageDays, usageMonths } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { expectRefusal } from '../support/harness.ts';
import { type BillingScenario, type Organization, startBilling } from './scenario.ts';

let scenario: BillingScenario;
beforeAll(async () => {
  scenario = await startBilling({ trial_days: 3650, prices: { seat_month_cents: 3000 } });
});
afterAll(() => scenario.stop());

async function remove({ id }: Organization): Promise<void> {
  const answer = await (await scenario.current()).delete(`/api/v1/organizations/${id}`);
  expect(answer.status, answer.text).toBe(204);
  await scenario.fixture.drain();
}

async function topUp(organization: Organization, amount_cents = 5000): Promise<string> {
  const transaction = await organization.open('billing/topup', { amount_cents });
  scenario.provider.pay(transaction);
  await scenario.deliver(...scenario.provider.takeEvents());
  return transaction;
}

const balanceOf = ({ id }: Organization) =>
  scenario.fixture.app.db.select().from(billingAccounts).where(eq(billingAccounts.organizationId, id)).get()
    ?.balanceCents;

const moneyOf = (organization: Organization) => organization.entries().map(({ kind, amount }) => [kind, amount]);

/** What is stored of the meters. */
const metersOf = ({ id }: Organization) =>
  [usageMonths, usageDays].map((table) =>
    scenario.fixture.app.db.select().from(table).where(eq(table.organizationId, id)).all(),
  );

/** A project with builds of 1 kB each. */
function addProject({ id: organizationId }: Organization, count: number): string {
  const { app } = scenario.fixture;
  const projectId = app.ids.next();
  const createdAt = app.clock.now().getTime();
  systemContext(app).transact(
    (tx) => {
      tx.db
        .insert(projects)
        .values({ id: projectId, organizationId, name: 'Pilot', platform: 'android', createdAt })
        .run();
      for (let buildNumber = 1; buildNumber <= count; buildNumber += 1) {
        const id = tx.ids.next();
        tx.db
          .insert(builds)
          .values({
            id,
            organizationId,
            projectId,
            platform: 'android',
            versionName: '1.0',
            buildNumber,
            sha256: '0'.repeat(64),
            sizeBytes: 1000,
            uploadedAt: createdAt,
            objectKey: `builds/${id}/package.apk`,
            inspectionStatus: 'ok',
            pendingUploadId: tx.ids.next(),
          })
          .run();
      }
      recountBytes(tx, organizationId);
    },
    { bookkeeping: true },
  );
  return projectId;
}

async function removeProject({ id }: Organization, projectId: string): Promise<void> {
  const client = await scenario.current();
  const answer = await client.delete(`/api/v1/projects/${projectId}`, { organization_id: id, force: true });
  expect(answer.status, answer.text).toBe(204);
}

const recount = () => recountBilling(scenario.fixture.app.config, scenario.fixture.app.db.$client);
const isRight = [expect.objectContaining({ status: 'ok' })];

describe('the meters of a deleted organization', () => {
  it('stand still, so that no later month is billed', async () => {
    const { fixture } = scenario;
    const organization = await scenario.newOrganization();
    await topUp(organization, 9000);
    fixture.clock.advance(3 * DAY);
    await remove(organization);
    const [entries, metered] = [organization.entries(), metersOf(organization)];
    fixture.clock.advance(70 * DAY);
    await fixture.sweep('billing');
    expect(organization.entries()).toEqual(entries);
    expect(balanceOf(organization)).toBe(0);
    expect(metersOf(organization)).toEqual(metered);
  });

  it('ignore bytes that a link sent at the last moment', async () => {
    const organization = await scenario.newOrganization();
    await remove(organization);
    const metered = metersOf(organization);
    const { app } = scenario.fixture;
    const expiresAt = app.clock.now().getTime() + MINUTE;
    const link = { organizationId: organization.id, reservationId: app.ids.next(), expiresAt };
    systemContext(app).transact((tx) => meterDownload(tx, link, 1000), { bookkeeping: true });
    expect(metersOf(organization)).toEqual(metered);
  });

  it('ignore builds whose deletion was still in progress', async () => {
    const { fixture } = scenario;
    const organization = await scenario.newOrganization();
    const projectId = addProject(organization, 60);
    fixture.clock.advance(10 * DAY);
    await removeProject(organization, projectId);
    expect(fixture.app.db.select().from(builds).where(eq(builds.projectId, projectId)).all().length).toBeGreaterThan(0);
    const answer = await (await scenario.current()).delete(`/api/v1/organizations/${organization.id}`);
    expect(answer.status, answer.text).toBe(204);
    const metered = metersOf(organization);
    fixture.clock.advance(40 * DAY);
    while (!(await finishRemovals(systemContext(fixture.app))));
    await fixture.drain();
    await fixture.sweep('billing');
    expect(fixture.app.db.select().from(builds).where(eq(builds.projectId, projectId)).all()).toEqual([]);
    expect(metersOf(organization)).toEqual(metered);
  });
});

describe('a project that is deleted before the meters of its organization continue', () => {
  it('leaves nothing on them', async () => {
    const organization = await scenario.newOrganization();
    const projectId = addProject(organization, 3);
    const { db, clock } = scenario.fixture.app;
    const pausedAt = clock.now().getTime();
    db.update(billingAccounts).set({ pausedAt }).where(eq(billingAccounts.organizationId, organization.id)).run();
    await removeProject(organization, projectId);
    await scenario.fixture.drain();
    expect(findNewestUsage({ db }, organization.id)?.levelBytes).toBe(0);
    expect(recount()).toEqual(isRight);
  });
});

describe('a refund that the provider has not approved when the organization is deleted', () => {
  async function deletedWithRefund(cents: number): Promise<{ organization: Organization; adjustment: string }> {
    const { fixture, provider } = scenario;
    const organization = await scenario.newOrganization();
    const transactionId = await topUp(organization, 5000);
    const movement = { cents, feeCents: null, note: null, operatorName: 'dana', transactionId };
    await refundOrganization(systemContext(fixture.app), organization.id, movement);
    await remove(organization);
    return { organization, adjustment: provider.adjustments().at(-1)?.id ?? '' };
  }
  const settle = async (adjustment: string, status: 'approved' | 'rejected') => {
    scenario.provider.settleRefund(adjustment, status);
    await scenario.deliver(...scenario.provider.takeEvents());
  };

  it('is not forfeited, so that it can be paid', async () => {
    const { organization, adjustment } = await deletedWithRefund(3000);
    expect(balanceOf(organization)).toBe(3000);
    await settle(adjustment, 'approved');
    expect(moneyOf(organization)).toEqual(
      expect.arrayContaining([
        ['topup', 5000],
        ['forfeit', 2000],
        ['refund', 3000],
      ]),
    );
    expect(balanceOf(organization)).toBe(0);
  });

  it('is forfeited when the provider rejects it', async () => {
    const { organization, adjustment } = await deletedWithRefund(3000);
    await settle(adjustment, 'rejected');
    expect(moneyOf(organization)).toEqual(
      expect.arrayContaining([
        ['topup', 5000],
        ['forfeit', 2000],
        ['forfeit', 3000],
      ]),
    );
    expect(balanceOf(organization)).toBe(0);
  });

  it('is forfeited when the provider says that it never got it', async () => {
    const { fixture, provider } = scenario;
    provider.fail({ path: /^\/adjustments$/, how: 'cut' });
    provider.fail({ path: /^\/adjustments$/, how: 'broken' });
    const organization = await scenario.newOrganization();
    const transactionId = await topUp(organization, 5000);
    const movement = { cents: 3000, feeCents: null, note: null, operatorName: 'dana', transactionId };
    const asked = refundOrganization(systemContext(fixture.app), organization.id, movement);
    await expect(asked).rejects.toMatchObject({ code: 'payment_provider_unavailable' });
    await remove(organization);
    expect(balanceOf(organization)).toBe(3000);
    fixture.clock.advance(2 * MINUTE);
    await fixture.drain();
    expect(balanceOf(organization)).toBe(0);
  });

  it('can be all that is left', async () => {
    const { organization, adjustment } = await deletedWithRefund(5000);
    expect(moneyOf(organization)).toEqual([['topup', 5000]]);
    await settle(adjustment, 'approved');
    expect(balanceOf(organization)).toBe(0);
  });
});

describe('a payment that a deleted organization disputes', () => {
  it('is not a finding, because nobody can settle its balance', async () => {
    const { fixture, provider } = scenario;
    const organization = await scenario.newOrganization();
    const transaction = await topUp(organization);
    const { config, db } = fixture.app;
    const below = () => [
      countBilling(fixture.app).belowZero,
      checkBilling(config, db.$client).filter(({ code }) => code === 'billing_below_zero').length,
    ];
    const before = below();
    await remove(organization);
    provider.chargeBack(transaction);
    await scenario.deliver(...provider.takeEvents());
    expect(balanceOf(organization)).toBe(-5000);
    expect(below()).toEqual(before);
  });
});

describe('an organization that is deleted while the provider is asked', () => {
  /** Deletes the organization when the provider has answered a request, before the server gets the answer. */
  function deleteDuring(organization: Organization, request: RegExp): void {
    const { app } = scenario.fixture;
    const { fetch } = app;
    app.fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (request.test(`${init?.method} ${url}`)) {
        app.fetch = fetch;
        await remove(organization);
      }
      return response;
    };
  }

  it.each([
    ['billing/topup', { amount_cents: 5000 }, /POST .*\/customers/, 0],
    ['billing/topup', { amount_cents: 5000 }, /POST .*\/transactions/, 1],
    ['billing/card-capture', {}, /POST .*\/customers/, 0],
    ['billing/card-capture', {}, /POST .*\/transactions/, 1],
    ['tier', { tier: 'business' }, /POST .*\/transactions/, 1],
  ])('gets no checkout from %s %o after %s', async (path, body, request, opened) => {
    const { provider } = scenario;
    const organization = await scenario.newOrganization();
    const count = provider.transactions().length;
    deleteDuring(organization, request);
    expectRefusal(await organization.post(path, body), 404, 'not_found');
    expect(provider.transactions()).toHaveLength(count + opened);
    // Paid all the same: the subscription ends, and a top-up is counted for the refund.
    for (const { id } of provider.transactions().slice(count)) provider.pay(id);
    await scenario.deliver(...provider.takeEvents());
    await scenario.fixture.drain();
    const { subscription_id: subscription } = provider.transactions().at(-1) ?? {};
    if (opened > 0 && typeof subscription === 'string')
      expect(provider.subscription(subscription).status).toBe('canceled');
    expect(balanceOf(organization)).toBe(path === 'billing/topup' && opened > 0 ? 5000 : 0);
  });

  it('gets no change of its card or plan', async () => {
    for (const [path, body, request] of [
      ['billing/card-capture', {}, /update-payment-method-transaction/],
      ['tier', { tier: 'business' }, /PATCH .*\/subscriptions\//],
    ] as const) {
      const organization = await scenario.newOrganization();
      const subscription = await organization.subscribe();
      deleteDuring(organization, request);
      expectRefusal(await organization.post(path, body), 404, 'not_found');
      expect(scenario.provider.subscription(subscription).status).toBe('canceled');
    }
  });

  it('asks for nothing after it waited for another request', async () => {
    const organization = await scenario.newOrganization();
    await topUp(organization, 700);
    const count = scenario.provider.transactions().length;
    deleteDuring(organization, /POST .*\/transactions/);
    const answers = await Promise.all([
      organization.post('billing/topup', { amount_cents: 800 }),
      organization.post('billing/topup', { amount_cents: 900 }),
    ]);
    for (const answer of answers) expectRefusal(answer, 404, 'not_found');
    expect(scenario.provider.transactions()).toHaveLength(count + 1);
  });
});
