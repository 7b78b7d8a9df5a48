// Webhooks after a clock that was ahead is corrected.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openApp, startJobs } from '../../src/app.ts';
import { configFrom } from '../../src/config.ts';
import { systemContext } from '../../src/core/transact.ts';
import { organizations, webhookDeliveries, webhookSubscriptions } from '../../src/data/tables/tables.ts';
import { createMovableClock, DAY, HOUR } from '../../src/lib/clock.ts';
import { startFixture } from '../../src/testing/fixture.ts';
import { insertDelivery } from '../../src/webhooks/delivery-store.ts';
import { deliveryRunnerOf } from '../../src/webhooks/runner.ts';
import { sealSubscription } from '../../src/webhooks/service.ts';
import { countRowsInOneTurn, countWritesInOneTurn } from '../support/turns.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { startWebhookScenario } from './scenario.ts';

let receiver: Receiver;
let folder: string;
beforeEach(async () => {
  receiver = await startReceiver();
  folder = mkdtempSync(join(tmpdir(), 'taxiway-clock-'));
});
afterEach(async () => {
  await receiver[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** A server on the same folder whose clock is off by so much. */
async function open(offsetMs: number) {
  const clock = createMovableClock();
  clock.advance(offsetMs);
  const config = configFrom({
    server: { data_dir: folder },
    log: { level: 'silent' },
    database: { synchronous: 'normal' },
    webhooks: { allow_loopback: true },
  });
  const opened = await openApp(config, { clock });
  return { ...opened, ctx: systemContext(opened.app) };
}
type Opened = Awaited<ReturnType<typeof open>>;

function addSubscription({ app, ctx }: Opened, url: string) {
  const [id, organizationId] = [app.ids.next(), app.ids.next()];
  const createdAt = app.clock.now().getTime();
  ctx.transact(
    (tx) => {
      tx.db.insert(organizations).values({ id: organizationId, name: 'Ahead', tier: 'team', createdAt }).run();
      tx.db
        .insert(webhookSubscriptions)
        .values({
          id,
          organizationId,
          ...sealSubscription(tx, id, { url, secret: 'secret' }),
          events: '["build.deleted"]',
          format: 'svc',
          active: true,
          createdAt,
        })
        .run();
      tx.record('webhook.created', { identifier: id, organizationId });
    },
    { bookkeeping: true },
  );
  return { id, organizationId };
}

function happen({ ctx }: Opened, organizationId: string): void {
  ctx.transact((tx) => tx.record('build.deleted', { identifier: tx.ids.next(), organizationId }));
}

it('a webhook created while the clock was ahead gets events after it is corrected', async () => {
  const ahead = await open(2 * DAY);
  const { organizationId } = addSubscription(ahead, `${receiver.url}/hook`);
  await ahead.close();
  const right = await open(0);
  startJobs(right.app);
  happen(right, organizationId);
  await right.app.jobs.drain();
  await deliveryRunnerOf(right.app).drain();
  expect(receiver.received.map(({ json }) => json.type)).toEqual(['build.deleted']);
  await right.close();
});

it('deliveries that waited while the clock was ahead are sent at the next start', async () => {
  const ahead = await open(2 * DAY);
  const { id, organizationId } = addSubscription(ahead, `${receiver.url}/hook`);
  happen(ahead, organizationId);
  const [event] = ahead.app.db.$client.prepare<[], string>('SELECT id FROM outbox_events').pluck().all();
  if (event === undefined) throw new Error('no event was written');
  const now = ahead.app.clock.now().getTime();
  ahead.ctx.transact(
    (tx) => {
      insertDelivery(tx, id, event);
      insertDelivery(tx, id, event);
      tx.db.$client.prepare('UPDATE outbox_events SET fanned_out_at = 1').run();
      tx.db.$client.prepare('DELETE FROM jobs').run();
    },
    { bookkeeping: true },
  );
  // One that failed, and one that waits as long as it may by any clock.
  const [first] = ahead.app.db.select().from(webhookDeliveries).all();
  if (first === undefined) throw new Error('no delivery was made');
  for (const dueAt of [now + HOUR, now - 2 * DAY + HOUR]) {
    ahead.app.db
      .insert(webhookDeliveries)
      .values({ ...first, id: ahead.app.ids.next(), status: 'retrying', attempts: 1, nextAttemptAt: dueAt })
      .run();
  }
  await ahead.close();
  const right = await open(0);
  startJobs(right.app);
  await deliveryRunnerOf(right.app).drain();
  const rows = right.app.db.select().from(webhookDeliveries).orderBy(webhookDeliveries.id).all();
  expect(rows.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered', 'retrying']);
  await right.close();
});

it('deliveries that failed while the clock was ahead are sent after it is corrected, without a restart', async () => {
  await using fixture = await startFixture();
  const { subscribe, happen, deliveriesOf } = startWebhookScenario(fixture);
  const webhook = await subscribe(`${receiver.url}/hook`);
  receiver.answer('/hook', 503);
  fixture.clock.jump(30 * DAY);
  happen();
  await fixture.drain();
  receiver.answer('/hook', 204);
  fixture.clock.jump(-30 * DAY);
  await fixture.drain();
  expect(await deliveriesOf(webhook)).toMatchObject([{ status: 'delivered', attempts: 2, next_attempt_at: null }]);
  expect(receiver.received).toHaveLength(2);
});

it('deliveries are rescheduled in steps after the clock was set back', async () => {
  await using fixture = await startFixture();
  const { subscribe, happen } = startWebhookScenario(fixture);
  await subscribe(`${receiver.url}/hook`);
  receiver.answer('/hook', 503);
  fixture.clock.jump(30 * DAY);
  happen();
  await fixture.drain();
  const { $client } = fixture.app.db;
  // Nothing is sent meanwhile.
  $client.exec('UPDATE webhook_subscriptions SET active = 0');
  $client.exec(`WITH RECURSIVE copies (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copies WHERE number < 2000)
    INSERT INTO webhook_deliveries (id, subscription_id, event_id, status, attempts, next_attempt_at, created_at)
      SELECT id || ' ' || number, subscription_id, event_id, status, attempts, next_attempt_at + number % 3, created_at
        FROM webhook_deliveries, copies`);
  const dueTimes = () =>
    $client.prepare<[], number>('SELECT DISTINCT next_attempt_at FROM webhook_deliveries').pluck().all();
  const drain = () => deliveryRunnerOf(fixture.app).drain();
  fixture.clock.jump(-10 * DAY);
  expect(await countWritesInOneTurn($client, drain)).toBeLessThan(600);
  expect(dueTimes()).toEqual([fixture.clock.now().getTime()]);
  fixture.clock.jump(-10 * DAY);
  expect(await countRowsInOneTurn($client, drain)).toBeLessThan(600);
  expect(dueTimes()).toEqual([fixture.clock.now().getTime()]);
});
