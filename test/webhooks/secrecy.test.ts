// URLs and secrets of webhooks never appear in logs or visible errors.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { webhookSubscriptions } from '../../src/data/tables/tables.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { auditRows } from '../support/harness.ts';
import { close, hang, type Receiver, startReceiver } from './receiver.ts';
import { startWebhookScenario, type Webhook, type WebhookScenario } from './scenario.ts';

let fixture: Fixture;
let scenario: WebhookScenario;
let receiver: Receiver;
beforeAll(async () => {
  fixture = await startFixture({ config: { webhooks: { max_attempts: 1, timeout_ms: 2_000 } } });
  scenario = startWebhookScenario(fixture);
  receiver = await startReceiver();
});
afterAll(async () => {
  await fixture?.stop();
  await receiver?.[Symbol.asyncDispose]();
});

const HIDDEN = 'hidden-token-of-a-chat';

it('keeps URL and secret out of log, errors and audit trail, for every result of an attempt', async () => {
  const lines: unknown[] = [];
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    vi.spyOn(fixture.app.log, level).mockImplementation((...words: unknown[]) => void lines.push(words));
  }
  const port = new URL(receiver.url).port;
  receiver.answer(`/${HIDDEN}/hang`, hang);
  receiver.answer(`/${HIDDEN}/close`, close);
  receiver.answer(`/${HIDDEN}/error`, 500);
  const webhooks: Webhook[] = [];
  for (const url of [
    `${receiver.url}/${HIDDEN}/hang`,
    `${receiver.url}/${HIDDEN}/close`,
    `${receiver.url}/${HIDDEN}/error`,
    `${receiver.url}/${HIDDEN}/fine?key=${HIDDEN}`,
    `http://127.0.0.1:2/${HIDDEN}`,
    `https://127.0.0.1:${port}/${HIDDEN}`,
  ]) {
    webhooks.push(await scenario.subscribe(url));
  }
  scenario.happen();
  await fixture.drain();
  const deliveries = (await Promise.all(webhooks.map((webhook) => scenario.deliveriesOf(webhook)))).flat();
  expect(deliveries.map(({ status }) => status)).toEqual(['dead', 'dead', 'dead', 'delivered', 'dead', 'dead']);
  expect(lines.length).toBeGreaterThanOrEqual(6);
  const written = JSON.stringify([lines, deliveries, auditRows(fixture)], (_key, value: unknown) =>
    value instanceof Error ? `${value.message} ${value.stack}` : value,
  );
  for (const secret of [HIDDEN, ...webhooks.map((webhook) => webhook.secret)]) expect(written).not.toContain(secret);
});

it('reports a secret that cannot be decrypted, and continues with others', async () => {
  const broken = await scenario.subscribe(`${receiver.url}/broken`);
  const well = await scenario.subscribe(`${receiver.url}/well`);
  const sealedSecret = fixture.app.secrets.encrypt('another', 'another purpose');
  const { db } = fixture.app;
  db.update(webhookSubscriptions).set({ sealedSecret }).run();
  const rotated = await scenario.send<Webhook>(well, 'rotate-secret');
  expect(rotated.status).toBe(200);
  scenario.happen();
  await fixture.drain();
  expect(await scenario.deliveriesOf(broken)).toMatchObject([
    { status: 'dead', last_status_code: null, last_error: "the server couldn't prepare the request" },
  ]);
  expect(await scenario.deliveriesOf(well)).toMatchObject([{ status: 'delivered' }]);
});

it('reports to an organization that an address in the network was not reached, and to the operator why', async () => {
  const info = vi.spyOn(fixture.app.log, 'info').mockImplementation(() => undefined);
  const warn = vi.spyOn(fixture.app.log, 'warn').mockImplementation(() => undefined);
  const webhook = await scenario.subscribe('http://127.0.0.1:2/');
  scenario.happen();
  await fixture.drain();
  expect(await scenario.deliveriesOf(webhook)).toMatchObject([
    { status: 'dead', last_status_code: null, last_error: 'not reached' },
  ]);
  const reason = 'the connection was refused';
  const logged = [...info.mock.calls, ...warn.mock.calls] as unknown[][];
  expect(logged).toContainEqual([
    expect.objectContaining({ webhook_id: webhook.identifier, reason }),
    'webhook delivery failed',
  ]);
  const { body } = await scenario.client.get<{ webhook_deliveries: unknown }>('/api/v1/system');
  expect(body.webhook_deliveries).toMatchObject({
    last_error: expect.stringMatching(/^webhook [0-9a-f-]{36}: /),
    last_error_at: expect.stringMatching(/^20\d\d-/),
  });
});
