// States of billing accounts.
import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { assignTier, lockOrganization, unlockOrganization } from '../../../src/billing/operator.ts';
import { systemContext } from '../../../src/core/transact.ts';
import { billingAccounts } from '../../../src/data/tables/tables.ts';
import { DAY } from '../../../src/lib/clock.ts';
import { startFixture } from '../../../src/testing/fixture.ts';
import type { BillingScenario, Organization } from '../../billing/scenario.ts';
import { api, auditMark, auditRows } from '../../support/harness.ts';
import type { Shows } from './move.ts';

export const TRIAL_DAYS = 14;
export const STARTER_CREDIT = 500;

/** What happens from now on, as audit events of the organization and its credit. */
function watch({ fixture }: BillingScenario, organization: Organization): () => string[] {
  const after = auditMark(fixture);
  return () =>
    auditRows(fixture, { after })
      .filter((row) => row.organizationId === organization.id)
      .map(({ event }) => event);
}

const takeEvents = ({ provider, deliver }: BillingScenario) => deliver(...provider.takeEvents());
const contextOf = ({ fixture }: BillingScenario) => systemContext(fixture.app);

async function endTrial(scenario: BillingScenario, { id }: Organization): Promise<void> {
  const { app, clock } = scenario.fixture;
  const account = app.db.select().from(billingAccounts).where(eq(billingAccounts.organizationId, id)).get();
  clock.set(new Date(account?.trialEndsAt ?? Number.NaN));
  await scenario.fixture.sweep('billing');
}

/** A paying organization, whose newest payment failed if wanted. */
async function payingOrganization(scenario: BillingScenario, { isOwing }: { isOwing: boolean }) {
  const organization = await scenario.newOrganization();
  const subscription = await organization.subscribe();
  scenario.fixture.clock.advance(30 * DAY);
  const owed = isOwing ? scenario.provider.renew(subscription, 'declined') : undefined;
  await takeEvents(scenario);
  return { organization, subscription, owed: owed?.id ?? '' };
}

async function endSubscription(scenario: BillingScenario, subscription: string, how: 'canceled' | 'paused') {
  scenario.fixture.clock.advance(DAY);
  scenario.provider.end(subscription, how);
  await takeEvents(scenario);
}

/** Brings an organization into a state without a card. */
const arrive: Record<string, (scenario: BillingScenario) => Promise<Organization>> = {
  trial: (scenario) => scenario.newOrganization(),
  async grace(scenario) {
    const organization = await scenario.newOrganization();
    await endTrial(scenario, organization);
    return organization;
  },
  async 'awaiting payment'(scenario) {
    const organization = await scenario.newOrganization();
    assignTier(contextOf(scenario), organization.id, 'team', true, 'dana');
    return organization;
  },
  async suspended(scenario) {
    const { organization, subscription } = await payingOrganization(scenario, { isOwing: true });
    await endSubscription(scenario, subscription, 'canceled');
    scenario.fixture.clock.advance(DAY);
    return organization;
  },
};

const lockIn: Record<string, string | null> = {
  trial: null,
  grace: 'grace',
  'awaiting payment': 'awaiting_payment',
  suspended: 'suspended',
};

export const billingShows: Shows<BillingScenario> = {
  'Billing account: none, create an organization': {
    moves: {
      'to a trial of the configured length, and records the credit': async (scenario) => {
        const after = auditMark(scenario.fixture);
        const organization = await scenario.newOrganization();
        expect(organization.state()).toMatchObject({ lifecycle: 'trial', lock: null, balance: STARTER_CREDIT });
        const rows = auditRows(scenario.fixture, { after }).filter(({ event }) => event === 'credited');
        expect(rows.map(({ details }) => details)).toMatchObject([{ operator_name: 'Taxiway' }]);
      },
    },
    stays: {
      'without an account on a server without billing': async () => {
        const free = await startFixture();
        try {
          await api(free).post('/api/v1/organizations', { name: 'Harbor' });
          expect(free.app.db.select().from(billingAccounts).all()).toEqual([]);
        } finally {
          await free.stop();
        }
      },
    },
  },

  'Billing account: trial, the trial ends': {
    moves: {
      'to grace, without the starter credit': async (scenario) => {
        const organization = await scenario.newOrganization();
        const events = watch(scenario, organization);
        await endTrial(scenario, organization);
        expect(organization.state()).toMatchObject({ lifecycle: 'trial', lock: 'grace', balance: 0 });
        expect(events()).toEqual(['org_lifecycle_changed', 'credit_forfeited']);
      },
    },
    stays: {
      'until then': async (scenario) => {
        const organization = await scenario.newOrganization();
        scenario.fixture.clock.advance(TRIAL_DAYS * DAY - 1);
        await scenario.fixture.sweep('billing');
        expect(organization.state()).toMatchObject({ lock: null, balance: STARTER_CREDIT });
      },
      'with a card on file': async (scenario) => {
        const organization = await scenario.newOrganization();
        await organization.subscribe();
        scenario.fixture.clock.advance(TRIAL_DAYS * DAY);
        await scenario.fixture.sweep('billing');
        expect(organization.state()).toMatchObject({ lifecycle: 'active', lock: null, balance: STARTER_CREDIT });
      },
    },
  },

  "Billing account: trial or grace, the operator's set-tier --commit": {
    moves: Object.fromEntries(
      ['trial', 'grace'].map((from) => [
        `from ${from} to awaiting payment`,
        async (scenario: BillingScenario) => {
          const organization = (await arrive[from]?.(scenario)) as Organization;
          const events = watch(scenario, organization);
          assignTier(contextOf(scenario), organization.id, 'team', true, 'dana');
          expect(organization.state()).toMatchObject({ lock: 'awaiting_payment', lifecycle: 'trial' });
          expect(events()).toEqual(['org_lifecycle_changed']);
        },
      ]),
    ),
    stays: {
      'without --commit': async (scenario) => {
        const organization = await scenario.newOrganization();
        assignTier(contextOf(scenario), organization.id, 'business', false, 'dana');
        expect(organization.state()).toMatchObject({ lock: null, tier: 'business' });
      },
      'with a card on file': async (scenario) => {
        const organization = await scenario.newOrganization();
        await organization.subscribe();
        assignTier(contextOf(scenario), organization.id, 'business', true, 'dana');
        expect(organization.state()).toMatchObject({ lock: null, tier: 'business' });
      },
    },
  },

  'Billing account: trial, grace, awaiting payment or suspended, pay for a plan': {
    moves: Object.fromEntries(
      Object.entries(arrive).map(([from, reach]) => [
        `from ${from} to active`,
        async (scenario: BillingScenario) => {
          const organization = await reach(scenario);
          expect(organization.state()).toMatchObject({ lock: lockIn[from] });
          const events = watch(scenario, organization);
          await organization.subscribe();
          expect(organization.state()).toMatchObject({
            lifecycle: 'active',
            lock: null,
            card_on_file: true,
            payment_state: 'ok',
          });
          expect(events()).toEqual(
            expect.arrayContaining(['org_card_on_file', 'org_subscription_created', 'org_lifecycle_changed']),
          );
        },
      ]),
    ),
    stays: {
      'when the payment is declined': async (scenario) => {
        const organization = (await arrive.grace?.(scenario)) as Organization;
        scenario.provider.pay(await organization.open('billing/card-capture'), 'declined');
        await takeEvents(scenario);
        expect(organization.state()).toMatchObject({ lock: 'grace', card_on_file: false });
      },
      'until the provider reports the payment': async (scenario) => {
        const organization = (await arrive.grace?.(scenario)) as Organization;
        scenario.provider.pay(await organization.open('billing/card-capture'));
        expect(organization.state()).toMatchObject({ lock: 'grace', card_on_file: false });
        scenario.provider.takeEvents();
      },
    },
  },

  'Billing account: active, a payment fails': {
    moves: {
      'to the same with the state of its payment, and without a lock': async (scenario) => {
        const { organization, subscription } = await payingOrganization(scenario, { isOwing: false });
        const events = watch(scenario, organization);
        scenario.provider.renew(subscription, 'declined');
        await takeEvents(scenario);
        expect(organization.state()).toMatchObject({ lifecycle: 'active', lock: null, payment_state: 'retrying' });
        expect(events()).toEqual(['org_payment_state_changed']);
      },
    },
    stays: {
      'when a change of the card is declined': async (scenario) => {
        const { organization } = await payingOrganization(scenario, { isOwing: false });
        scenario.provider.pay(await organization.open('billing/card-capture'), 'declined');
        await takeEvents(scenario);
        expect(organization.state()).toMatchObject({ lock: null, payment_state: 'ok' });
      },
    },
  },

  'Billing account: active, while the provider tries again, a payment succeeds': {
    moves: {
      'to active': async (scenario) => {
        const { organization, owed } = await payingOrganization(scenario, { isOwing: true });
        const events = watch(scenario, organization);
        scenario.fixture.clock.advance(DAY);
        scenario.provider.pay(owed);
        await takeEvents(scenario);
        expect(organization.state()).toMatchObject({ lifecycle: 'active', lock: null, payment_state: 'ok' });
        expect(events()).toEqual(['org_payment_state_changed']);
      },
    },
    stays: {
      'when only a top-up is paid': async (scenario) => {
        const { organization } = await payingOrganization(scenario, { isOwing: true });
        scenario.fixture.clock.advance(DAY);
        scenario.provider.pay(await organization.open('billing/topup', { amount_cents: 2_000 }));
        await takeEvents(scenario);
        expect(organization.state()).toMatchObject({ payment_state: 'retrying', balance: STARTER_CREDIT + 2_000 });
      },
    },
  },

  'Billing account: active, while the provider tries again, the subscription ends': {
    moves: Object.fromEntries(
      (['canceled', 'paused'] as const).map((how) => [
        `to suspended when it is ${how}`,
        async (scenario: BillingScenario) => {
          const { organization, subscription } = await payingOrganization(scenario, { isOwing: true });
          const events = watch(scenario, organization);
          await endSubscription(scenario, subscription, how);
          expect(organization.state()).toMatchObject({
            lifecycle: 'ended',
            lock: 'suspended',
            card_on_file: false,
            payment_state: 'failed',
          });
          expect(events()).toEqual(expect.arrayContaining(['org_lifecycle_changed', 'org_payment_state_changed']));
        },
      ]),
    ),
    stays: {
      'for the organization of another subscription': async (scenario) => {
        const { organization } = await payingOrganization(scenario, { isOwing: true });
        const other = await payingOrganization(scenario, { isOwing: true });
        await endSubscription(scenario, other.subscription, 'canceled');
        expect(organization.state()).toMatchObject({ lock: null, payment_state: 'retrying' });
      },
    },
  },

  'Billing account: active, the subscription ends': {
    moves: Object.fromEntries(
      (['canceled', 'paused'] as const).map((how) => [
        `to awaiting payment when it is ${how}`,
        async (scenario: BillingScenario) => {
          const { organization, subscription } = await payingOrganization(scenario, { isOwing: false });
          const events = watch(scenario, organization);
          await endSubscription(scenario, subscription, how);
          expect(organization.state()).toMatchObject({
            lifecycle: 'ended',
            lock: 'awaiting_payment',
            card_on_file: false,
            payment_state: 'none',
          });
          expect(events()).toEqual(expect.arrayContaining(['org_lifecycle_changed']));
        },
      ]),
    ),
    stays: {
      'when it is renewed': async (scenario) => {
        const { organization, subscription } = await payingOrganization(scenario, { isOwing: false });
        scenario.provider.renew(subscription);
        await takeEvents(scenario);
        expect(organization.state()).toMatchObject({ lifecycle: 'active', lock: null, card_on_file: true });
      },
    },
  },

  'Billing account: any, the operator locks it': {
    moves: Object.fromEntries(
      (['suspended', 'awaiting_payment', 'grace'] as const).map((reason) => [
        `for the reason ${reason}`,
        async (scenario: BillingScenario) => {
          const { organization } = await payingOrganization(scenario, { isOwing: false });
          const events = watch(scenario, organization);
          lockOrganization(contextOf(scenario), organization.id, reason, 'dana');
          expect(organization.state()).toMatchObject({ lifecycle: 'active', lock: reason });
          expect(events()).toEqual(['org_lifecycle_changed']);
        },
      ]),
    ),
    stays: {
      'when it is locked for this reason already': async (scenario) => {
        const organization = await scenario.newOrganization();
        lockOrganization(contextOf(scenario), organization.id, 'grace', 'dana');
        const events = watch(scenario, organization);
        lockOrganization(contextOf(scenario), organization.id, 'grace', 'dana');
        expect(organization.state()).toMatchObject({ lock: 'grace' });
        expect(events()).toEqual([]);
      },
    },
  },

  'Billing account: any, the operator unlocks it': {
    moves: Object.fromEntries(
      ['grace', 'awaiting payment', 'suspended'].map((from) => [
        `from ${from}`,
        async (scenario: BillingScenario) => {
          const organization = (await arrive[from]?.(scenario)) as Organization;
          const events = watch(scenario, organization);
          unlockOrganization(contextOf(scenario), organization.id, 3, 'dana');
          expect(organization.state()).toMatchObject({ lock: null });
          expect(events()).toContain('org_lifecycle_changed');
        },
      ]),
    ),
    stays: {
      'when it has no lock': async (scenario) => {
        const organization = await scenario.newOrganization();
        const events = watch(scenario, organization);
        unlockOrganization(contextOf(scenario), organization.id, undefined, 'dana');
        expect(organization.state()).toMatchObject({ lifecycle: 'trial', lock: null, balance: STARTER_CREDIT });
        expect(events()).toEqual([]);
      },
    },
  },
};
