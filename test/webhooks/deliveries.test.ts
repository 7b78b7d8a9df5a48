// Deliveries: recipients, signatures, retries and the list of deliveries.
import { execFileSync } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builds, outboxEvents, webhookDeliveries, webhookSubscriptions } from '../../src/data/tables/tables.ts';
import { events } from '../../src/events.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { subscribableEvents } from '../../src/webhook-events.ts';
import { ABSENT, auditMark, auditRows, expectInvalid, expectRefusal, signIn, walkPages } from '../support/harness.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';
import {
  type Delivery,
  everyEvent,
  path,
  startWebhookScenario,
  type Webhook,
  type WebhookScenario,
} from './scenario.ts';

const DAY = 24 * 3_600_000;

let fixture: Fixture;
let scenario: WebhookScenario;
let receiver: Receiver;
beforeAll(async () => {
  fixture = await startFixture();
  receiver = await startReceiver();
});
afterAll(async () => {
  await fixture?.stop();
  await receiver?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  // The clock of earlier tests may have outrun the access token.
  scenario = startWebhookScenario(fixture, (await signIn(fixture)).client);
  fixture.app.db.delete(webhookSubscriptions).run();
  receiver.received.length = 0;
});

/** The check that a receiver makes, written from docs/specification/webhooks.md#signature alone. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const given = Buffer.from(String(headers['x-svc-signature']));
  const signed = Buffer.concat([Buffer.from(`${headers['x-svc-timestamp']}.`), body]);
  const wanted = Buffer.from(`sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

const only = <Item>(list: Item[]): Item => {
  expect(list).toHaveLength(1);
  return list[0] as Item;
};

describe('webhook events', () => {
  it('are these, and an action records each', () => {
    expect([...subscribableEvents].sort()).toEqual([...everyEvent, 'build.inspected', 'feedback.received'].sort());
    const fired = Object.values(events).flatMap((event) => [
      ...('webhook' in event ? [event.webhook] : []),
      ...('also' in event ? [event.also] : []),
    ]);
    expect([...new Set(fired)].sort()).toEqual([...subscribableEvents].sort());
  });

  it('are recorded by the actions, with the ids of the changed resources', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/actions`);
    const { organization_id, android_project_id: project_id } = fixture;
    const buildIds = [1, 2].map((number) => addBuild(`9.${number}`, number));
    const channel = await scenario.client.post<{ identifier: string }>(
      '/api/v1/channels',
      { name: 'actions' },
      { organization_id, project_id },
    );
    const inChannel = { organization_id, project_id, channel_id: channel.body.identifier };
    const releaseIds: string[] = [];
    for (const build_id of buildIds) {
      const { body } = await scenario.client.post<{ identifier: string }>('/api/v1/releases', { build_id }, inChannel);
      releaseIds.push(body.identifier);
    }
    await scenario.client.post('/api/v1/releases/rollback', undefined, inChannel);
    await scenario.client.delete(`/api/v1/releases/${releaseIds[0]}`);
    await scenario.client.delete(`/api/v1/builds/${buildIds[1]}`);
    await fixture.drain();
    const about = (release: number) => ({
      release_id: releaseIds[release],
      channel_id: channel.body.identifier,
      build_id: buildIds[release],
    });
    const sent = receiver.at('/actions').map(({ json }) => ({ type: json.type, data: json.data }));
    const order = (rows: { type: unknown; data: unknown }[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(order(sent)).toEqual(
      order([
        { type: 'release.created', data: about(0) },
        { type: 'release.created', data: about(1) },
        { type: 'release.rolled_back', data: about(1) },
        { type: 'release.deleted', data: about(0) },
        { type: 'release.deleted', data: about(1) },
        { type: 'build.deleted', data: { build_id: buildIds[1] } },
      ]),
    );
    expect(new Set((await scenario.deliveriesOf(webhook)).map(({ status }) => status))).toEqual(new Set(['delivered']));
  });
});

function addBuild(versionName: string, buildNumber: number): string {
  const { app } = fixture;
  const id = app.ids.next();
  const place = { organizationId: fixture.organization_id, projectId: fixture.android_project_id };
  const file = { sha256: 'a'.repeat(64), sizeBytes: 10, objectKey: `builds/${id}/package.apk` };
  app.db
    .insert(builds)
    .values({
      ...place,
      ...file,
      id,
      platform: 'android',
      versionName,
      buildNumber,
      uploadedAt: app.clock.now().getTime(),
      inspectionStatus: 'ok',
      pendingUploadId: app.ids.next(),
    })
    .run();
  return id;
}

describe('a delivery', () => {
  it('contains type, time, the ids of the changed resources, names and addresses', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/body`);
    const { base_url: base } = fixture.config.server;
    const startedAt = fixture.clock.now().getTime();
    scenario.happen('release.rolled_back');
    await fixture.drain();
    const { json, headers, body } = only(receiver.at('/body'));
    const delivery = only(await scenario.deliveriesOf(webhook));
    expect(json).toEqual({
      id: delivery.event_id,
      type: 'release.rolled_back',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      organization_id: fixture.organization_id,
      project_id: fixture.android_project_id,
      data: { release_id: expect.any(String), channel_id: fixture.channel_id, build_id: expect.any(String) },
      names: {
        organization: 'Fixture Organization',
        project: 'Fixture Android',
        channel: 'nightly',
        version_name: '1.4.0',
        build_number: '77',
        device: null,
      },
      urls: {
        page: `${base}/projects/${fixture.android_project_id}/channels/${fixture.channel_id}`,
        install: `${base}/install/channels/${fixture.channel_id}`,
        qr: `${base}/public/v1/channels/${fixture.channel_id}/qr.png`,
        icon: null,
      },
    });
    expect(Date.parse(String(json.created_at))).toBeGreaterThanOrEqual(startedAt);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(body.length),
      'user-agent': expect.stringMatching(/^Taxiway\/\d/),
      'x-svc-event': 'release.rolled_back',
      'x-svc-delivery': delivery.identifier,
      'x-svc-timestamp': expect.stringMatching(/^\d{10}$/),
      'x-svc-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    });
    expect(Math.abs(Number(headers['x-svc-timestamp']) * 1000 - fixture.clock.now().getTime())).toBeLessThan(5_000);
    expect(delivery).toEqual({
      identifier: expect.any(String),
      webhook_id: webhook.identifier,
      event_id: json.id,
      type: 'release.rolled_back',
      status: 'delivered',
      attempts: 1,
      last_status_code: 200,
      last_error: null,
      next_attempt_at: null,
      created_at: expect.any(String),
      delivered_at: expect.any(String),
    });
  });

  it('is signed over timestamp, dot and raw body, verified with openssl', async () => {
    const { secret } = await scenario.subscribe(`${receiver.url}/signed`);
    scenario.happen();
    await fixture.drain();
    const one = only(receiver.at('/signed'));
    expect(isSigned(one, secret)).toBe(true);
    expect(isSigned({ ...one, body: Buffer.concat([one.body, Buffer.from(' ')]) }, secret)).toBe(false);
    expect(isSigned({ ...one, headers: { ...one.headers, 'x-svc-timestamp': '1' } }, secret)).toBe(false);
    expect(isSigned(one, `${secret}x`)).toBe(false);
    const input = Buffer.concat([Buffer.from(`${one.headers['x-svc-timestamp']}.`), one.body]);
    const digest = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-r'], { input }).toString('utf8');
    expect(one.headers['x-svc-signature']).toBe(`sha256=${digest.split(' ')[0]}`);
  });

  it('is signed with the new secret after a rotation, also if it was waiting', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/rotated`);
    receiver.answer('/rotated', 500);
    scenario.happen();
    await fixture.drain();
    const { body: rotated } = await scenario.send<Webhook>(webhook, 'rotate-secret');
    receiver.answer('/rotated', 200);
    fixture.clock.advance(60_000);
    scenario.happen();
    await fixture.drain();
    const all = receiver.at('/rotated');
    expect(all.map((one) => [isSigned(one, webhook.secret), isSigned(one, rotated.secret)])).toEqual([
      [true, false],
      [false, true],
      [false, true],
    ]);
  });

  it('is sent to active subscriptions with the event, for the project or all', async () => {
    const { ios_project_id: ios, android_project_id: android } = fixture;
    await scenario.subscribe(`${receiver.url}/all`);
    await scenario.subscribe(`${receiver.url}/uploads`, { events: ['build.uploaded'] });
    await scenario.subscribe(`${receiver.url}/ios`, { project_id: ios });
    await scenario.subscribe(`${receiver.url}/android-uploads`, { project_id: android, events: ['build.uploaded'] });
    await scenario.subscribe(`${receiver.url}/inactive`, { active: false });
    const elsewhere = await scenario.client.send('POST', '/api/v1/organizations', { body: { name: 'Elsewhere' } });
    const foreign = { url: `${receiver.url}/foreign`, events: everyEvent };
    expect((await scenario.client.post(path, foreign, { organization_id: elsewhere.text })).status).toBe(201);
    scenario.happen('build.uploaded', android);
    scenario.happen('build.uploaded', ios);
    scenario.happen('release.deleted', ios);
    await fixture.drain();
    const counts = Object.groupBy(receiver.received, ({ path: at }) => at);
    expect(Object.fromEntries(Object.entries(counts).map(([at, list]) => [at, list?.length]))).toEqual({
      '/all': 3,
      '/uploads': 2,
      '/ios': 2,
      '/android-uploads': 1,
    });
  });

  it('is not created for events before the subscription', async () => {
    const { db, ids, clock } = fixture.app;
    const before = ids.next();
    const webhook = await scenario.subscribe(`${receiver.url}/later`);
    const { organization_id: organizationId } = fixture;
    const facts = {
      organizationId,
      type: 'build.deleted',
      data: '{}',
      details: '{}',
      createdAt: clock.now().getTime(),
    };
    db.insert(outboxEvents)
      .values({ ...facts, id: before })
      .run();
    scenario.happen();
    await fixture.drain();
    expect(only(await scenario.deliveriesOf(webhook)).type).toBe('release.created');
  });

  it('waits while its subscription is not active, and continues afterwards', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/paused`);
    receiver.answer('/paused', 503);
    scenario.happen();
    await fixture.drain();
    const place = `${path}/${webhook.identifier}`;
    await scenario.client.patch(place, { active: false });
    receiver.answer('/paused', 204);
    fixture.clock.advance(5 * 60_000);
    scenario.happen();
    await fixture.drain();
    expect(receiver.at('/paused')).toHaveLength(1);
    expectRefusal(await scenario.send(webhook, 'test'), 400, 'operation_not_allowed');
    const waiting = only(await scenario.deliveriesOf(webhook));
    expect(waiting.status).toBe('retrying');
    const again = `deliveries/${waiting.identifier}/redeliver`;
    expectRefusal(await scenario.send(webhook, again), 400, 'operation_not_allowed');
    await scenario.client.patch(place, { active: true });
    await fixture.drain();
    expect(only(await scenario.deliveriesOf(webhook))).toMatchObject({ status: 'delivered', last_status_code: 204 });
  });

  it('of a deleted project is still sent', async () => {
    const { organization_id } = fixture;
    const made = await scenario.client.post<{ identifier: string }>(
      '/api/v1/projects',
      { name: 'Gone', platform: 'android' },
      { organization_id },
    );
    const webhook = await scenario.subscribe(`${receiver.url}/gone`, { project_id: made.body.identifier });
    receiver.answer('/gone', 500);
    scenario.happen('build.deleted', made.body.identifier);
    await fixture.drain();
    expect((await scenario.client.delete(`/api/v1/projects/${made.body.identifier}`)).status).toBe(204);
    receiver.answer('/gone', 200);
    fixture.clock.advance(60_000);
    scenario.happen('build.deleted', fixture.android_project_id);
    await fixture.drain();
    expect(only(await scenario.deliveriesOf(webhook))).toMatchObject({ status: 'delivered', attempts: 2 });
  });
});

describe('a failing delivery', () => {
  it('is attempted eight times in about a day with increasing pauses, and is then dead', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/broken`);
    receiver.answer('/broken', 500);
    scenario.happen();
    await fixture.drain();
    const pauses: number[] = [];
    for (let attempt = 1; attempt < 8; attempt += 1) {
      scenario = startWebhookScenario(fixture, (await signIn(fixture)).client);
      const delivery = only(await scenario.deliveriesOf(webhook));
      expect(delivery).toMatchObject({
        status: 'retrying',
        attempts: attempt,
        last_status_code: 500,
        last_error: 'responded with 500',
        delivered_at: null,
      });
      const now = fixture.clock.now().getTime();
      const dueAt = Date.parse(String(delivery.next_attempt_at));
      pauses.push(dueAt - now);
      fixture.clock.advance(dueAt - now - 1_000);
      await fixture.drain();
      expect(receiver.at('/broken')).toHaveLength(attempt);
      fixture.clock.advance(1_000);
      await fixture.drain();
      expect(receiver.at('/broken')).toHaveLength(attempt + 1);
    }
    const wanted = [30, 120, 600, 3_600, 10_800, 25_200, 46_800].map((seconds) => seconds * 1_000);
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThan((wanted[index] ?? 0) * 0.8 - 2_000);
      expect(pause).toBeLessThanOrEqual((wanted[index] ?? 0) * 1.2);
      expect(pause).toBeGreaterThan(pauses[index - 1] ?? 0);
    }
    const total = pauses.reduce((sum, pause) => sum + pause, 0);
    expect(total / DAY).toBeGreaterThan(0.8);
    expect(total / DAY).toBeLessThan(1.25);
    scenario = startWebhookScenario(fixture, (await signIn(fixture)).client);
    expect(only(await scenario.deliveriesOf(webhook))).toMatchObject({
      status: 'dead',
      attempts: 8,
      last_status_code: 500,
      last_error: 'responded with 500',
      next_attempt_at: null,
      delivered_at: null,
    });
    fixture.clock.advance(3 * DAY);
    await fixture.drain();
    const all = receiver.at('/broken');
    expect(all).toHaveLength(8);
    expect(new Set(all.map(({ body }) => body.toString())).size).toBe(1);
    expect(new Set(all.map(({ headers }) => headers['x-svc-delivery'])).size).toBe(1);
    expect(new Set(all.map(({ headers }) => headers['x-svc-timestamp'])).size).toBe(8);
    expect(all.every((one) => isSigned(one, webhook.secret))).toBe(true);
  });

  it('is delivered as soon as the endpoint works again, also at its new address', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/old`);
    receiver.answer('/old', 410);
    scenario.happen();
    await fixture.drain();
    await scenario.client.patch(`${path}/${webhook.identifier}`, { url: `${receiver.url}/new` });
    fixture.clock.advance(60_000);
    await fixture.drain();
    expect(receiver.at('/old')).toHaveLength(1);
    expect(only(receiver.at('/new')).json).toEqual(only(receiver.at('/old')).json);
    expect(only(await scenario.deliveriesOf(webhook))).toMatchObject({
      status: 'delivered',
      attempts: 2,
      last_status_code: 200,
      last_error: null,
      next_attempt_at: null,
      delivered_at: expect.any(String),
    });
  });

  it.each([
    [200, 'delivered', null],
    [201, 'delivered', null],
    [204, 'delivered', null],
    [302, 'retrying', "responded with 302; redirects aren't followed"],
    [400, 'retrying', 'responded with 400'],
    [404, 'retrying', 'responded with 404'],
    [429, 'retrying', 'responded with 429'],
    [503, 'retrying', 'responded with 503'],
  ])('with a response of %i is %s', async (code, status, error) => {
    const webhook = await scenario.subscribe(`${receiver.url}/status`);
    receiver.answer('/status', code);
    scenario.happen();
    await fixture.drain();
    expect(only(await scenario.deliveriesOf(webhook))).toMatchObject({
      status,
      attempts: 1,
      last_status_code: code,
      last_error: error,
    });
  });
});

describe('a test delivery', () => {
  it('sends webhook.test only to this webhook, and responds before it is sent', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/tested`, { events: ['build.deleted'] });
    await scenario.subscribe(`${receiver.url}/other`);
    const mark = auditMark(fixture);
    const answer = await scenario.send(webhook, 'test');
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({ type: 'webhook.test', status: 'pending', attempts: 0 });
    await fixture.drain();
    const one = only(receiver.received);
    expect(one.path).toBe('/tested');
    expect(one.headers['x-svc-event']).toBe('webhook.test');
    expect(one.json).toMatchObject({
      id: answer.body.event_id,
      type: 'webhook.test',
      organization_id: fixture.organization_id,
      project_id: null,
      data: { webhook_id: webhook.identifier },
    });
    expect(isSigned(one, webhook.secret)).toBe(true);
    expect(only(await scenario.deliveriesOf(webhook))).toMatchObject({
      identifier: answer.body.identifier,
      status: 'delivered',
    });
    expect(auditRows(fixture, { after: mark })).toEqual([]);
  });
});

describe('redelivering', () => {
  it('sends a dead one again: the same event as a new delivery with its own attempts', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/again`);
    receiver.answer('/again', 500);
    scenario.happen();
    await fixture.drain();
    fixture.app.db.update(webhookDeliveries).set({ status: 'dead', attempts: 8, nextAttemptAt: null }).run();
    const dead = only(await scenario.deliveriesOf(webhook));
    receiver.answer('/again', 200);
    const answer = await scenario.send(webhook, `deliveries/${dead.identifier}/redeliver`);
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({ event_id: dead.event_id, type: dead.type, status: 'pending', attempts: 0 });
    await fixture.drain();
    const [first, second] = receiver.at('/again');
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers['x-svc-delivery']).toBe(answer.body.identifier);
    expect(await scenario.deliveriesOf(webhook)).toMatchObject([
      { identifier: answer.body.identifier, status: 'delivered', attempts: 1 },
      { identifier: dead.identifier, status: 'dead', attempts: 8 },
    ]);
  });

  it('sends a delivered one again too', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/twice`);
    scenario.happen();
    await fixture.drain();
    await scenario.send(webhook, `deliveries/${only(await scenario.deliveriesOf(webhook)).identifier}/redeliver`);
    await fixture.drain();
    const ids = receiver.at('/twice').map(({ json }) => json.id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it('attempts a waiting one immediately', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/waiting`);
    receiver.answer('/waiting', 500);
    scenario.happen();
    await fixture.drain();
    const waiting = only(await scenario.deliveriesOf(webhook));
    receiver.answer('/waiting', 200);
    const answer = await scenario.send(webhook, `deliveries/${waiting.identifier}/redeliver`);
    expect(answer.body).toMatchObject({ identifier: waiting.identifier, status: 'retrying', attempts: 1 });
    await fixture.drain();
    expect(only(await scenario.deliveriesOf(webhook))).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  it('is not repeated for an event that already waits, which is attempted immediately', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/piled`);
    scenario.happen();
    await fixture.drain();
    const delivered = only(await scenario.deliveriesOf(webhook));
    receiver.answer('/piled', 500);
    const again = () => scenario.send(webhook, `deliveries/${delivered.identifier}/redeliver`);
    const first = await again();
    await fixture.drain();
    const second = await again();
    expect(second.body).toMatchObject({ identifier: first.body.identifier, status: 'retrying', attempts: 1 });
    await fixture.drain();
    expect((await scenario.deliveriesOf(webhook)).map(({ attempts }) => attempts)).toEqual([2, 1]);
  });

  it('finds only deliveries of this webhook', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/mine`);
    const other = await scenario.subscribe(`${receiver.url}/theirs`);
    const { body } = await scenario.send(other, 'test');
    expectRefusal(await scenario.send(webhook, `deliveries/${body.identifier}/redeliver`), 404, 'not_found');
    expectRefusal(await scenario.send(webhook, `deliveries/${ABSENT}/redeliver`), 404, 'not_found');
    expectInvalid(await scenario.send(webhook, 'deliveries/x/redeliver'), 'path.delivery_id: uuid_parsing');
  });
});

describe('a delivery that its webhook no longer subscribes to', () => {
  async function fail(at: string, wanted: Partial<Webhook> = {}): Promise<Webhook> {
    const webhook = await scenario.subscribe(`${receiver.url}${at}`, wanted);
    receiver.answer(at, 500);
    scenario.happen('build.uploaded');
    await fixture.drain();
    receiver.answer(at, 200);
    return webhook;
  }

  async function change(webhook: Webhook, wanted: Partial<Webhook>): Promise<void> {
    expect((await scenario.client.patch(`${path}/${webhook.identifier}`, wanted)).status).toBe(200);
  }

  it('because of its event is deleted and not attempted again, unlike the others', async () => {
    const webhook = await fail('/events');
    receiver.answer('/events', 500);
    scenario.happen('release.created');
    await fixture.drain();
    await scenario.send(webhook, 'test');
    await fixture.drain();
    receiver.answer('/events', 200);
    await change(webhook, { events: ['release.created', 'build.deleted'] });
    expect(await scenario.deliveriesOf(webhook)).toHaveLength(2);
    fixture.clock.advance(60_000);
    await fixture.drain();
    expect((await scenario.deliveriesOf(webhook)).map(({ type, status }) => [type, status])).toEqual([
      ['webhook.test', 'delivered'],
      ['release.created', 'delivered'],
    ]);
    expect(receiver.at('/events').filter(({ json }) => json.type === 'build.uploaded')).toHaveLength(1);
  });

  it('because of its project is deleted and not attempted again', async () => {
    const webhook = await fail('/project');
    await change(webhook, { project_id: fixture.android_project_id });
    expect(only(await scenario.deliveriesOf(webhook))).toMatchObject({ status: 'retrying' });
    await change(webhook, { project_id: fixture.ios_project_id });
    expect(await scenario.deliveriesOf(webhook)).toEqual([]);
    await change(webhook, { project_id: null });
    fixture.clock.advance(60_000);
    await fixture.drain();
    expect(receiver.at('/project')).toHaveLength(1);
  });

  it('is not attempted after a change during an attempt either', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/during`);
    const released = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    receiver.answer('/during', (response) => {
      arrived.resolve();
      void released.promise.then(() => response.writeHead(500).end());
    });
    scenario.happen('build.uploaded');
    const drained = fixture.drain();
    await arrived.promise;
    await change(webhook, { events: ['build.deleted'] });
    released.resolve();
    await drained;
    fixture.clock.advance(60_000);
    await fixture.drain();
    expect(receiver.at('/during')).toHaveLength(1);
    expect(await scenario.deliveriesOf(webhook)).toEqual([]);
  });

  it('is deleted later, unsent, if there are too many for the change', async () => {
    const webhook = await fail('/many');
    fixture.app.db.$client
      .prepare(
        `INSERT INTO webhook_deliveries (id, subscription_id, event_id, status, attempts, next_attempt_at, created_at)
           WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2500)
           SELECT substr(id, 1, 24) || printf('%012x', n), subscription_id, event_id, 'retrying', 1, next_attempt_at, created_at
             FROM webhook_deliveries JOIN numbers WHERE subscription_id = ?`,
      )
      .run(webhook.identifier);
    await change(webhook, { events: ['build.deleted'] });
    const countOpen = () =>
      fixture.app.db.$client
        .prepare('SELECT count(*) FROM webhook_deliveries WHERE subscription_id = ? AND next_attempt_at IS NOT NULL')
        .pluck()
        .get(webhook.identifier);
    expect(countOpen()).toBe(1_501);
    fixture.clock.advance(60_000);
    scenario.happen('build.deleted');
    await fixture.drain();
    expect(countOpen()).toBe(0);
    expect(receiver.at('/many').map(({ json }) => json.type)).toEqual(['build.uploaded', 'build.deleted']);
  });

  it('is not delivered again on request', async () => {
    const webhook = await fail('/refused');
    fixture.clock.advance(60_000);
    await fixture.drain();
    const delivered = only(await scenario.deliveriesOf(webhook));
    expect(delivered.status).toBe('delivered');
    const again = () => scenario.send(webhook, `deliveries/${delivered.identifier}/redeliver`);
    await change(webhook, { events: ['build.deleted'] });
    expectRefusal(await again(), 400, 'operation_not_allowed');
    await change(webhook, { events: ['build.uploaded'], project_id: fixture.ios_project_id });
    expectRefusal(await again(), 400, 'operation_not_allowed');
    await change(webhook, { project_id: fixture.android_project_id });
    expect((await again()).status).toBe(202);
    await change(webhook, { events: ['build.deleted'] });
    const { body: test } = await scenario.send(webhook, 'test');
    await fixture.drain();
    expect((await scenario.send(webhook, `deliveries/${test.identifier}/redeliver`)).status).toBe(202);
  });
});

describe('the log of deliveries', () => {
  it('has pages, newest first, and can be filtered by status', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/log`);
    for (const code of [200, 500, 200]) {
      receiver.answer('/log', code);
      scenario.happen();
      await fixture.drain();
    }
    const place = `${path}/${webhook.identifier}/deliveries`;
    const pages = await walkPages<Delivery>(scenario.client, place, { limit: 1 });
    expect(pages.flat().map(({ status }) => status)).toEqual(['delivered', 'retrying', 'delivered']);
    expect((await scenario.deliveriesOf(webhook, 'retrying')).map(({ attempts }) => attempts)).toEqual([1]);
    expect(await scenario.deliveriesOf(webhook, 'dead')).toEqual([]);
    expectInvalid(await scenario.client.get(place, { status: 'lost' }), 'query.status: enum');
  });

  it('is deleted after thirty days by the cleanup job, with the events, but not earlier', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/swept`);
    scenario.happen();
    await fixture.drain();
    const eventId = only(await scenario.deliveriesOf(webhook)).event_id;
    fixture.clock.advance(29 * DAY);
    await fixture.sweep('deliveries');
    const { db } = fixture.app;
    const left = () => [
      db.select().from(webhookDeliveries).where(eq(webhookDeliveries.eventId, eventId)).all().length,
      db.select().from(outboxEvents).where(eq(outboxEvents.id, eventId)).all().length,
    ];
    expect(left()).toEqual([1, 1]);
    fixture.clock.advance(2 * DAY);
    expect(await fixture.sweep('deliveries')).toBeGreaterThanOrEqual(2);
    expect(left()).toEqual([0, 0]);
    expect(await fixture.sweep('deliveries')).toBe(0);
  });

  it('of a deleted webhook disappears immediately, and its rows with the cleanup job', async () => {
    const webhook = await scenario.subscribe(`${receiver.url}/doomed`, { active: false });
    const { app } = fixture;
    const facts = { organizationId: fixture.organization_id, type: 'build.deleted', data: '{}', details: '{}' };
    const now = app.clock.now().getTime();
    const eventId = app.ids.next();
    app.db
      .insert(outboxEvents)
      .values({ ...facts, id: eventId, createdAt: now, fannedOutAt: now })
      .run();
    const row = { subscriptionId: webhook.identifier, eventId, status: 'pending' as const, createdAt: now };
    app.db.transaction((tx) => {
      for (let count = 0; count < 2_500; count += 1) {
        tx.insert(webhookDeliveries)
          .values({ ...row, id: app.ids.next(), nextAttemptAt: now })
          .run();
      }
    });
    const left = () =>
      app.db.select().from(webhookDeliveries).where(eq(webhookDeliveries.eventId, eventId)).all().length;
    expect((await scenario.client.delete(`${path}/${webhook.identifier}`)).status).toBe(204);
    // One long transaction would hold up every other request.
    expect(left()).toBe(1_500);
    await fixture.drain();
    expect(receiver.received).toEqual([]);
    expect(await fixture.sweep('deliveries')).toBeGreaterThanOrEqual(1_500);
    expect(left()).toBe(0);
  });

  it('keeps an event without deliveries yet, regardless of its age', async () => {
    const { db, ids } = fixture.app;
    const id = ids.next();
    const facts = { organizationId: fixture.organization_id, type: 'build.deleted', data: '{}', details: '{}' };
    db.insert(outboxEvents)
      .values({ ...facts, id, createdAt: 1 })
      .run();
    await fixture.sweep('deliveries');
    expect(db.select().from(outboxEvents).where(eq(outboxEvents.id, id)).all()).toHaveLength(1);
  });
});
