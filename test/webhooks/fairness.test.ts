// Many endpoints, some of them dead: nobody waits for another, and no more is sent at once than configured.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing.ts';
import { createTurns } from '../../src/webhooks/turns.ts';
import { hang, type Receiver, slowly, startReceiver } from './receiver.ts';
import { type Scene, setScene } from './scene.ts';

/** Takes turns until nobody may begin; answers who did. */
function takeAll(turns: ReturnType<typeof createTurns>, owner = 'us'): string[] {
  const taken: string[] = [];
  for (let id = turns.take(); id !== undefined; id = turns.take()) {
    taken.push(id);
    turns.begin(id, owner);
    turns.add(id, owner);
  }
  return taken;
}

describe('turns', () => {
  it('go round, and nobody has more than an eighth of the places', () => {
    const turns = createTurns(16);
    for (const id of ['a', 'b', 'c']) turns.add(id, 'us');
    expect(takeAll(turns)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });
  it('are as many as there are places', () => {
    const turns = createTurns(3);
    for (const id of ['a', 'b', 'c', 'd']) turns.add(id, 'us');
    expect(takeAll(turns)).toEqual(['a', 'b', 'c']);
    turns.end('b', true);
    expect(takeAll(turns)).toEqual(['d']);
    turns.end('c', true);
    // Both stood in the line before.
    turns.end('a', true);
    expect(takeAll(turns)).toEqual(['a', 'b']);
  });
  it('of those who failed last are one each and half of the places together', () => {
    const turns = createTurns(16);
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
  it('come even with a single place', () => {
    const turns = createTurns(1);
    turns.add('bad', 'us');
    expect(takeAll(turns)).toEqual(['bad']);
    turns.add('good', 'us');
    turns.end('bad', false);
    expect(takeAll(turns)).toEqual(['good']);
    turns.end('good', true);
    expect(takeAll(turns)).toEqual(['good']);
  });
});

describe('turns of several organizations', () => {
  it('go to the one that has the fewest, and nobody has all of the places', () => {
    const turns = createTurns(16);
    for (let index = 0; index < 40; index += 1) turns.add(`many ${index}`, 'many');
    expect(takeAll(turns, 'many')).toHaveLength(14);
    turns.add('one', 'one');
    turns.add('two', 'two');
    expect([turns.take(), turns.take()]).toEqual(['one', 'two']);
  });
  it('come round evenly as places are given back', () => {
    const turns = createTurns(8);
    const ownerOf = (id: string) => id.slice(0, 1);
    for (const id of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'b4', 'c1']) turns.add(id, ownerOf(id));
    const taken: string[] = [];
    for (let id = turns.take(); id !== undefined; id = turns.take()) {
      taken.push(id);
      turns.begin(id, ownerOf(id));
    }
    expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'b3', 'a4']);
  });
  it('of those who failed last come round evenly, too', () => {
    const turns = createTurns(8);
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

describe('sending', () => {
  let fixture: Fixture;
  let scene: Scene;
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await fixture?.stop();
    await receiver[Symbol.asyncDispose]();
  });
  async function start(webhooks: { concurrency: number; timeout_ms: number }): Promise<void> {
    fixture = await startFixture({ config: { webhooks } });
    scene = setScene(fixture);
  }

  it('to a dead endpoint with a long queue does not delay another', async () => {
    await start({ concurrency: 8, timeout_ms: 3_000 });
    receiver.answer('/dead', hang);
    await scene.subscribe(`${receiver.url}/dead`, { events: ['build.deleted'] });
    await scene.subscribe(`${receiver.url}/well`, { events: ['build.uploaded'] });
    for (let count = 0; count < 200; count += 1) scene.happen('build.deleted');
    await receiver.waitFor(1, '/dead');
    const startedAt = performance.now();
    for (let count = 0; count < 20; count += 1) scene.happen('build.uploaded');
    await receiver.waitFor(20, '/well');
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(receiver.at('/dead')).toHaveLength(1);
  });

  it('goes on for one that works while many that failed before hang', async () => {
    await start({ concurrency: 8, timeout_ms: 1_000 });
    for (let index = 0; index < 12; index += 1) {
      receiver.answer(`/dead/${index}`, hang);
      await scene.subscribe(`${receiver.url}/dead/${index}`, { events: ['build.deleted'] });
    }
    await scene.subscribe(`${receiver.url}/well`, { events: ['build.uploaded'] });
    scene.happen('build.deleted');
    await fixture.drain();
    // All twelve hang again, for a second each: four at once.
    fixture.clock.advance(60_000);
    scene.happen('build.deleted');
    await sleep(200);
    expect(receiver.connections.size).toBe(4);
    const startedAt = performance.now();
    scene.happen('build.uploaded');
    await receiver.waitFor(1, '/well');
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  it('of one organization is not delayed by slow endpoints of another', async () => {
    await start({ concurrency: 8, timeout_ms: 3_000 });
    for (let index = 0; index < 40; index += 1) {
      receiver.answer(`/slow/${index}`, slowly(2_500));
      await scene.subscribe(`${receiver.url}/slow/${index}`);
    }
    const made = await scene.client.send('POST', '/api/v1/organizations', { body: { name: 'Elsewhere' } });
    const elsewhere = { organization_id: made.text };
    const body = { url: `${receiver.url}/well`, events: ['build.uploaded'] };
    const other = await scene.client.post<{ identifier: string }>('/api/v1/webhooks', body, elsewhere);
    scene.happen();
    await receiver.waitFor(7);
    const startedAt = performance.now();
    await scene.client.post(`/api/v1/webhooks/${other.body.identifier}/test`);
    await receiver.waitFor(1, '/well');
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('has at most as many requests under way as configured', async () => {
    await start({ concurrency: 5, timeout_ms: 5_000 });
    for (let index = 0; index < 40; index += 1) {
      receiver.answer(`/slow/${index}`, slowly(50));
      await scene.subscribe(`${receiver.url}/slow/${index}`);
    }
    scene.happen();
    scene.happen();
    await fixture.drain();
    expect(receiver.received).toHaveLength(80);
    expect(receiver.most()).toBe(5);
  });

  it('breaks off at a stop at once, and leaves what was under way as it was', async () => {
    await start({ concurrency: 8, timeout_ms: 20_000 });
    receiver.answer('/dead', hang);
    await scene.subscribe(`${receiver.url}/dead`);
    scene.happen();
    await receiver.waitFor(1);
    const startedAt = performance.now();
    await fixture.stop();
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    await sleep(50);
    expect(receiver.connections.size).toBe(0);
  });
});
