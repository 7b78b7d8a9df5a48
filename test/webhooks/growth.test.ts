// What many webhooks cost that have nothing to send: no list of what is due, counted or orphaned reads each of them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { outboxEvents, webhookDeliveries, webhookSubscriptions } from '../../src/data/tables/tables.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { countDeliveries } from '../../src/service/queue-counts.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { listDeliveredTo, listDueSubscriptions } from '../../src/webhooks/delivery-store.ts';
import { plansOf, stepsOn } from '../support/plans.ts';

const WEBHOOKS = 1_000;
/** Newest webhook first. */
const ids: string[] = [];
let fixture: Fixture;
let eventId: string;
let now: number;

type Status = (typeof webhookDeliveries.$inferInsert)['status'];

function addDelivery(subscriptionId: string, status: Status, nextAttemptAt: number | null): string {
  const id = fixture.app.ids.next();
  const row = { id, subscriptionId, eventId, status, nextAttemptAt, createdAt: now };
  fixture.app.db.insert(webhookDeliveries).values(row).run();
  return id;
}

beforeAll(async () => {
  fixture = await startFixture();
  const { app, organization_id: organizationId } = fixture;
  now = app.clock.now().getTime();
  eventId = app.ids.next();
  const event = { id: eventId, organizationId, type: 'release.created', data: '{}', details: '{}' };
  app.db
    .insert(outboxEvents)
    .values({ ...event, createdAt: now, fannedOutAt: now })
    .run();
  app.db.$client.transaction(() => {
    for (let number = 0; number < WEBHOOKS; number += 1) {
      const id = app.ids.next();
      ids.unshift(id);
      const row = { id, organizationId, sealedUrl: 'x', sealedSecret: 'x', events: '[]', format: 'svc' as const };
      app.db
        .insert(webhookSubscriptions)
        .values({ ...row, active: number % 2 === 0, createdAt: now })
        .run();
      addDelivery(id, 'delivered', null);
    }
  })();
});
afterAll(() => fixture?.stop());

it('finds webhooks with due deliveries without reading the others', async () => {
  const [inactive = '', active = '', , later = ''] = ids;
  // The server itself must not send them.
  const due = now + HOUR;
  addDelivery(active, 'pending', due);
  addDelivery(inactive, 'pending', due);
  addDelivery(later, 'retrying', due + 1);
  expect(listDueSubscriptions(fixture.app, due).map(({ id }) => id)).toEqual([active]);
  expect(listDueSubscriptions(fixture.app, due + 1).map(({ id }) => id)).toEqual([later, active]);
  const plans = await plansOf(fixture.app.db.$client, () => listDueSubscriptions(fixture.app, due));
  expect(plans.flatMap(({ steps }) => steps).filter((step) => /webhook|SEARCH s /.test(step))).toEqual([
    'SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_due',
    'SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_due (subscription_id>?)',
    'SEARCH s USING INDEX sqlite_autoindex_webhook_subscriptions_1 (id=?)',
    expect.stringMatching(
      /^SEARCH webhook_deliveries .*webhook_deliveries_due \(subscription_id=\? AND next_attempt_at<\?\)$/,
    ),
  ]);
});

it('counts the deliveries of hundreds of webhooks with one query', async () => {
  const [, first = '', last = ''] = ids;
  const before = await countDeliveries(fixture.app);
  for (let number = 0; number < 3; number += 1) addDelivery(first, 'dead', null);
  addDelivery(last, 'retrying', now + HOUR);
  let counts: unknown;
  const plans = await plansOf(fixture.app.db.$client, async () => {
    counts = await countDeliveries(fixture.app);
  });
  expect(counts).toEqual({ ...before, retrying: before.retrying + 1, dead: before.dead + 3 });
  expect(plans.length).toBeLessThanOrEqual(20);
  expect(stepsOn('webhook_deliveries', plans).filter((step) => step.includes('webhook_deliveries'))).toEqual(
    Array(6).fill(
      'SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_status (subscription_id=? AND status=?)',
    ),
  );
});

it('counts any number of deliveries of one webhook', async () => {
  const before = await countDeliveries(fixture.app);
  const [id = ''] = ids;
  fixture.app.db.$client.transaction(() => {
    for (let number = 0; number < 5_001; number += 1) addDelivery(id, 'dead', null);
  })();
  expect(await countDeliveries(fixture.app)).toEqual({ ...before, dead: before.dead + 5_001 });
});

it('looks for deliveries of deleted webhooks a page at a time', async () => {
  const sorted = ids.toReversed();
  expect(listDeliveredTo(fixture.app, '', 2)).toEqual(sorted.slice(0, 2).map((id) => ({ id, isOrphaned: 0 })));
  expect(listDeliveredTo(fixture.app, sorted[1] ?? '', 1)).toEqual([{ id: sorted[2], isOrphaned: 0 }]);
  expect(listDeliveredTo(fixture.app, sorted.at(-1) ?? '', 2)).toEqual([]);
  // In the first page and in the last one.
  const gone = [sorted[3] ?? '', sorted.at(-1) ?? ''];
  const { $client } = fixture.app.db;
  const countOf = (id: string) =>
    $client.prepare('SELECT count(*) FROM webhook_deliveries WHERE subscription_id = ?').pluck().get(id);
  const left = gone.map(countOf).reduce((sum: number, count) => sum + Number(count), 0);
  for (const id of gone) $client.prepare('DELETE FROM webhook_subscriptions WHERE id = ?').run(id);
  expect(left).toBeGreaterThan(1);
  expect(await fixture.sweep('deliveries')).toBe(left);
  expect(gone.map(countOf)).toEqual([0, 0]);
  expect(countOf(sorted[4] ?? '')).toBe(1);
});
