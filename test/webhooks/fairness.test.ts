// Many endpoints, some unresponsive: they don't delay each other, and the concurrency is limited.
import { describe, expect, it, type TestContext } from 'vitest';
import { startFixture } from '../../src/testing/fixture.ts';
import { createDeliveryScheduler, MAX_REMEMBERED } from '../../src/webhooks/scheduler.ts';
import { withoutDeadlines } from '../support/deadlines.ts';
import { hang, slowly, startReceiver } from './receiver.ts';
import { startWebhookScenario } from './scenario.ts';

/** What hangs so long has not ended when a test that waited for it has given up. */
const LONGER_THAN_A_TEST_MS = 120_000;

/** Takes turns until nobody may begin; answers who did. */
function takeAll(turns: ReturnType<typeof createDeliveryScheduler>, owner = 'us'): string[] {
  const taken: string[] = [];
  for (let id = turns.take(); id !== undefined; id = turns.take()) {
    taken.push(id);
    turns.begin(id, owner);
    turns.add(id, owner);
  }
  return taken;
}

describe('slots', () => {
  it('go to each in turn, with at most an eighth for one', () => {
    const turns = createDeliveryScheduler(16);
    for (const id of ['a', 'b', 'c']) turns.add(id, 'us');
    expect(takeAll(turns)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });
  it('are limited in number', () => {
    const turns = createDeliveryScheduler(3);
    for (const id of ['a', 'b', 'c', 'd']) turns.add(id, 'us');
    expect(takeAll(turns)).toEqual(['a', 'b', 'c']);
    turns.end('b', true);
    expect(takeAll(turns)).toEqual(['d']);
    turns.end('c', true);
    // Both stood in the line before.
    turns.end('a', true);
    expect(takeAll(turns)).toEqual(['a', 'b']);
  });
  it('are one each and half of all together for endpoints that failed last', () => {
    const turns = createDeliveryScheduler(16);
    const bad = Array.from({ length: 12 }, (_, index) => `bad ${index}`);
    for (const id of bad) {
      turns.begin(id, 'us');
      turns.end(id, false);
    }
    expect(takeAll(turns)).toEqual(bad.slice(0, 8));
    turns.add('good', 'us');
    expect(takeAll(turns)).toEqual(['good', 'good']);
    turns.end('bad 0', true);
    // It stands with the others again, and another one gets its place among those who fail.
    expect(takeAll(turns)).toEqual(['bad 0', 'bad 0', 'bad 8']);
  });
  it('work with a single slot', () => {
    const turns = createDeliveryScheduler(1);
    turns.add('bad', 'us');
    expect(takeAll(turns)).toEqual(['bad']);
    turns.add('good', 'us');
    turns.end('bad', false);
    expect(takeAll(turns)).toEqual(['good']);
    turns.end('good', true);
    expect(takeAll(turns)).toEqual(['good']);
  });
});

describe('slots of several organizations', () => {
  it('go to the one that has the fewest, and none has all slots', () => {
    const turns = createDeliveryScheduler(16);
    for (let index = 0; index < 40; index += 1) turns.add(`many ${index}`, 'many');
    expect(takeAll(turns, 'many')).toHaveLength(12);
    turns.add('one', 'one');
    turns.add('two', 'two');
    expect([turns.take(), turns.take()]).toEqual(['one', 'two']);
  });
  it('are distributed evenly as they are released', () => {
    const turns = createDeliveryScheduler(8);
    const ownerOf = (id: string) => id.slice(0, 1);
    for (const id of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'b4', 'c1']) turns.add(id, ownerOf(id));
    const taken: string[] = [];
    for (let id = turns.take(); id !== undefined; id = turns.take()) {
      taken.push(id);
      turns.begin(id, ownerOf(id));
    }
    // The eighth place is for endpoints that answered.
    expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'b3']);
  });
  it('are distributed evenly also for endpoints that failed last', () => {
    const turns = createDeliveryScheduler(8);
    for (const id of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1']) {
      turns.begin(id, id.slice(0, 1));
      turns.end(id, false);
    }
    const taken: string[] = [];
    for (let id = turns.take(); id !== undefined; id = turns.take()) {
      taken.push(id);
      turns.begin(id, id.slice(0, 1));
    }
    expect(taken).toEqual(['a1', 'b1', 'a2', 'a3']);
  });
});

describe('slots for endpoints that succeeded last', () => {
  /** Ends one delivery of each, well. */
  function answer(turns: ReturnType<typeof createDeliveryScheduler>, ids: readonly string[], owner = 'us'): void {
    for (const id of ids) {
      turns.begin(id, owner);
      turns.end(id, true);
    }
  }

  it('cannot be used by other endpoints of their organization', () => {
    const turns = createDeliveryScheduler(16);
    for (let index = 0; index < 40; index += 1) turns.add(`hanging ${index}`, 'us');
    expect(takeAll(turns)).toHaveLength(12);
    answer(turns, ['live']);
    expect(takeAll(turns)).toEqual(['live', 'live']);
  });

  it('cannot be used by endpoints of other organizations', () => {
    const turns = createDeliveryScheduler(16);
    for (let index = 0; index < 60; index += 1) turns.add(`hanging ${index}`, `owner ${index % 10}`);
    let taken = 0;
    for (let id = turns.take(); id !== undefined; id = turns.take()) {
      turns.begin(id, `owner ${Number(id.slice(8)) % 10}`);
      taken += 1;
    }
    expect(taken).toBe(14);
    answer(turns, ['live']);
    expect(takeAll(turns)).toEqual(['live', 'live']);
  });

  it('are known after a start', () => {
    const turns = createDeliveryScheduler(16);
    turns.remember('bad', false);
    turns.remember('good', true);
    for (const id of ['bad', 'new', 'good']) turns.add(id, 'us');
    expect(takeAll(turns)).toEqual(['new', 'good', 'new', 'good', 'bad']);
  });

  it('are forgotten when there are very many, the oldest result first', () => {
    const turns = createDeliveryScheduler(16);
    turns.remember('deleted', true);
    turns.remember('used', true);
    for (let index = 2; index < MAX_REMEMBERED / 2; index += 1) turns.remember(`${index}`, true);
    turns.remember('used', true);
    turns.remember('next', true);
    expect(['deleted', 'used', '2', 'next'].map(turns.isKnown)).toEqual([false, true, true, true]);
  });
});

describe('slow deliveries', () => {
  it('release their slots for others, up to a number', () => {
    const turns = createDeliveryScheduler(16);
    for (let index = 0; index < 60; index += 1) turns.add(`hanging ${index}`, 'us');
    const first = takeAll(turns);
    expect(first).toHaveLength(12);
    expect(first.map((id) => turns.slowDown(id))).toEqual(Array(12).fill(true));
    const second = takeAll(turns);
    expect(second).toHaveLength(12);
    expect(new Set([...first, ...second]).size).toBe(24);
    // One organization has 14 of the 16.
    expect(second.map((id) => turns.slowDown(id)).filter(Boolean)).toHaveLength(2);
    expect(takeAll(turns)).toHaveLength(2);
  });

  it('count for their endpoint, and release their slot', () => {
    const turns = createDeliveryScheduler(16);
    turns.add('hanging', 'us');
    expect(takeAll(turns)).toEqual(['hanging', 'hanging']);
    expect([turns.slowDown('hanging'), turns.slowDown('hanging'), turns.slowDown('hanging')]).toEqual([
      true,
      true,
      false,
    ]);
    turns.add('hanging', 'us');
    expect([turns.take(), turns.runningOf('hanging')]).toEqual([undefined, 2]);
    turns.end('hanging', true, true);
    expect(takeAll(turns)).toEqual(['hanging']);
  });

  it('to endpoints that failed last stay within their share', () => {
    const turns = createDeliveryScheduler(16);
    turns.remember('bad', false);
    turns.add('bad', 'us');
    expect(takeAll(turns)).toEqual(['bad']);
    expect(turns.slowDown('bad')).toBe(false);
  });
});

// They wait for real requests, so they run together.
describe.concurrent('sending', () => {
  async function start({ onTestFinished }: TestContext, webhooks: { concurrency: number; timeout_ms: number }) {
    const receiver = await startReceiver();
    onTestFinished(() => receiver[Symbol.asyncDispose]());
    const fixture = await startFixture({ config: { webhooks } });
    onTestFinished(() => fixture.stop());
    return { fixture, receiver, scenario: startWebhookScenario(fixture) };
  }

  it('to a dead endpoint with a long queue does not delay others', async (test) => {
    const { receiver, scenario } = await start(test, { concurrency: 8, timeout_ms: LONGER_THAN_A_TEST_MS });
    receiver.answer('/dead', hang);
    await scenario.subscribe(`${receiver.url}/dead`, { events: ['build.deleted'] });
    await scenario.subscribe(`${receiver.url}/well`, { events: ['build.uploaded'] });
    for (let count = 0; count < 200; count += 1) scenario.happen('build.deleted');
    await receiver.waitFor(1, '/dead');
    for (let count = 0; count < 20; count += 1) scenario.happen('build.uploaded');
    await receiver.waitFor(20, '/well');
    expect(receiver.at('/dead')).toHaveLength(1);
  });

  it('continues for one that works while many failing ones hang', async (test) => {
    const { fixture, receiver, scenario } = await start(test, { concurrency: 8, timeout_ms: 1_000 });
    for (let index = 0; index < 12; index += 1) {
      receiver.answer(`/dead/${index}`, hang);
      await scenario.subscribe(`${receiver.url}/dead/${index}`, { events: ['build.deleted'] });
    }
    await scenario.subscribe(`${receiver.url}/well`, { events: ['build.uploaded'] });
    scenario.happen('build.deleted');
    await fixture.drain();
    // All twelve hang again, for longer than the test waits: four at once.
    const { config } = fixture.app;
    fixture.app.config = { ...config, webhooks: { ...config.webhooks, timeout_ms: LONGER_THAN_A_TEST_MS } };
    fixture.clock.advance(60_000);
    scenario.happen('build.deleted');
    await receiver.waitFor(16);
    scenario.happen('build.uploaded');
    await receiver.waitFor(1, '/well');
    // It did not wait for its turn behind them.
    expect(receiver.received.filter(({ path }) => path.startsWith('/dead/'))).toHaveLength(16);
  });

  it('of one organization is not delayed by slow endpoints of another', async (test) => {
    const { receiver, scenario } = await start(test, { concurrency: 8, timeout_ms: LONGER_THAN_A_TEST_MS });
    for (let index = 0; index < 40; index += 1) {
      receiver.answer(`/slow/${index}`, hang);
      await scenario.subscribe(`${receiver.url}/slow/${index}`);
    }
    const made = await scenario.client.send('POST', '/api/v1/organizations', { body: { name: 'Elsewhere' } });
    const elsewhere = { organization_id: made.text };
    const body = { url: `${receiver.url}/well`, events: ['build.uploaded'] };
    const other = await scenario.client.post<{ identifier: string }>('/api/v1/webhooks', body, elsewhere);
    scenario.happen();
    await receiver.waitFor(6);
    await scenario.client.post(`/api/v1/webhooks/${other.body.identifier}/test`);
    await receiver.waitFor(1, '/well');
  });

  it('to fifty hanging endpoints delays the working one of their organization by a few seconds', {
    timeout: 60_000,
  }, async (test) => {
    const { receiver, scenario } = await start(test, { concurrency: 32, timeout_ms: LONGER_THAN_A_TEST_MS });
    for (let index = 0; index < 50; index += 1) {
      receiver.answer(`/hanging/${index}`, hang);
      await scenario.subscribe(`${receiver.url}/hanging/${index}`);
    }
    await scenario.subscribe(`${receiver.url}/well`);
    scenario.happen();
    // The last in the line, and never tried before. Those that hang aren't given up.
    await receiver.waitFor(1, '/well');
    const hanging = receiver.received.filter(({ path }) => path.startsWith('/hanging/'));
    expect(hanging.length).toBeLessThanOrEqual(50);
    expect(
      (await scenario.client.get<{ webhook_deliveries: unknown }>('/api/v1/system')).body.webhook_deliveries,
    ).toMatchObject({
      retrying: 0,
      dead: 0,
    });
  });

  // It replaces timers of the whole process, so that no request counts as slow on a busy machine: slow ones have slots of their own.
  it('runs at most the configured number of requests', { concurrent: false }, async (test) => {
    const { fixture, receiver, scenario } = await start(test, { concurrency: 5, timeout_ms: 5_000 });
    for (let index = 0; index < 40; index += 1) {
      receiver.answer(`/slow/${index}`, slowly(200));
      await scenario.subscribe(`${receiver.url}/slow/${index}`);
    }
    scenario.happen();
    scenario.happen();
    await withoutDeadlines(() => fixture.drain());
    expect(receiver.received).toHaveLength(80);
    expect(receiver.max()).toBe(5);
  });

  // It replaces timers of the whole process.
  it('stops immediately, and keeps the state of running deliveries', { concurrent: false }, async (test) => {
    // A stop that waited for the delivery would end after the test.
    const { fixture, receiver, scenario } = await start(test, { concurrency: 8, timeout_ms: LONGER_THAN_A_TEST_MS });
    receiver.answer('/dead', hang);
    await scenario.subscribe(`${receiver.url}/dead`);
    scenario.happen();
    await receiver.waitFor(1);
    await withoutDeadlines(() => fixture.stop());
    await expect.poll(() => receiver.connections.size).toBe(0);
  });
});
