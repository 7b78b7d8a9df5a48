// The end of a trial: it holds from its millisecond, whatever records it.

import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { starterCreditId } from '../../src/billing/ledger.ts';
import {
  creditOrganization,
  lockOrganization,
  refundOrganization,
  unlockOrganization,
} from '../../src/billing/operator.ts';
import { systemContext } from '../../src/core/transact.ts';
import { embeddedMigrations } from '../../src/data/migrate.ts';
import { creditEntries } from '../../src/data/tables/tables.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import { auditMark, auditRows, type Json } from '../support/harness.ts';
import { type BillingScenario, type Organization, startBilling } from './scenario.ts';

let scenario: BillingScenario;
beforeAll(async () => {
  scenario = await startBilling({ trial_days: 14, starter_credit_cents: 500 });
});
afterAll(() => scenario.stop());

const ctx = () => systemContext(scenario.fixture.app);

async function billingOf({ id }: Organization): Promise<Json> {
  return (await (await scenario.current()).get<Json>(`/api/v1/organizations/${id}/billing`)).body;
}

it('is when the lock began, before and after the cleanup job', async () => {
  const organization = await scenario.newOrganization();
  const { trial_ends_at: endsAt } = await billingOf(organization);
  scenario.fixture.clock.advance(14 * DAY + 30 * MINUTE);
  expect(await billingOf(organization)).toMatchObject({ lock_reason: 'grace', locked_at: endsAt });
  await scenario.fixture.sweep('billing');
  expect(await billingOf(organization)).toMatchObject({ lock_reason: 'grace', locked_at: endsAt });
});

it.each([
  ['a plan is paid', (of: Organization) => of.subscribe(), null],
  ['the operator unlocks', async ({ id }: Organization) => unlockOrganization(ctx(), id, 7, 'dana'), null],
  ['the operator locks', async ({ id }: Organization) => lockOrganization(ctx(), id, 'suspended', 'dana'), 'suspended'],
])('is recorded when %s before the cleanup job ran', async (_, act, lock) => {
  const { clock } = scenario.fixture;
  const organization = await scenario.newOrganization();
  clock.advance(14 * DAY + HOUR / 2);
  const after = auditMark(scenario.fixture);
  await act(organization);
  await scenario.fixture.sweep('billing');
  const facts = auditRows(scenario.fixture, { after })
    .filter(({ details, event }) => event === 'credit_forfeited' || details.lock_reason === 'grace')
    .map(({ event }) => event);
  expect(facts.filter((event) => event === 'credit_forfeited')).toHaveLength(1);
  expect(facts).toContain('org_lifecycle_changed');
  expect(organization.state()).toMatchObject({ lock, balance: 0 });
});

it.each([
  ['a millisecond before the end', -1, 500, []],
  ['at the end', 0, 0, ['org_lifecycle_changed', 'credit_forfeited']],
])('when a plan is paid %s and that is reported later', async (_, offset, balance, forfeited) => {
  const { clock } = scenario.fixture;
  const organization = await scenario.newOrganization();
  const transaction = await organization.open('billing/card-capture', {});
  const endsAt = clock.now().getTime() + 14 * DAY;
  const after = auditMark(scenario.fixture);
  clock.set(new Date(endsAt + offset));
  const { provider } = scenario;
  const occurred_at = clock.now().toISOString();
  provider.pay(transaction);
  const events = provider.takeEvents().map((event) => ({ ...event, occurred_at }));
  clock.set(new Date(endsAt + MINUTE));
  await scenario.deliver(...events);
  expect(organization.state()).toMatchObject({ lock: null, lifecycle: 'active', card_on_file: true, balance });
  const changes = auditRows(scenario.fixture, { after })
    .filter(({ event, details }) => event === 'credit_forfeited' || details.lock_reason === 'grace')
    .map(({ event }) => event);
  expect(changes).toEqual(forfeited);
});

it('leaves the credit of the operator, with the same note too', async () => {
  const organization = await scenario.newOrganization();
  const note = 'Starter credit';
  creditOrganization(ctx(), organization.id, { cents: 5_000, note, operatorName: 'dana' });
  const refund = { cents: 200, note, operatorName: 'dana', feeCents: null, transactionId: undefined };
  await refundOrganization(ctx(), organization.id, refund);
  scenario.fixture.clock.advance(14 * DAY + HOUR);
  await scenario.fixture.sweep('billing');
  expect(organization.state()).toMatchObject({ lock: 'grace', balance: 4_800 });
  expect(organization.entries().filter(({ kind }) => kind === 'forfeit')).toMatchObject([{ amount: 500 }]);
});

it('forfeits the starter credit of a database that recognized it by its note', async () => {
  const { app } = scenario.fixture;
  const organization = await scenario.newOrganization();
  const entries = eq(creditEntries.organizationId, organization.id);
  app.db.update(creditEntries).set({ providerId: null }).where(entries).run();
  const note = 'Starter credit';
  for (const operatorName of ['dana', 'Taxiway']) {
    creditOrganization(ctx(), organization.id, { cents: 5_000, note, operatorName });
  }
  const before = app.db.select().from(creditEntries).where(entries).orderBy(creditEntries.id).all();
  const migration = embeddedMigrations().find(({ name }) => name === '0042_starter_credit');
  for (const statement of migration?.statements ?? []) app.db.$client.exec(statement);
  const after = app.db.select().from(creditEntries).where(entries).orderBy(creditEntries.id).all();
  const [starter, ...others] = before;
  expect(after).toEqual([{ ...starter, providerId: starterCreditId(organization.id) }, ...others]);
  scenario.fixture.clock.advance(14 * DAY + HOUR);
  await scenario.fixture.sweep('billing');
  expect(organization.state()).toMatchObject({ lock: 'grace', balance: 10_000 });
});
