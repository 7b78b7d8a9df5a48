// The webhook of the payment provider: which requests it accepts, before what they report is applied.
import Sqlite from 'better-sqlite3';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { providerEvents } from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { api, expectInvalid, expectRefusal } from '../support/harness.ts';
import type { ProviderEvent } from '../support/paddle.ts';
import { type BillingScenario, eventOf, startBilling } from './scenario.ts';

let scenario: BillingScenario;
beforeAll(async () => {
  scenario = await startBilling();
});
afterAll(() => scenario.stop());

async function send(raw: string, options: { header?: string; type?: string } = {}) {
  return api(scenario.fixture, null).send('POST', '/billing/v1/paddle', {
    rawBody: raw,
    headers: {
      'content-type': options.type ?? 'application/json',
      ...(options.header === '' ? {} : { 'paddle-signature': options.header ?? scenario.provider.sign(raw) }),
    },
  });
}

describe('the webhook of the provider', () => {
  const event = () => eventOf(scenario, 'customer.created', { id: 'ctm_1' });
  const rowOf = ({ event_id }: ProviderEvent) =>
    scenario.fixture.app.db.select().from(providerEvents).where(eq(providerEvents.eventId, event_id)).get();

  it('accepts a signed event and stores it once', async () => {
    const one = event();
    await scenario.deliver(one, one);
    expect(rowOf(one)).toMatchObject({ type: 'customer.created', organizationId: null, outcome: 'ignored' });
  });

  it('accepts an event with several signatures while the secret is replaced', async () => {
    const one = event();
    const raw = JSON.stringify(one);
    const secrets = ['former', scenario.provider.settings.webhook_secret];
    expect((await send(raw, { header: scenario.provider.sign(raw, { secrets }) })).status).toBe(200);
    expect(rowOf(one)).toBeDefined();
  });

  it.each([
    ['without a signature', () => ''],
    ['signed with another secret', (raw: string) => scenario.provider.sign(raw, { secrets: ['other'] })],
    [
      'that is too old',
      (raw: string) =>
        scenario.provider.sign(raw, { at: Math.floor(scenario.fixture.clock.now().getTime() / 1000) - 301 }),
    ],
    ['whose body was changed', (raw: string) => scenario.provider.sign(`${raw} `)],
  ])('rejects an event %s', async (_, sign) => {
    const one = event();
    const raw = JSON.stringify(one);
    expectRefusal(await send(raw, { header: sign(raw) }), 401, 'unauthorized');
    expect(rowOf(one)).toBeUndefined();
  });

  it('accepts signatures within the configured tolerance', async () => {
    const strict = await startBilling({ paddle: { webhook_tolerance_seconds: 10 } });
    try {
      const now = Math.floor(strict.fixture.clock.now().getTime() / 1000);
      const statuses = [];
      for (const age of [-12, -9, 9, 12]) {
        const raw = JSON.stringify(event());
        const headers = {
          'content-type': 'application/json',
          'paddle-signature': strict.provider.sign(raw, { at: now - age }),
        };
        const answer = await api(strict.fixture, null).send('POST', '/billing/v1/paddle', { rawBody: raw, headers });
        statuses.push([age, answer.status]);
      }
      expect(statuses).toEqual([
        [-12, 401],
        [-9, 200],
        [9, 200],
        [12, 401],
      ]);
    } finally {
      await strict.stop();
    }
  });

  it('asks the provider to send an event again while the database is busy', async () => {
    const busy = await startBilling({}, { database: { busy_timeout_ms: 10 } });
    const { db } = busy.fixture.app;
    const other = new Sqlite(db.$client.name);
    try {
      const raw = JSON.stringify(eventOf(busy, 'customer.created', { id: 'ctm_1' }));
      const headers = { 'content-type': 'application/json', 'paddle-signature': busy.provider.sign(raw) };
      const deliver = () => api(busy.fixture, null).send('POST', '/billing/v1/paddle', { rawBody: raw, headers });
      other.exec('BEGIN IMMEDIATE');
      const answer = await deliver();
      expectRefusal(answer, 503, 'storage_backend_unavailable');
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(db.select().from(providerEvents).all()).toEqual([]);
      other.exec('ROLLBACK');
      expect((await deliver()).status).toBe(200);
      expect(db.select().from(providerEvents).all()).toHaveLength(1);
    } finally {
      other.close();
      await busy.stop();
    }
  });

  it('reads the time from the clock of the server', async () => {
    const one = event();
    const raw = JSON.stringify(one);
    const header = scenario.provider.sign(raw);
    scenario.fixture.clock.jump(301_000);
    expectRefusal(await send(raw, { header }), 401, 'unauthorized');
    scenario.fixture.clock.jump(-301_000);
    expect((await send(raw, { header })).status).toBe(200);
  });

  it('rejects a body that is too large or of another type', async () => {
    const raw = JSON.stringify({ ...event(), padding: 'x'.repeat(2 ** 20) });
    expectRefusal(await send(raw), 401, 'unauthorized');
    expectRefusal(await send(JSON.stringify(event()), { type: 'text/plain' }), 401, 'unauthorized');
  });

  it('rejects what is signed but broken', async () => {
    expectInvalid(await send('{'), 'body: json_invalid');
    expectInvalid(
      await send('{}'),
      ...['event_id', 'event_type', 'occurred_at', 'data'].map((f) => `body.${f}: missing`),
    );
    const late = { ...event(), occurred_at: 'soon' };
    expect((await send(JSON.stringify(late))).status).toBe(400);
    const empty = eventOf(scenario, 'transaction.completed', {});
    expectInvalid(await send(JSON.stringify(empty)), 'body.data.id: missing', 'body.data.origin: missing');
    expect(rowOf(empty)).toBeUndefined();
  });

  it('accepts 100 concurrent events', async () => {
    const many = Array.from({ length: 100 }, event);
    const sent = await Promise.all(many.map((one) => send(JSON.stringify(one))));
    expect(sent.map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect(many.map((one) => rowOf(one)?.outcome)).toEqual(Array(100).fill('ignored'));
  });

  it('forgets an event after 400 days', async () => {
    const other = await startBilling();
    try {
      const one = eventOf(other, 'customer.created', { id: 'ctm_1' });
      await other.deliver(one);
      const count = async () => {
        await other.fixture.sweep('billing');
        return other.fixture.app.db.select().from(providerEvents).all().length;
      };
      other.fixture.clock.advance(400 * DAY);
      expect(await count()).toBe(1);
      other.fixture.clock.advance(1);
      expect(await count()).toBe(0);
    } finally {
      await other.stop();
    }
  });

  it('takes no notice of unknown fields and types', async () => {
    await scenario.deliver(eventOf(scenario, 'constructor', { id: null }), eventOf(scenario, 'address.created', {}));
  });
});

describe('the webhook without the provider', () => {
  it.each([
    ['billing is off', { enabled: false }],
    ['the operator moves the money', { provider: 'none' as const }],
  ])('is not there when %s', async (_, config) => {
    const other = await startBilling(config);
    try {
      const response = await other.provider.deliver(other.fixture.url, eventOf(scenario, 'customer.created', {}));
      expect(response.status).toBe(404);
    } finally {
      await other.stop();
    }
  });
});
