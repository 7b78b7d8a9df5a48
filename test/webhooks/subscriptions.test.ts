// Webhook subscriptions: creating, editing, listing and deleting them; secrets are shown once and stored encrypted.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { organizations, webhookDeliveries, webhookSubscriptions } from '../../src/data/tables/tables.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { ABSENT, auditMark, auditRows, expectInvalid, expectRefusal, walkPages } from '../support/harness.ts';
import { everyEvent, path, startWebhookScenario, type Webhook, type WebhookScenario } from './scenario.ts';

const URL_OF_CHAT = 'https://hooks.example.com/services/T000/B000/a-very-secret-token?key=hidden';

let fixture: Fixture;
let scenario: WebhookScenario;
beforeAll(async () => {
  fixture = await startFixture();
  scenario = startWebhookScenario(fixture);
});
afterAll(() => fixture?.stop());

const create = (body: unknown) => scenario.client.post<Webhook>(path, body, scenario.inOrganization);
const minimal = { url: 'https://ci.example.com/hook', events: ['release.created'] };

describe('creating a webhook', () => {
  it('returns it with its secret, and records it without the secret parts of its URL', async () => {
    const mark = auditMark(fixture);
    const answer = await create({ ...minimal, url: URL_OF_CHAT });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      identifier: expect.any(String),
      organization_id: fixture.organization_id,
      project_id: null,
      url: URL_OF_CHAT,
      damaged: false,
      events: ['release.created'],
      format: 'svc',
      description: null,
      active: true,
      created_at: expect.stringMatching(/Z$/),
      created_by: fixture.admin.developer_id,
      secret_rotated_at: null,
      secret: expect.stringMatching(/^svc_whsec_[\w-]{43}$/),
    });
    const rows = auditRows(fixture, { after: mark });
    expect(rows).toMatchObject([
      {
        event: 'created',
        type: 'webhook_subscription',
        identifier: answer.body.identifier,
        organizationId: fixture.organization_id,
        actorId: fixture.admin.developer_id,
        ipAddress: '127.0.0.1',
        details: {
          host: 'hooks.example.com',
          project_id: null,
          events: ['release.created'],
          format: 'svc',
          active: true,
        },
      },
    ]);
    expect(JSON.stringify(rows)).not.toContain('token');
  });

  it('never shows the secret again, and encrypts secret and URL', async () => {
    const { body } = await create({ ...minimal, url: URL_OF_CHAT });
    const { secret, ...rest } = body;
    const read = await scenario.client.get(`${path}/${body.identifier}`);
    expect(read.body).toEqual(rest);
    const list = await scenario.client.get(path, scenario.inOrganization);
    expect(list.text).not.toContain(secret);
    const stored = JSON.stringify(fixture.app.db.select().from(webhookSubscriptions).all());
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain('a-very-secret-token');
  });

  it('accepts all fields', async () => {
    const wanted = {
      url: 'http://127.0.0.1:2/hook',
      events: everyEvent,
      project_id: fixture.ios_project_id,
      format: 'discord',
      description: 'Chat of the\nteam',
      active: false,
    };
    const { body } = await create(wanted);
    expect(body).toMatchObject(wanted);
  });

  it('stores a repeated event once', async () => {
    const { body } = await create({ ...minimal, events: ['build.deleted', 'build.uploaded', 'build.deleted'] });
    expect(body.events).toEqual(['build.deleted', 'build.uploaded']);
  });

  const long = `https://example.com/${'a'.repeat(2048)}`;
  it.each([
    ['an empty body', {}, ['body.url: missing', 'body.events: missing']],
    ['no event', { ...minimal, events: [] }, ['body.events: too_short']],
    ['an unknown event', { ...minimal, events: ['build.exploded'] }, ['body.events.0: enum']],
    ['the test event', { ...minimal, events: ['release.created', 'webhook.test'] }, ['body.events.1: enum']],
    ['too many events', { ...minimal, events: Array(51).fill('build.deleted') }, ['body.events: too_long']],
    ['no URL', { ...minimal, url: 'ci.example.com' }, ['body.url: url_parsing']],
    ['another scheme', { ...minimal, url: 'ftp://example.com/' }, ['body.url: url_parsing']],
    ['a file', { ...minimal, url: 'file:///etc/passwd' }, ['body.url: url_parsing']],
    ['user and password', { ...minimal, url: 'https://me:pw@example.com/' }, ['body.url: value_error']],
    ['a user', { ...minimal, url: 'https://me@example.com/' }, ['body.url: value_error']],
    ['a space', { ...minimal, url: 'https://example.com/a b' }, ['body.url: string_pattern_mismatch']],
    ['a long URL', { ...minimal, url: long }, ['body.url: string_too_long']],
    ['an unknown format', { ...minimal, format: 'irc' }, ['body.format: enum']],
    ['a project that is no id', { ...minimal, project_id: 'x' }, ['body.project_id: uuid_parsing']],
    ['no boolean', { ...minimal, active: 'yes' }, ['body.active: bool_type']],
    ['a link-local address', { ...minimal, url: 'http://169.254.169.254/latest' }, ['body.url: value_error']],
    ['the same in another notation', { ...minimal, url: 'http://0xa9fea9fe/' }, ['body.url: value_error']],
    ['the same as one number', { ...minimal, url: 'http://2852039166/' }, ['body.url: value_error']],
    ['the same inside IPv6', { ...minimal, url: 'http://[::ffff:169.254.169.254]/' }, ['body.url: value_error']],
    ['link-local IPv6', { ...minimal, url: 'http://[fe80::1]/' }, ['body.url: value_error']],
    ['this host', { ...minimal, url: 'http://0/' }, ['body.url: value_error']],
    ['a leading space', { ...minimal, url: ' https://example.com/' }, ['body.url: string_pattern_mismatch']],
    ['a newline at the end', { ...minimal, url: 'https://example.com/\n' }, ['body.url: string_pattern_mismatch']],
    ['a tab inside', { ...minimal, url: 'https://exa\tmple.com/' }, ['body.url: string_pattern_mismatch']],
    ['a control character', { ...minimal, url: 'https://example.com/\u0000' }, ['body.url: string_pattern_mismatch']],
    [
      'an invisible character',
      { ...minimal, url: 'https://example.com/\u200b' },
      ['body.url: string_pattern_mismatch'],
    ],
    [
      'a backslash before @',
      { ...minimal, url: 'https://example.com\\@evil.example/' },
      ['body.url: string_pattern_mismatch'],
    ],
    ['backslashes for slashes', { ...minimal, url: 'https:\\\\example.com' }, ['body.url: string_pattern_mismatch']],
    ['no slashes', { ...minimal, url: 'https:example.com' }, ['body.url: url_parsing']],
    ['three slashes', { ...minimal, url: 'https:///example.com' }, ['body.url: value_error']],
    ['a socket', { ...minimal, url: 'unix:/var/run/docker.sock' }, ['body.url: url_parsing']],
    ['a socket as a host', { ...minimal, url: 'http://unix:/var/run/docker.sock' }, ['body.url: value_error']],
    ['port 0', { ...minimal, url: 'http://example.com:0/' }, ['body.url: value_error']],
    ['the port of SMTP', { ...minimal, url: 'http://example.com:25/' }, ['body.url: value_error']],
    ['the port of SSH', { ...minimal, url: 'https://example.com:22/' }, ['body.url: value_error']],
    ['the port of X11', { ...minimal, url: 'http://192.0.2.1:6000/' }, ['body.url: value_error']],
    ['a port of IRC', { ...minimal, url: 'http://example.com:6697/' }, ['body.url: value_error']],
  ])('rejects %s', async (_name, body, expected) => {
    const mark = auditMark(fixture);
    expectInvalid(await create(body), ...expected);
    expect(auditRows(fixture, { after: mark })).toEqual([]);
  });

  it('rejects a project of another organization like an unknown one', async () => {
    expectRefusal(await create({ ...minimal, project_id: ABSENT }), 404, 'not_found');
  });

  it('rejects the 501st of an organization', async () => {
    const { app } = fixture;
    const organizationId = app.ids.next();
    const createdAt = app.clock.now().getTime();
    app.db.insert(organizations).values({ id: organizationId, name: 'Full', tier: 'team', createdAt }).run();
    app.db.$client
      .prepare(
        `INSERT INTO organization_memberships (organization_id, developer_id, role, created_at) VALUES (?, ?, 'admin', ?)`,
      )
      .run(organizationId, fixture.admin.developer_id, createdAt);
    const row = { organizationId, sealedUrl: '', events: '[]', format: 'svc' as const, active: true, sealedSecret: '' };
    for (let count = 0; count < 499; count += 1) {
      app.db
        .insert(webhookSubscriptions)
        .values({ ...row, id: app.ids.next(), createdAt })
        .run();
    }
    const answers = await Promise.all(
      [1, 2, 3].map(() => scenario.client.post(path, minimal, { organization_id: organizationId })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(expectRefusal(refused as (typeof answers)[0], 400, 'quota_exceeded')).toEqual({ limit: 500 });
  });
});

describe('the list of webhooks', () => {
  it('contains those of the organization, newest first, page by page', async () => {
    for (const url of ['http://a.example/', 'http://b.example/', 'http://c.example/']) await scenario.subscribe(url);
    const pages = await walkPages<Webhook>(scenario.client, path, { ...scenario.inOrganization, limit: 2 });
    const all = pages.flat();
    expect(all.slice(0, 3).map(({ url }) => url)).toEqual([
      'http://c.example/',
      'http://b.example/',
      'http://a.example/',
    ]);
    expect(new Set(all.map(({ identifier }) => identifier)).size).toBe(all.length);
    expect(pages.slice(0, -1).every((page) => page.length === 2)).toBe(true);
  });
});

describe('changing a webhook', () => {
  it('changes the given fields, and records their names', async () => {
    const { secret: _, ...before } = await scenario.subscribe('https://one.example/token-1', { description: 'first' });
    const mark = auditMark(fixture);
    const change = { url: 'https://two.example/token-2', events: ['build.deleted'], active: false };
    const answer = await scenario.client.patch(`${path}/${before.identifier}`, { ...change, description: 'first' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...before, ...change });
    const rows = auditRows(fixture, { after: mark });
    expect(rows).toMatchObject([
      {
        event: 'edited',
        type: 'webhook_subscription',
        identifier: before.identifier,
        details: { fields: ['url', 'events', 'active'], host: 'two.example', project_id: null },
      },
    ]);
    expect(JSON.stringify(rows)).not.toContain('token-');
  });

  it('records nothing if nothing changes', async () => {
    const webhook = await scenario.subscribe('https://same.example/');
    const mark = auditMark(fixture);
    const { identifier, url, events, active, project_id, format, description } = webhook;
    const same = { url, events, active, project_id, format, description };
    expect((await scenario.client.patch(`${path}/${identifier}`, same)).status).toBe(200);
    expect((await scenario.client.patch(`${path}/${identifier}`, {})).status).toBe(200);
    expect(auditRows(fixture, { after: mark })).toEqual([]);
  });

  it('removes the project and sets one, and records the new one', async () => {
    const webhook = await scenario.subscribe('https://p.example/', { project_id: fixture.ios_project_id });
    const place = `${path}/${webhook.identifier}`;
    const mark = auditMark(fixture);
    expect((await scenario.client.patch(place, { project_id: null })).body).toMatchObject({ project_id: null });
    const android = { project_id: fixture.android_project_id };
    expect((await scenario.client.patch(place, android)).body).toMatchObject(android);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'edited', details: { fields: ['project_id'], project_id: null } },
      { event: 'edited', details: { fields: ['project_id'], ...android } },
    ]);
    expectRefusal(await scenario.client.patch(place, { project_id: ABSENT }), 404, 'not_found');
  });

  it('rejects the same input as creating', async () => {
    const { identifier } = await scenario.subscribe('https://r.example/');
    const refuse = async (body: unknown, ...expected: string[]) =>
      expectInvalid(await scenario.client.patch(`${path}/${identifier}`, body), ...expected);
    await refuse({ url: 'http://[fe80::1]/' }, 'body.url: value_error');
    await refuse({ url: null }, 'body.url: string_type');
    await refuse({ events: [] }, 'body.events: too_short');
    await refuse({ events: ['webhook.test'] }, 'body.events.0: enum');
  });
});

describe('rotating the secret', () => {
  it('shows a new one once, and keeps all other fields', async () => {
    const { secret, ...before } = await scenario.subscribe('https://rotate.example/');
    const mark = auditMark(fixture);
    const answer = await scenario.send<Webhook>(before as Webhook, 'rotate-secret');
    expect(answer.status).toBe(200);
    const { secret: fresh, ...rest } = answer.body;
    expect(fresh).toMatch(/^svc_whsec_[\w-]{43}$/);
    expect(fresh).not.toBe(secret);
    expect(rest).toEqual({ ...before, secret_rotated_at: expect.any(String) });
    expect((await scenario.client.get(`${path}/${before.identifier}`)).body).toEqual(rest);
    const rows = auditRows(fixture, { after: mark });
    expect(rows).toMatchObject([
      { event: 'edited', type: 'webhook_subscription', details: { fields: ['secret'], project_id: null } },
    ]);
    expect(JSON.stringify(rows)).not.toContain(fresh);
  });
});

describe('deleting a webhook', () => {
  it('deletes it with its deliveries', async () => {
    const webhook = await scenario.subscribe('http://127.0.0.1:2/');
    await scenario.send(webhook, 'test');
    await fixture.drain();
    const mark = auditMark(fixture);
    const place = `${path}/${webhook.identifier}`;
    expect((await scenario.client.delete(place)).status).toBe(204);
    for (const [method, suffix] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
    ] as const) {
      const body = method === 'GET' ? {} : { body: {} };
      expectRefusal(await scenario.client.send(method, `${place}${suffix}`, body), 404, 'not_found');
    }
    const left = fixture.app.db.select().from(webhookDeliveries).all();
    expect(left.filter((row) => row.subscriptionId === webhook.identifier)).toEqual([]);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'deleted', type: 'webhook_subscription', details: { host: '127.0.0.1:2' } },
    ]);
  });

  it('happens with the organization', async () => {
    const made = await scenario.client.send('POST', '/api/v1/organizations', { body: { name: 'Short-lived' } });
    const organization = { organization_id: made.text };
    await scenario.client.post(path, minimal, organization);
    expect((await scenario.client.delete(`/api/v1/organizations/${made.text}`)).status).toBe(204);
    const rows = fixture.app.db.select().from(webhookSubscriptions).all();
    expect(rows.filter((row) => row.organizationId === made.text)).toEqual([]);
  });
});

describe('a webhook whose encrypted row is damaged', () => {
  it('is listed as damaged next to the others, and can be deleted', async () => {
    const whole = await create(minimal);
    const damaged = await create(minimal);
    const { identifier } = damaged.body;
    const isThis = eq(webhookSubscriptions.id, identifier);
    const row = fixture.app.db.select().from(webhookSubscriptions).where(isThis).get();
    const [version, nonce, tag = '', body] = (row?.sealedUrl ?? '').split('.');
    const sealedUrl = [version, nonce, Buffer.from(tag, 'base64url').subarray(0, 4).toString('base64url'), body].join(
      '.',
    );
    fixture.app.db.update(webhookSubscriptions).set({ sealedUrl }).where(isThis).run();
    const list = await scenario.client.get<{ items: Webhook[] }>(path, scenario.inOrganization);
    expect(list.status).toBe(200);
    const shown = (id: string) => list.body.items.find((one) => one.identifier === id);
    expect(shown(whole.body.identifier)).toMatchObject({ url: minimal.url, damaged: false });
    expect(shown(identifier)).toMatchObject({ url: '', damaged: true });
    const mark = auditMark(fixture);
    expect((await scenario.client.delete(`${path}/${identifier}`)).status).toBe(204);
    expect(auditRows(fixture, { after: mark, identifier })).toMatchObject([
      { event: 'deleted', details: { host: null } },
    ]);
  });
});
