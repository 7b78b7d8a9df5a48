// What the tests of the payment provider share: a server with billing, the provider's double, and looks at an account.
import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { hasCardOnFile, paymentStateOf } from '../../src/billing/accounts.ts';
import { readProviderEvent } from '../../src/billing/provider-event-schema.ts';
import { receiveProviderEvent } from '../../src/billing/provider-events.ts';
import type { PartialConfig } from '../../src/config.ts';
import { systemContext } from '../../src/core/transact.ts';
import { billingAccounts, creditEntries, organizations, providerCheckouts } from '../../src/data/tables/tables.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type Answer, api, type Client, type Json, signIn } from '../support/harness.ts';
import { type PaddleDouble, type ProviderEvent, startPaddle } from '../support/paddle.ts';

interface CheckoutAnswer {
  transaction_id: string;
  checkout_url: string | null;
}

export interface BillingScenario {
  fixture: Fixture;
  provider: PaddleDouble;
  current(): Promise<Client>;
  /** Creates an organization of the administrator. Its plan is Team. */
  newOrganization(): Promise<Organization>;
  /** Delivers events, and asserts that each is accepted. */
  deliver(...events: ProviderEvent[]): Promise<void>;
  /** Applies events without their way through HTTP, for tests with hundreds of them. */
  applyEvents(...events: ProviderEvent[]): void;
  stop(): Promise<void>;
}

export interface Organization {
  id: string;
  /** Paths below the organization. */
  post<Body = CheckoutAnswer>(path: string, body?: unknown): Promise<Answer<Body>>;
  /** Opens a checkout and returns its transaction. */
  open(path: 'billing/card-capture' | 'billing/topup', body?: unknown): Promise<string>;
  /** Pays for a plan. Its events are delivered. Returns the subscription. */
  subscribe(tier?: string): Promise<string>;
  /** What matters about the account. */
  state(): Json;
  /** The entries of its ledger. */
  entries(): Json[];
}

export async function startBilling(
  billing: PartialConfig['billing'] = {},
  { database = {} }: Pick<PartialConfig, 'database'> = {},
): Promise<BillingScenario> {
  let fixture: Fixture | undefined;
  const provider = await startPaddle(() => fixture?.clock.now() ?? new Date());
  const { paddle = {}, ...rest } = billing;
  const started = await startFixture({
    config: {
      plans: { default_tier: 'team' },
      limits: { organizations_per_developer: 10_000 },
      database,
      billing: {
        enabled: true,
        provider: 'paddle',
        ...rest,
        paddle: { ...provider.settings, environment: 'sandbox', ...paddle },
      },
    },
  });
  fixture = started;
  const { app } = started;
  let client = api(started);
  let signedInAt = started.clock.now().getTime();

  /** The administrator, signed in again after a test moved the clock. */
  async function current(): Promise<Client> {
    const now = started.clock.now().getTime();
    if (Math.abs(now - signedInAt) > MINUTE) {
      client = (await signIn(started)).client;
      signedInAt = now;
    }
    return client;
  }

  async function deliver(...events: ProviderEvent[]): Promise<void> {
    for (const event of events) {
      const response = await provider.deliver(started.url, event);
      expect([response.status, await response.text()], event.event_type).toEqual([200, '{}']);
    }
  }

  async function newOrganization(): Promise<Organization> {
    const { text: id } = await (await current()).post('/api/v1/organizations', { name: 'Harbor' });
    provider.takeEvents();
    const base = `/api/v1/organizations/${id}`;
    const account = () => app.db.select().from(billingAccounts).where(eq(billingAccounts.organizationId, id)).get();
    const organization: Organization = {
      id,
      post: async (path, body = {}) => (await current()).post(`${base}/${path}`, body),
      async open(path, body) {
        const answer = await organization.post(path, body);
        expect(answer.status, answer.text).toBe(200);
        return answer.body.transaction_id;
      },
      async subscribe(tier) {
        const transaction = await organization.open('billing/card-capture', tier === undefined ? {} : { tier });
        const { subscription_id } = provider.pay(transaction);
        await deliver(...provider.takeEvents());
        return String(subscription_id);
      },
      state() {
        const row = account();
        const owner = app.db.select().from(organizations).where(eq(organizations.id, id)).get();
        if (row === undefined) return {};
        return {
          tier: owner?.tier,
          lock: owner?.lockReason,
          lifecycle: row.lifecycle,
          card_on_file: hasCardOnFile(row),
          payment_state: paymentStateOf(row),
          subscription_id: row.subscriptionId,
          status: row.subscriptionStatus,
          balance: row.balanceCents,
        };
      },
      entries: () =>
        app.db
          .select()
          .from(creditEntries)
          .where(eq(creditEntries.organizationId, id))
          .all()
          .map(({ kind, amountCents, source, operatorName, feeCents, providerId }) => ({
            kind,
            amount: amountCents,
            source,
            ...(operatorName === null ? {} : { operator: operatorName }),
            ...(feeCents === null ? {} : { fee: feeCents }),
            id: providerId,
          }))
          .sort((a, b) => String(a.id).localeCompare(String(b.id))),
    };
    return organization;
  }

  return {
    fixture: started,
    provider,
    current,
    newOrganization,
    deliver,
    applyEvents(...events) {
      for (const event of events) {
        receiveProviderEvent(systemContext(app), readProviderEvent(Buffer.from(JSON.stringify(event))));
      }
    },
    async stop() {
      await started.stop();
      await provider.stop();
    },
  };
}

/** The rows of an organization's checkouts, oldest first. */
export function checkoutRows({ app }: Fixture, organizationId: string) {
  return app.db
    .select()
    .from(providerCheckouts)
    .where(eq(providerCheckouts.organizationId, organizationId))
    .orderBy(providerCheckouts.id)
    .all();
}

/** All orders of a list. */
export function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, index) =>
    permutations([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [item, ...rest]),
  );
}

let eventCount = 0;
/** Returns an event that the double doesn't create by itself. It happens now. */
export function eventOf({ fixture }: Pick<BillingScenario, 'fixture'>, type: string, data: Json): ProviderEvent {
  eventCount += 1;
  const occurred_at = fixture.clock.now().toISOString();
  return { event_id: `evt_own${eventCount}`, event_type: type, occurred_at, data };
}
