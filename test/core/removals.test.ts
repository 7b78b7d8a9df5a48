// Large deletions: hidden immediately, in bounded steps, resumed after a crash, and recorded completely.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deleteAccount } from '../../src/accounts/deletion.ts';
import { findBuild } from '../../src/builds/store.ts';
import { checkDatabase } from '../../src/checks/database.ts';
import { REMOVAL_JOB, REMOVAL_LANE, resumeRemovals, runRemovalJob } from '../../src/core/removal.ts';
import { systemContext } from '../../src/core/transact.ts';
import { listReferences } from '../../src/data/references.ts';
import { compareTotals } from '../../src/data/totals.ts';
import { loadDeveloper } from '../../src/developers/store.ts';
import { verifyDomainByOperator } from '../../src/sso/domains.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { makeProvider, signAnswer } from '../sso/provider.ts';
import { begin, connect, cookiesOf, deliver } from '../sso/scenario.ts';
import {
  api,
  auditMark,
  auditRows,
  type Client,
  createAccount,
  expectRefusal,
  outboxRows,
  signIn,
} from '../support/harness.ts';
import { addBuild, addRelease } from '../sweeps/scenario.ts';

const MANY = 1_000;
let fixture: Fixture;
let client: Client;

beforeEach(async () => {
  fixture = await startFixture();
  client = api(fixture);
});
afterEach(() => fixture.stop());

const sqlite = () => fixture.app.db.$client;
const count = (from: string, ...values: unknown[]) =>
  sqlite().prepare(`SELECT count(*) FROM ${from}`).pluck().get(values);
const brokenReferences = () => sqlite().pragma('foreign_key_check') as unknown[];

/** Copies a row, `MANY` times unless said, with fresh values of some columns; `n` is the number of the copy. */
function multiply(table: string, id: string, fresh: Record<string, string>, times = MANY): void {
  const columns = sqlite().prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  const values = columns.map((name) => fresh[name] ?? `"${name}"`).join(', ');
  sqlite()
    .prepare(
      `WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${times})
        INSERT INTO "${table}" SELECT ${values} FROM "${table}", numbers WHERE "${table}".rowid =
          (SELECT rowid FROM "${table}" WHERE "${columns[0]}" = ?)`,
    )
    .run(id);
}

const freshId = "printf('01900000-0000-7000-8000-%012x', n)";

/** Keeps the job from running until the returned function is called: the time between the answer and the last step. */
function holdRemovals(): () => Promise<void> {
  fixture.app.jobs.register(REMOVAL_JOB, () => {}, REMOVAL_LANE);
  return async () => {
    fixture.app.jobs.register(REMOVAL_JOB, runRemovalJob, REMOVAL_LANE);
    // As a server does that starts after a crash.
    resumeRemovals(systemContext(fixture.app));
    while (count('removals') !== 0) await fixture.app.jobs.drain();
  };
}

/** Deletes what is left, and checks what holds after each step. */
async function takeSteps(check: () => void): Promise<void> {
  while (count('removals') !== 0) {
    // A job that is asked to stop ends after a step.
    await runRemovalJob(systemContext(fixture.app), {}, AbortSignal.abort());
    check();
  }
}

/** Records how many rows each transaction changes. */
function watchTransactions(): number[] {
  const changes: number[] = [];
  const total = sqlite().prepare<[], number>('SELECT total_changes()').pluck();
  const begin = sqlite().transaction.bind(sqlite());
  sqlite().transaction = ((work: (...values: unknown[]) => unknown) =>
    begin((...values: unknown[]) => {
      const before = total.get() ?? 0;
      try {
        return work(...values);
      } finally {
        changes.push((total.get() ?? 0) - before);
      }
    })) as typeof begin;
  return changes;
}

/** Counts the statements that are prepared from now on. */
function watchPreparations(): () => number {
  let prepared = 0;
  const prepare = sqlite().prepare.bind(sqlite());
  sqlite().prepare = ((source: string) => {
    prepared += 1;
    return prepare(source);
  }) as typeof prepare;
  return () => prepared;
}

describe('references', () => {
  it('each have an index, so that no deletion scans a table', () => {
    const scanning = listReferences(fixture.app).filter(({ table, column }) => {
      const plan = sqlite().prepare(`EXPLAIN QUERY PLAN SELECT 1 FROM "${table}" WHERE "${column}" = ?`).all('');
      return !plan.every((step) => String((step as { detail: string }).detail).startsWith('SEARCH'));
    });
    expect(scanning).toEqual([]);
  });
});

describe('deleting a channel with thousands of releases', () => {
  async function fillChannel() {
    const buildId = await addBuild(fixture, 1, 0);
    const releaseId = addRelease(fixture, buildId);
    multiply('releases', releaseId, { id: freshId });
    const inProject = { organization_id: fixture.organization_id, project_id: fixture.android_project_id };
    const sdkApp = await client.post<{ identifier: string; app_key: string }>(
      '/api/v1/sdk-apps',
      { name: 'updates', channel_id: fixture.channel_id },
      inProject,
    );
    expect(sdkApp.status, sdkApp.text).toBe(201);
    return { buildId, releaseId, inProject, sdkApp: sdkApp.body };
  }

  it('hides all of it immediately and makes its name available', async () => {
    const { releaseId, inProject, sdkApp } = await fillChannel();
    const finish = holdRemovals();
    const path = `/api/v1/channels/${fixture.channel_id}`;
    expect((await client.delete(path, { force: true })).status).toBe(204);
    expect(count('releases')).toBeGreaterThan(MANY - 200);

    expectRefusal(await client.get(path), 404, 'not_found');
    expectRefusal(await client.get(`/api/v1/releases/${releaseId}`), 404, 'not_found');
    expectRefusal(await client.get(`/api/v1/sdk-apps/${sdkApp.identifier}`), 404, 'not_found');
    expect((await client.get('/api/v1/channels', inProject)).body.items).toEqual([]);
    expect((await client.get('/api/v1/releases/current', inProject)).body).toEqual([]);
    const overviews = await client.get('/api/v1/project-overviews', { organization_id: fixture.organization_id });
    expect(overviews.text).not.toContain(releaseId);
    const anonymous = api(fixture, null);
    expect((await anonymous.get(`/public/v1/channels/${fixture.channel_id}`)).status).toBe(404);
    expect((await anonymous.get(`/install/channels/${fixture.channel_id}`)).status).toBe(404);
    const headers = { 'x-svc-app-key': sdkApp.app_key, authorization: 'Bearer svc_upd_none' };
    expect((await anonymous.send('GET', '/sdk/v1/releases/latest', { headers })).status).toBe(401);
    expect((await client.post('/api/v1/channels', { name: 'fixture' }, inProject)).status).toBe(201);
    // What is left isn't damage.
    expect(brokenReferences().length).toBeGreaterThan(0);
    expect(checkDatabase(sqlite())).toMatchObject({ status: 'ok' });
    await finish();
    expect(brokenReferences()).toEqual([]);
  });

  it('records each of them with its author, in steps of at most 200 rows, also after a crash', async () => {
    const { buildId } = await fillChannel();
    const mark = auditMark(fixture);
    const finish = holdRemovals();
    const changes = watchTransactions();
    const answer = await client.delete(`/api/v1/channels/${fixture.channel_id}`, { force: true });
    expect(answer.status).toBe(204);
    await finish();
    // A release is a row, and so are its event in the trail and the one for webhooks.
    expect(Math.max(...changes)).toBeLessThanOrEqual(400);
    expect(count('releases')).toBe(0);
    expect(count('removals')).toBe(0);
    const rows = auditRows(fixture, { after: mark });
    const deleted = rows.filter((row) => row.event === 'deleted' && row.type === 'release');
    expect(deleted).toHaveLength(MANY + 1);
    expect(new Set(deleted.map((row) => row.identifier)).size).toBe(MANY + 1);
    for (const row of deleted) {
      expect(row).toMatchObject({
        organizationId: fixture.organization_id,
        developerId: fixture.admin.developer_id,
        actorKind: 'developer',
        actorId: fixture.admin.developer_id,
        actorName: 'Fixture Administrator',
        ipAddress: '127.0.0.1',
        details: { channel_id: fixture.channel_id, build_id: buildId, state: 'active' },
      });
    }
    expect(rows.filter((row) => row.type === 'channel')).toMatchObject([
      { event: 'deleted', identifier: fixture.channel_id, details: { name: 'fixture', releases: MANY + 1 } },
    ]);
    expect(rows.filter((row) => row.type === 'sdk_app')).toHaveLength(1);
    expect(outboxRows(fixture, 'release.deleted')).toHaveLength(MANY + 1);
  });

  it('counts a limited number of them, so that the cost of the request does not depend on their number', async () => {
    const releaseId = addRelease(fixture, await addBuild(fixture, 1, 0));
    multiply('releases', releaseId, { id: freshId }, 10_000);
    const path = `/api/v1/channels/${fixture.channel_id}`;
    const refused = await client.delete(path);
    const max = { releases: 10_000, or_more: true };
    expect(expectRefusal(refused, 409, 'dependency_exists')).toEqual({ ...max, sdk_apps: 0 });
    expect(refused.text).toContain('The channel has 10000 or more releases. Send force=true to delete them too');
    const mark = auditMark(fixture);
    holdRemovals();
    expect((await client.delete(path, { force: true })).status).toBe(204);
    const rows = auditRows(fixture, { after: mark }).filter((row) => row.type === 'channel');
    expect(rows).toMatchObject([{ event: 'deleted', details: { name: 'fixture', ...max } }]);
  });

  it('prepares no statement for each of them', async () => {
    await fillChannel();
    const finish = holdRemovals();
    expect((await client.delete(`/api/v1/channels/${fixture.channel_id}`, { force: true })).status).toBe(204);
    const preparations = watchPreparations();
    await finish();
    expect([count('releases'), count('outbox_events WHERE fanned_out_at IS NULL')]).toEqual([0, 0]);
    expect(preparations()).toBeLessThan(MANY / 10);
  });

  it('is rejected without force, and changes nothing', async () => {
    await fillChannel();
    const answer = await client.delete(`/api/v1/channels/${fixture.channel_id}`);
    expect(expectRefusal(answer, 409, 'dependency_exists')).toEqual({ releases: MANY + 1, sdk_apps: 1 });
    expect(count('releases')).toBe(MANY + 1);
    expect(count('removals')).toBe(0);
  });
});

describe('deleting other resources with many rows below them', () => {
  it('deletes the releases of a build in steps, and its version is available', async () => {
    const buildId = await addBuild(fixture, 1, 0);
    multiply('releases', addRelease(fixture, buildId), { id: freshId });
    const finish = holdRemovals();
    const changes = watchTransactions();
    expect((await client.delete(`/api/v1/builds/${buildId}`)).status).toBe(204);
    expectRefusal(await client.get(`/api/v1/builds/${buildId}`), 404, 'not_found');
    const list = await client.get('/api/v1/releases', {
      organization_id: fixture.organization_id,
      project_id: fixture.android_project_id,
      channel_id: fixture.channel_id,
    });
    expect(list.body.items).toEqual([]);
    await addBuild(fixture, 1, 0);
    await finish();
    expect(Math.max(...changes)).toBeLessThanOrEqual(400);
    expect(count('releases')).toBe(0);
    expect(outboxRows(fixture, 'release.deleted')).toHaveLength(MANY + 1);
  });

  it('disables the tokens of an organization immediately, and deletes its members, groups and devices in steps', async () => {
    const person = await createAccount(fixture, { organizationName: 'Leaving' });
    const { client: own } = await signIn(fixture, person);
    const organizations = await own.get<{ identifier: string }[]>('/api/v1/organizations');
    const organizationId = organizations.body.find(Boolean)?.identifier ?? '';
    const path = `/api/v1/organizations/${organizationId}`;
    const token = await own.post<{ token: string }>(
      '/api/v1/pats',
      { name: 'ci', scopes: 1 },
      { organization_id: organizationId },
    );
    expect(token.status, token.text).toBe(201);
    const group = await own.post<{ identifier: string }>(`${path}/tester-groups`, { name: 'friends' });
    const member = await own.post<{ identifier: string }>(`${path}/tester-groups/${group.body.identifier}/members`, {
      email: 'friend@example.test',
    });
    expect(member.status, member.text).toBe(201);
    multiply('tester_group_members', member.body.identifier, {
      id: freshId,
      email: "'friend' || n || '@example.test'",
    });
    const finish = holdRemovals();
    const changes = watchTransactions();
    expect((await own.delete(path)).status).toBe(204);
    expect(count('tester_group_members')).toBeGreaterThan(MANY - 200);
    expectRefusal(await own.get(path), 404, 'not_found');
    expect((await own.get('/api/v1/organizations')).body).toEqual([]);
    expectRefusal(await own.as(token.body.token).get('/api/v1/developers/me'), 401, 'unauthorized');
    await finish();
    // A trigger raises the version of access with each row.
    expect(Math.max(...changes)).toBeLessThanOrEqual(2 * 200);
    for (const table of ['organization_memberships', 'tester_groups', 'personal_access_tokens', 'access_versions'])
      expect([table, count(`${table} WHERE organization_id = ?`, organizationId)].slice(0, 2)).toEqual([table, 0]);
    expect(count('tester_group_members')).toBe(0);
    expect(brokenReferences()).toEqual([]);
  });

  it('disables the single sign-on of an organization immediately, and its domain is available', async () => {
    const organizationId = (await client.post('/api/v1/organizations', { name: 'Leaving' })).text;
    const path = `/api/v1/organizations/${organizationId}`;
    await connect(fixture, await makeProvider(), { organizationId });
    expect((await client.put(`${path}/sso/require`, { required: true })).status).toBe(200);
    const member = await createAccount(fixture, { email: 'member@example.test' });
    sqlite()
      .prepare(
        `INSERT INTO organization_memberships (organization_id, developer_id, role, created_at) VALUES (?, ?, 'member', 0)`,
      )
      .run(organizationId, member.developer_id);
    const device = await client.post<{ identifier: string }>(
      '/api/v1/devices',
      { udid: '00008030-001C2D223A62802E', name: 'phone' },
      { organization_id: organizationId },
    );
    expect(device.status, device.text).toBe(201);
    multiply('devices', device.body.identifier, { id: freshId, udid: "printf('00008030-%016X', n)" });
    const anyone = api(fixture, null);
    const answers = async () => ({
      login: (await anyone.post('/api/v1/login', { email: member.email, password: member.password })).status,
      discovered: (await anyone.post('/api/v1/login/sso/discover', { email: member.email })).body.sso,
      begun: (await fetch(`${fixture.url}${path}/sso/login`, { redirect: 'manual' })).status,
    });
    expect(await answers()).toEqual({ login: 403, discovered: true, begun: 302 });
    const finish = holdRemovals();
    expect((await client.delete(path)).status).toBe(204);
    expect(count('devices')).toBeGreaterThan(MANY - 200);
    expect(await answers()).toEqual({ login: 200, discovered: false, begun: 404 });
    const { verified } = verifyDomainByOperator(systemContext(fixture.app), fixture.organization_id, 'example.test');
    expect(verified).toBe(true);
    await finish();
    expect(brokenReferences()).toEqual([]);
  });

  it('revokes the access of a group immediately', async () => {
    const tester = await createAccount(fixture, { email: 'tester@example.test' });
    const { client: own } = await signIn(fixture, tester);
    const groups = `/api/v1/organizations/${fixture.organization_id}/tester-groups`;
    const group = await client.post<{ identifier: string }>(groups, { name: 'friends' });
    const path = `${groups}/${group.body.identifier}`;
    const member = await client.post<{ identifier: string }>(`${path}/members`, { email: tester.email });
    const grant = await client.post(`${path}/grants`, { channel_id: fixture.channel_id });
    expect([member.status, grant.status]).toEqual([201, 201]);
    const fresh = { id: freshId, email: "'friend' || n || '@example.test'", developer_id: 'NULL' };
    multiply('tester_group_members', member.body.identifier, fresh);
    multiply('tester_group_grants', String(grant.body.identifier), { id: freshId, target_id: freshId });
    const reached = () => own.get<{ items: unknown[] }>('/api/v1/testers/me/organizations');
    expect((await reached()).body.items).toHaveLength(1);
    const finish = holdRemovals();
    const changes = watchTransactions();
    expect((await client.delete(path)).status).toBe(204);
    expect((await reached()).body.items).toEqual([]);
    await finish();
    // A trigger raises the version of access with each row.
    expect(Math.max(...changes)).toBeLessThanOrEqual(2 * 200);
    expect([count('tester_group_members'), count('tester_group_grants')]).toEqual([0, 0]);
  });

  it('disables the tokens of a project immediately', async () => {
    const list = await client.get<{ items: { identifier: string }[] }>('/api/v1/project-access-tokens', {
      organization_id: fixture.organization_id,
      project_id: fixture.android_project_id,
    });
    const id = list.body.items[0]?.identifier ?? '';
    multiply('project_access_tokens', id, { id: freshId, token_hash: "'hash ' || n" });
    const finish = holdRemovals();
    const changes = watchTransactions();
    expect((await client.delete(`/api/v1/projects/${fixture.android_project_id}`)).status).toBe(204);
    expect(count('project_access_tokens')).toBeGreaterThan(MANY - 300);
    const token = client.as(fixture.project_access_token);
    expectRefusal(await token.get('/api/v1/organizations'), 401, 'unauthorized');
    expect((await api(fixture, null).get(`/public/v1/channels/${fixture.channel_id}`)).status).toBe(404);
    expectRefusal(await client.get(`/api/v1/channels/${fixture.channel_id}`), 404, 'not_found');
    await finish();
    expect(Math.max(...changes)).toBeLessThanOrEqual(200);
    expect([count('project_access_tokens'), count('channels')]).toEqual([0, 0]);
    expect(brokenReferences()).toEqual([]);
  });

  it('deletes a project with its builds only with force, hides them immediately and records each', async () => {
    const releasedId = await addBuild(fixture, 1, 0);
    addRelease(fixture, releasedId);
    const buildId = await addBuild(fixture, 2, 0);
    multiply('builds', buildId, {
      id: freshId,
      build_number: 'n + 10',
      object_key: "'builds/copy-' || n || '/package.apk'",
      pending_upload_id: freshId,
    });
    const path = `/api/v1/projects/${fixture.android_project_id}`;
    const inProject = { organization_id: fixture.organization_id, project_id: fixture.android_project_id };
    expect((await client.get(`${path}/contents`)).body).toEqual({
      builds: MANY + 2,
      releases: 1,
      channels: 1,
      pending_uploads: 0,
    });
    expectRefusal(await client.delete(path), 409, 'dependency_exists');
    expectRefusal(await client.delete(path, { force: false }), 409, 'dependency_exists');
    expect([count('builds'), count('removals')]).toEqual([MANY + 2, 0]);

    // Those of a deleted build stay, because the channel counts them, and so do those of another project.
    const download = sqlite().prepare(
      `INSERT INTO downloads (id, organization_id, project_id, build_id, channel_id, release_id, developer_id, user_agent, created_at)
        VALUES (?, ?, ?, 'build', ?, ?, ?, 'Phone', 0)`,
    );
    const { organization_id: organizationId, ios_project_id: otherId } = fixture;
    for (const [id, projectId, channelId] of [
      ['first', fixture.android_project_id, fixture.channel_id],
      ['other', otherId, 'channel'],
    ] as const) {
      download.run(id, organizationId, projectId, channelId, `release of ${id}`, fixture.admin.developer_id);
    }
    multiply('downloads', 'first', { id: freshId, build_id: freshId, created_at: 'n' });
    const DAYS = 86_400_000;
    multiply('downloads', 'other', { id: "'other ' || n", channel_id: 'NULL', created_at: `n * ${DAYS}` }, 2);
    expect(compareTotals(sqlite())).toEqual([]);

    const mark = auditMark(fixture);
    const finish = holdRemovals();
    const changes = watchTransactions();
    expect((await client.delete(path, { force: true })).status).toBe(204);
    expect(count('builds')).toBeGreaterThan(MANY - 200);
    expect(compareTotals(sqlite())).toEqual([]);
    expectRefusal(await client.get(path), 404, 'not_found');
    expectRefusal(await client.get(`${path}/contents`), 404, 'not_found');
    expectRefusal(await client.get(`/api/v1/builds/${buildId}`), 404, 'not_found');
    expectRefusal(await client.get('/api/v1/builds', inProject), 404, 'not_found');
    const left = sqlite().prepare<[], string>('SELECT id FROM builds LIMIT 1').pluck().get() ?? '';
    expect(findBuild(fixture.app, left)).toBeUndefined();
    await takeSteps(() => expect(compareTotals(sqlite())).toEqual([]));
    await finish();
    expect(Math.max(...changes)).toBeLessThanOrEqual(400);
    expect([count('builds'), count('releases'), count('channels')]).toEqual([0, 0, 0]);
    expect(count('downloads WHERE project_id = ?', fixture.android_project_id)).toBe(0);
    expect([count('downloads'), count('download_sums'), count('download_totals')]).toEqual([3, 2, 2]);
    expect(count('download_days')).toBe(1);
    expect(compareTotals(sqlite())).toEqual([]);
    expect(brokenReferences()).toEqual([]);

    const rows = auditRows(fixture, { after: mark });
    const deleted = (type: string) => rows.filter((row) => row.event === 'deleted' && row.type === type);
    expect(new Set(deleted('build').map(({ identifier }) => identifier)).size).toBe(MANY + 2);
    expect(deleted('release')).toMatchObject([{ details: { build_id: releasedId } }]);
    expect(deleted('project')).toMatchObject([{ identifier: fixture.android_project_id }]);
    for (const row of deleted('build')) expect(row.actorId).toBe(fixture.admin.developer_id);
    expect(outboxRows(fixture, 'build.deleted')).toHaveLength(MANY + 2);
    expect(outboxRows(fixture, 'release.deleted')).toHaveLength(1);
  });

  it('deletes an account with thousands of downloads and events in steps', async () => {
    const person = await createAccount(fixture, { email: 'leaver@example.test' });
    const id = person.developer_id;
    sqlite()
      .prepare(
        `INSERT INTO downloads (id, organization_id, project_id, build_id, developer_id, user_agent, created_at)
          VALUES ('first', ?, ?, 'build', ?, 'Phone', 0)`,
      )
      .run(fixture.organization_id, fixture.android_project_id, id);
    multiply('downloads', 'first', { id: freshId });
    const first = sqlite().prepare('SELECT id FROM audit_events WHERE chain = ? LIMIT 1').pluck().get(id);
    multiply('audit_events', String(first), { id: freshId, sequence: 'n + 1000' });
    sqlite().prepare('UPDATE developers SET deletion_due_at = 1, locked_at = 1 WHERE id = ?').run(id);
    const changes = watchTransactions();
    expect(await fixture.sweep('account-deletions')).toBe(1);
    expect(Math.max(...changes)).toBeLessThanOrEqual(210);
    expect(count('downloads')).toBe(MANY + 1);
    expect(count('downloads WHERE developer_id IS NOT NULL OR user_agent IS NOT NULL')).toBe(0);
    expect(count('audit_events WHERE chain = ?', id)).toBe(0);
    expect(count('removals')).toBe(0);
    expect(brokenReferences()).toEqual([]);
  });

  it('allows signing in through the identity provider immediately after the account was deleted', async () => {
    const provider = await makeProvider();
    await connect(fixture, provider);
    const come = async () => {
      const started = await begin(fixture);
      const answer = signAnswer(provider, started.target, { email: 'leaver@example.test', nameId: 'leaver' });
      const response = await deliver(fixture, answer, { cookie: started.cookie });
      const headers = { cookie: cookiesOf(response.headers) };
      const me = await fetch(`${fixture.url}/api/v1/developers/me`, { headers });
      return { status: response.status, id: String(((await me.json()) as { identifier?: string }).identifier) };
    };
    const first = await come();
    expect(first.status).toBe(302);
    sqlite()
      .prepare(
        `INSERT INTO downloads (id, organization_id, project_id, build_id, developer_id, created_at)
          VALUES ('first', ?, ?, 'build', ?, 0)`,
      )
      .run(fixture.organization_id, fixture.android_project_id, first.id);
    multiply('downloads', 'first', { id: freshId });
    const finish = holdRemovals();
    const removes = { removes: true } as const;
    systemContext(fixture.app).transact((tx) => deleteAccount(tx, loadDeveloper(tx, first.id)), removes);
    expect(count('downloads WHERE developer_id = ?', first.id)).toBe(MANY + 1);
    const second = await come();
    expect([second.status, second.id === first.id]).toEqual([302, false]);
    await finish();
    expect(count('sso_identities WHERE developer_id = ?', second.id)).toBe(1);
    expect(brokenReferences()).toEqual([]);
  });

  it('keeps emails that an address gets after its account was deleted', async () => {
    const person = await createAccount(fixture, { email: 'leaver@example.test' });
    const path = `/api/v1/organizations/${fixture.organization_id}/invites`;
    const invite = () => client.post(path, { email: person.email, role: 'member' });
    expect((await invite()).status).toBe(201);
    const [before] = fixture.mail.messages.filter(({ to }) => to === person.email);
    const first = sqlite()
      .prepare('SELECT id FROM audit_events WHERE chain = ? LIMIT 1')
      .pluck()
      .get(person.developer_id);
    multiply('audit_events', String(first), { id: freshId, sequence: 'n + 1000' });
    const finish = holdRemovals();
    const removes = { removes: true } as const;
    systemContext(fixture.app).transact((tx) => deleteAccount(tx, loadDeveloper(tx, person.developer_id)), removes);
    const signUp = { email: person.email, password: 'a long pass phrase 4711', display_name: 'Leaver' };
    expect((await api(fixture, null).post('/api/v1/developers', signUp)).status).toBe(202);
    await finish();
    const subjects = fixture.mail.messages.filter(({ to }) => to === person.email).map(({ subject }) => subject);
    expect(subjects).toHaveLength(1);
    expect(subjects).not.toContain(before?.subject);
  });
});
