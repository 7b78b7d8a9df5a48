// The setup checklist: which steps are done, who sees them, and what people decide about it.
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { collectPersonalData } from '../../src/accounts/exports/personal-data.ts';
import { developers, outboxMails, setupMarks } from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { ALL_SCOPES, scopes } from '../../src/permissions.ts';
import { type FixtureOptions, startFixture } from '../../src/testing/fixture.ts';
import { makeChannel, uploadBuild } from '../builds/scenario.ts';
import { buildApk } from '../support/fixtures.ts';
import { type Answer, api, type Client, expectInvalid, expectRefusal, type Json, signIn } from '../support/harness.ts';
import { startMailServer } from '../support/mail-server.ts';
import { addPerson, personalTokenClient } from '../support/people.ts';

interface Setup extends Json {
  is_dismissed: boolean;
  is_complete: boolean;
  steps: { name: string; is_done: boolean }[];
  server: Json | null;
}

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A server with an organization that has nothing yet, and its operator. */
async function start(config: FixtureOptions['config'] = {}) {
  const fixture = await startFixture({ config });
  stops.push(() => fixture.stop());
  const admin = api(fixture);
  const created = await admin.post('/api/v1/organizations', { name: 'New' });
  expect(created.status).toBe(201);
  const organizationId = created.text;
  const path = `/api/v1/organizations/${organizationId}/setup`;
  const read = async (client: Client = admin) => {
    const answer = await client.get<Setup>(path);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  const doneSteps = async (client?: Client) =>
    (await read(client)).steps.filter(({ is_done: isDone }) => isDone).map(({ name }) => name);
  return { fixture, admin, organizationId, path, read, doneSteps };
}

const change = (client: Client, path: string, body: Json): Promise<Answer<Setup>> => client.patch<Setup>(path, body);

describe('the steps of an organization', () => {
  it('are open at first, in the order in which they help', async () => {
    const { read } = await start();
    const { steps, ...rest } = await read();
    expect(steps.map(({ name, is_done: isDone }) => [name, isDone])).toEqual([
      ['address', false],
      ['https', false],
      ['email', false],
      ['project', false],
      ['phone', false],
      ['colleague', false],
      ['backup', false],
    ]);
    expect(rest).toMatchObject({ is_dismissed: false, is_complete: false });
  });

  it('change with a project, an install on a phone, and an invitation', async () => {
    const { admin, organizationId, doneSteps } = await start();
    const inOrganization = { organization_id: organizationId };
    const answer = await admin.post('/api/v1/projects', { name: 'App', platform: 'android' }, inOrganization);
    const project = { ...inOrganization, project_id: String(answer.body.identifier) };
    expect(await doneSteps()).toEqual(['project']);

    const channelId = await makeChannel(admin, project, { public: true });
    const build = await uploadBuild(admin, project, buildApk());
    const release = await admin.post(
      '/api/v1/releases',
      { build_id: build.identifier },
      { ...project, channel_id: channelId },
    );
    expect(release.status, release.text).toBe(201);
    expect((await admin.get(`/api/v1/builds/${build.identifier}/download`, project)).status).toBeLessThan(400);
    expect(await doneSteps()).toEqual(['project']);
    const install = await admin
      .as(null)
      .get(`/public/v1/channels/${channelId}/releases/${String(release.body.identifier)}/download`);
    expect(install.status).toBe(302);
    expect(await doneSteps()).toEqual(['project', 'phone']);

    const people = `/api/v1/organizations/${organizationId}`;
    const invite = await admin.post(`${people}/invites`, { email: 'jo@example.com', role: 'member' });
    expect(invite.status, invite.text).toBe(201);
    expect(await doneSteps()).toEqual(['project', 'phone', 'colleague']);
    expect((await admin.delete(`${people}/invites/${String(invite.body.identifier)}`)).status).toBe(204);
    expect(await doneSteps()).toEqual(['project', 'phone']);
  });

  it('do not count a draft as a project, nor an expired invitation as a colleague', async () => {
    const { fixture, admin, organizationId, doneSteps } = await start();
    const draft = await admin.post(
      '/api/v1/projects/from-package',
      { platform: 'android' },
      { organization_id: organizationId },
    );
    expect(draft.status).toBe(201);
    await admin.post(`/api/v1/organizations/${organizationId}/invites`, { email: 'jo@example.com', role: 'member' });
    expect(await doneSteps()).toEqual(['colleague']);
    fixture.clock.advance(30 * DAY);
    const { client } = await signIn(fixture);
    expect(await doneSteps(client)).toEqual([]);
  });

  it('count a second member as a colleague', async () => {
    const { fixture, organizationId, doneSteps } = await start();
    await addPerson(fixture, { organizations: { [organizationId]: 'member' } });
    expect(await doneSteps()).toEqual(['colleague']);
  });

  it('know the address and https from the configuration', async () => {
    const http = await start({ server: { base_url: 'http://192.168.1.20:8080' } });
    expect(await http.doneSteps()).toEqual(['address']);
    expect((await http.read()).server).toMatchObject({
      base_url: 'http://192.168.1.20:8080',
      suggested_base_url: null,
      tls_mode: 'off',
      mail_transport: 'outbox',
      data_dir: http.fixture.app.config.server.data_dir,
    });
    const https = await start({ server: { base_url: 'https://builds.example.com' } });
    expect(await https.doneSteps()).toEqual(['address', 'https']);
  });

  it('know email once the mail server took one', async () => {
    const smtp = await startMailServer();
    stops.push(() => smtp.stop());
    const { fixture, admin, doneSteps } = await start({
      mail: { transport: 'smtp', smtp: { host: 'localhost', port: smtp.port, security: 'none' } },
    });
    await fixture.drain();
    fixture.app.db.delete(outboxMails).run();
    expect(await doneSteps()).toEqual([]);
    const sent = await admin.post('/api/v1/system/test-email');
    expect([sent.status, sent.body]).toEqual([202, { recipient: fixture.admin.email }]);
    expect(await doneSteps()).toEqual([]);
    const tooSoon = await admin.post('/api/v1/system/test-email');
    expect(expectRefusal(tooSoon, 429, 'rate_limit_exceeded')).toEqual({ retry_after_seconds: 300 });
    expect(tooSoon.headers.get('retry-after')).toBe('300');
    await fixture.drain();
    expect(await doneSteps()).toEqual(['email']);
    expect(smtp.received.map(({ to }) => to)).toEqual([[fixture.admin.email]]);
    expect(smtp.received[0]?.source).toMatch(/^Subject: Test email\r$/m);
  });
});

describe('a test email', () => {
  it('is refused without a mail server', async () => {
    const { fixture, admin } = await start();
    const before = fixture.app.db.select().from(outboxMails).all().length;
    expectRefusal(await admin.post('/api/v1/system/test-email'), 400, 'operation_not_allowed');
    expect(fixture.app.db.select().from(outboxMails).all()).toHaveLength(before);
  });

  it('is for operators only', async () => {
    const { fixture, organizationId } = await start();
    const { client } = await addPerson(fixture, { organizations: { [organizationId]: 'admin' } });
    expectRefusal(await client.post('/api/v1/system/test-email'), 404, 'not_found');
  });
});

describe('people who are not operators', () => {
  it('see their own steps, and nothing of the server', async () => {
    const { fixture, organizationId, read } = await start();
    for (const role of ['admin', 'manager'] as const) {
      const { client } = await addPerson(fixture, { organizations: { [organizationId]: role } });
      expect(await read(client)).toEqual({
        is_dismissed: false,
        is_complete: false,
        steps: [
          { name: 'project', is_done: false },
          { name: 'phone', is_done: false },
          { name: 'colleague', is_done: true },
        ],
        server: null,
      });
    }
  });

  it('see nothing as members, and nothing of other organizations', async () => {
    const { fixture, organizationId, path } = await start();
    const member = await addPerson(fixture, { organizations: { [organizationId]: 'member' } });
    expectRefusal(await member.client.get(path), 403, 'insufficient_role');
    const stranger = await addPerson(fixture);
    expectRefusal(await stranger.client.get(path), 404, 'not_found');
  });

  it('cannot confirm a backup', async () => {
    const { fixture, organizationId, path } = await start();
    const { client } = await addPerson(fixture, { organizations: { [organizationId]: 'admin' } });
    expectRefusal(await change(client, path, { has_backup: true, is_dismissed: true }), 404, 'not_found');
    expect(fixture.app.db.select().from(setupMarks).all()).toEqual([]);
  });

  it('see what operators see no more once they are none', async () => {
    const { fixture, path, admin } = await start();
    expect((await admin.get<Setup>(path)).body.server).not.toBeNull();
    const { app } = fixture;
    app.db.update(developers).set({ isOperator: false }).where(eq(developers.id, fixture.admin.developer_id)).run();
    const { client } = await signIn(fixture);
    expect((await client.get<Setup>(path)).body).toMatchObject({ server: null, steps: { length: 3 } });
  });

  it('are the tokens of an operator too', async () => {
    const { fixture, organizationId, path } = await start();
    const of = { organizationId, developerId: fixture.admin.developer_id };
    const token = personalTokenClient(fixture, { ...of, scopes: ALL_SCOPES });
    expect((await token.get<Setup>(path)).body).toMatchObject({ server: null, steps: { length: 3 } });
    expectRefusal(await change(token, path, { has_backup: true }), 404, 'not_found');
    const reader = personalTokenClient(fixture, { ...of, scopes: scopes.read });
    expectRefusal(await reader.get(path), 403, 'permission_denied');
  });
});

describe('the decisions', () => {
  it('hide the checklist for one person in one organization, and show it again', async () => {
    const { fixture, admin, organizationId, path, read } = await start();
    const other = await addPerson(fixture, { organizations: { [organizationId]: 'admin' } });
    for (let time = 0; time < 2; time += 1) {
      const answer = await change(admin, path, { is_dismissed: true });
      expect([answer.status, answer.body.is_dismissed]).toEqual([200, true]);
    }
    expect((await read()).is_dismissed).toBe(true);
    expect((await read(other.client)).is_dismissed).toBe(false);
    const elsewhere = await admin.get<Setup>(`/api/v1/organizations/${fixture.organization_id}/setup`);
    expect(elsewhere.body.is_dismissed).toBe(false);
    expect((await change(admin, path, { is_dismissed: false })).body.is_dismissed).toBe(false);
    expect(fixture.app.db.select().from(setupMarks).all()).toEqual([]);
  });

  it('confirm the backup of the server for all operators, and withdraw it', async () => {
    const { fixture, admin, path, doneSteps } = await start();
    const { app } = fixture;
    expect((await change(admin, path, { has_backup: true })).status).toBe(200);
    expect(await doneSteps()).toEqual(['backup']);
    const second = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'admin' } });
    app.db.update(developers).set({ isOperator: true }).where(eq(developers.id, second.id)).run();
    const there = `/api/v1/organizations/${fixture.organization_id}/setup`;
    const seen = await second.client.get<Setup>(there);
    expect(seen.body.steps).toContainEqual({ name: 'backup', is_done: true });
    expect((await change(second.client, there, { has_backup: false })).status).toBe(200);
    expect(await doneSteps()).toEqual([]);
  });

  it('are refused with other values', async () => {
    const { admin, path } = await start();
    expectInvalid(await change(admin, path, { is_dismissed: 'yes' }), 'body.is_dismissed: bool_type');
  });

  it('are in the export of personal data', async () => {
    const { fixture, admin, organizationId, path } = await start();
    await change(admin, path, { is_dismissed: true });
    const developerId = fixture.admin.developer_id;
    expect(collectPersonalData(fixture.app, developerId).setup_decisions).toEqual([
      { organizationId, developerId, mark: 'dismissed', createdAt: fixture.app.clock.now().getTime() },
    ]);
  });

  it('are removed with the organization', async () => {
    const { fixture, admin, organizationId, path } = await start();
    await change(admin, path, { is_dismissed: true, has_backup: true });
    expect((await admin.delete(`/api/v1/organizations/${organizationId}`)).status).toBe(204);
    await fixture.drain();
    expect(fixture.app.db.select().from(setupMarks).all()).toEqual([]);
  });
});

describe('a complete checklist', () => {
  it('is complete for the steps that a person can do', async () => {
    const { fixture, admin, organizationId, path } = await start();
    const { client } = await addPerson(fixture, { organizations: { [organizationId]: 'admin' } });
    const inOrganization = { organization_id: organizationId };
    const answer = await admin.post('/api/v1/projects', { name: 'App', platform: 'android' }, inOrganization);
    const project = { ...inOrganization, project_id: String(answer.body.identifier) };
    const channelId = await makeChannel(admin, project, { public: true });
    const build = await uploadBuild(admin, project, buildApk());
    const release = await admin.post(
      '/api/v1/releases',
      { build_id: build.identifier },
      { ...project, channel_id: channelId },
    );
    expect((await client.get<Setup>(path)).body.is_complete).toBe(false);
    await admin.as(null).get(`/public/v1/channels/${channelId}/releases/${String(release.body.identifier)}/download`);
    expect((await client.get<Setup>(path)).body.is_complete).toBe(true);
    expect((await admin.get<Setup>(path)).body.is_complete).toBe(false);
  });
});
