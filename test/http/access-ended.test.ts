// Access that ends, or an organization that is locked, while a request waits for something: the request changes nothing then.
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { builds, downloads, organizations, packageIntegrity, pendingUploads } from '../../src/data/tables/tables.ts';
import { inspectorOf } from '../../src/inspection/run.ts';
import { mintCapability } from '../../src/install/capability.ts';
import { type MeteredScenario, startMetered } from '../billing/metered.ts';
import { complete, initiate, makeChannel, sendBytes, uploadBuild } from '../builds/scenario.ts';
import { startIssuer } from '../sso/issuer.ts';
import { settings } from '../sso/oidc-scenario.ts';
import { ssoPath } from '../sso/scenario.ts';
import { buildApk, buildPng } from '../support/fixtures.ts';
import { auditMark, auditRows, expectRefusal, type Page } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';

let scenario: MeteredScenario;
beforeEach(async () => {
  // With billing, an organization can be suspended.
  scenario = await startMetered();
  scenario.credit(10_000);
});
afterEach(() => scenario[Symbol.asyncDispose]());
afterEach(() => vi.restoreAllMocks());

const path = (organizationId: string) => `/api/v1/organizations/${organizationId}`;

/** Revokes the token of the fixture. */
async function revokeToken(): Promise<void> {
  const { admin, android } = scenario;
  const { body } = await admin.get<Page<{ identifier: string }>>('/api/v1/project-access-tokens', { ...android });
  const [token] = body.items;
  const answer = await admin.post(`/api/v1/project-access-tokens/${token?.identifier}/revoke`);
  expect(answer.status, answer.text).toBe(204);
}

async function revokeBuild(id: string): Promise<void> {
  const answer = await scenario.admin.post(`/api/v1/builds/${id}/revoke`);
  expect(answer.status, answer.text).toBe(200);
}

/** Ends the request's access when it asks the storage the first time. */
function whenAsking(method: 'head' | 'move' | 'put' | 'signPut', act: () => Promise<unknown>): void {
  const { storage } = scenario.fixture.app;
  const ask = storage[method] as (...words: unknown[]) => Promise<unknown>;
  Object.assign(storage, {
    async [method](...words: unknown[]) {
      Object.assign(storage, { [method]: ask });
      await act();
      return ask(...words);
    },
  });
}

/** Does something when a package is inspected. */
function whenInspecting(act: () => Promise<unknown>): void {
  const inspector = inspectorOf(scenario.fixture.app);
  const { inspect } = inspector;
  vi.spyOn(inspector, 'inspect').mockImplementationOnce(async (...words) => {
    await act();
    return inspect(...words);
  });
}

describe('a request that waits for the identity provider', () => {
  it('of an admin who is removed during it does not replace the provider', async () => {
    const { fixture, admin } = scenario;
    const issuer = await startIssuer();
    onTestFinished(issuer.stop);
    const { organization_id: id } = fixture;
    expect((await admin.put(ssoPath(id), settings(issuer))).status).toBe(200);
    const before = (await admin.get(ssoPath(id))).body;
    const leaving = await addPerson(fixture, { organizations: { [id]: 'admin' } });
    const other = await startIssuer();
    onTestFinished(other.stop);
    const discovery = '/.well-known/openid-configuration';
    let mark = '';
    other.overrides.set(discovery, async (response) => {
      other.overrides.clear();
      expect((await admin.delete(`${path(id)}/members/${leaving.id}`)).status).toBe(204);
      mark = auditMark(fixture);
      const document = await fetch(other.base + discovery);
      response.writeHead(200, { 'content-type': 'application/json' }).end(await document.text());
    });
    expectRefusal(await leaving.client.put(ssoPath(id), settings(other)), 404, 'not_found');
    expect((await admin.get(ssoPath(id))).body).toEqual(before);
    expect(auditRows(fixture, { after: mark })).toEqual([]);
  });
});

describe('completing an upload', () => {
  it('with a token that is revoked during it creates no build, and others can complete it', async () => {
    const { fixture, admin, ci, android } = scenario;
    const pending = await initiate(ci, android);
    expect(await sendBytes(pending, buildApk())).toBe(201);
    whenInspecting(revokeToken);
    expectRefusal(await complete(ci, android, pending.pending_upload_id), 401, 'unauthorized');
    expect(fixture.app.db.select().from(builds).all()).toEqual([]);
    const answer = await complete(admin, android, pending.pending_upload_id);
    expect(answer.status, answer.text).toBe(201);
  });

  it('of an organization that is suspended during it creates no build', async () => {
    const { fixture, ci, android } = scenario;
    const { db } = fixture.app;
    const pending = await initiate(ci, android);
    await sendBytes(pending, buildApk());
    const lock = { lockReason: 'suspended', lockAdvancesAt: null } as const;
    whenInspecting(async () =>
      db.update(organizations).set(lock).where(eq(organizations.id, android.organization_id)).run(),
    );
    expectRefusal(await complete(ci, android, pending.pending_upload_id), 402, 'billing_suspended');
    expect(db.select().from(builds).all()).toEqual([]);
    expect(db.select().from(pendingUploads).all()).toHaveLength(1);
  });

  it('of a project that is deleted during it leaves no objects', async () => {
    const { fixture, admin, ci, android } = scenario;
    const pending = await initiate(ci, android);
    await sendBytes(pending, buildApk());
    whenAsking('move', async () => {
      const answer = await admin.delete(`/api/v1/projects/${android.project_id}`, { force: true });
      expect(answer.status, answer.text).toBe(204);
      await fixture.drain();
    });
    expectRefusal(await complete(admin, android, pending.pending_upload_id), 404, 'not_found');
    await fixture.drain();
    expect((await fixture.app.storage.list('builds/', { limit: 10 })).items).toEqual([]);
  });
});

describe('starting an upload', () => {
  it('in a project that is deleted during it is not found', async () => {
    const { fixture, admin, android } = scenario;
    whenAsking('signPut', () => admin.delete(`/api/v1/projects/${android.project_id}`));
    const identity = { version_name: '1', build_number: 1 };
    expectRefusal(await admin.post('/api/v1/builds/initiate', identity, { ...android }), 404, 'not_found');
    expect(fixture.app.db.select().from(pendingUploads).all()).toEqual([]);
  });
});

describe('an icon', () => {
  it('is not stored for a session that is revoked during the request', async () => {
    const { fixture } = scenario;
    const { organization_id: id } = fixture;
    const person = await addPerson(fixture, { organizations: { [id]: 'admin' } });
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(buildPng(8, 8))]), 'icon.png');
    whenAsking('put', () => person.client.delete('/api/v1/sessions'));
    const answer = await person.client.send('POST', `${path(id)}/icon`, { rawBody: form });
    expectRefusal(answer, 401, 'unauthorized');
    expect((await scenario.admin.get(path(id))).body).toMatchObject({ has_icon: false });
    expect((await fixture.app.storage.list('icons/', { limit: 10 })).items).toEqual([]);
  });
});

describe('a download', () => {
  it('with a token that is revoked during the request returns no link and is not recorded', async () => {
    const { fixture, ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk());
    whenAsking('head', revokeToken);
    expectRefusal(await ci.get(`/api/v1/builds/${build.identifier}/download`), 401, 'unauthorized');
    expect(fixture.app.db.select().from(downloads).all()).toEqual([]);
  });

  it('of a build that is deleted during the request is not found, and reports no damage', async () => {
    const { fixture, admin, ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk());
    const errors = vi.spyOn(fixture.app.log, 'error');
    whenAsking('head', async () => {
      expect((await admin.delete(`/api/v1/builds/${build.identifier}`)).status).toBe(204);
      await fixture.drain();
    });
    expectRefusal(await ci.get(`/api/v1/builds/${build.identifier}/download`), 404, 'not_found');
    expect(errors.mock.calls).toEqual([]);
    expect(fixture.app.db.select().from(downloads).all()).toEqual([]);
    expect(fixture.app.db.select().from(packageIntegrity).all()).toEqual([]);
  });

  it('of a build that is revoked during the request returns no link', async () => {
    const { fixture, admin, ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk());
    whenAsking('head', () => revokeBuild(build.identifier));
    const answer = await ci.get(`/api/v1/builds/${build.identifier}/download`);
    expectRefusal(answer, 400, 'operation_not_allowed');
    expect(fixture.app.db.select().from(downloads).all()).toEqual([]);

    const released = await uploadBuild(ci, android, buildApk({ versionCode: 2 }));
    const inChannel = { ...android, channel_id: fixture.channel_id };
    const release = await admin.post('/api/v1/releases', { build_id: released.identifier }, inChannel);
    expect(release.status, release.text).toBe(201);
    whenAsking('head', () => revokeBuild(released.identifier));
    const url = `/public/v1/channels/${fixture.channel_id}/releases/${release.body.identifier}/download`;
    expectRefusal(await admin.as(null).get(url), 404, 'not_found');
    expect(fixture.app.db.select().from(downloads).all()).toEqual([]);
  });

  it('of a release that ends during the request, or for people whose access does, returns no link', async () => {
    const { fixture, admin, ci, android } = scenario;
    const { organization_id: id } = fixture;
    const { db } = fixture.app;
    const build = await uploadBuild(ci, android, buildApk());
    const anyone = admin.as(null);
    const member = await addPerson(fixture, {
      organizations: { [id]: 'member' },
      projects: { [android.project_id]: 'read_download' },
    });
    let channel = '';
    let release = '';
    let token = '';
    const onPage = () => `/public/v1/channels/${channel}/releases/${release}/download`;
    const ways = {
      page: async () => () => anyone.get(onPage()),
      // Its response has a link too.
      head: async () => () => fetch(fixture.url + onPage(), { method: 'HEAD', redirect: 'manual' }),
      capability: async () => {
        const holder = { releaseId: release, channelId: channel, developerId: member.id };
        const { token: capability } = mintCapability(fixture.app, holder);
        return () => anyone.get(`/public/v1/install/${capability}/download`);
      },
      feed: async () => {
        const { body } = await member.client.post(`/api/v1/channels/${channel}/feed-tokens`, {});
        token = String(body.identifier);
        return () => anyone.get(`/feeds/${body.token}/latest.apk`);
      },
      app: async () => {
        const { body: app } = await admin.post(
          '/api/v1/sdk-apps',
          { name: channel, channel_id: channel },
          { ...android },
        );
        const headers = { 'x-svc-app-key': String(app.app_key) };
        const body = { app_secret: app.app_secret };
        const install = await anyone.send('POST', '/sdk/v1/enroll', { headers, body });
        const updater = anyone.as(String(install.body.update_token));
        return () => updater.send('GET', `/sdk/v1/releases/${release}/download`, { headers });
      },
    };
    const acts = {
      'channel made private': () => admin.patch(`/api/v1/channels/${channel}`, { public: false }),
      'channel deleted': () => admin.delete(`/api/v1/channels/${channel}`, { force: true }),
      'release disabled': () => admin.post(`/api/v1/releases/${release}/disable`),
      'token revoked': () => member.client.delete(`/api/v1/feed-tokens/${token}`),
      'organization locked': async () => {
        const lock = { lockReason: 'awaiting_payment', lockAdvancesAt: null } as const;
        db.update(organizations).set(lock).where(eq(organizations.id, id)).run();
      },
      // The last one.
      'member removed': () => admin.delete(`${path(id)}/members/${member.id}`),
    };
    const endings: [way: keyof typeof ways, act: keyof typeof acts, status: number][] = [
      ['page', 'channel made private', 404],
      ['page', 'release disabled', 404],
      ['head', 'channel deleted', 404],
      ['feed', 'token revoked', 404],
      ['feed', 'release disabled', 404],
      ['app', 'release disabled', 404],
      ['page', 'organization locked', 402],
      ['feed', 'organization locked', 402],
      ['app', 'organization locked', 402],
      ['capability', 'organization locked', 402],
      ['capability', 'member removed', 404],
    ];
    for (const [way, act, status] of endings) {
      channel = await makeChannel(admin, android, { public: true });
      const made = await admin.post(
        '/api/v1/releases',
        { build_id: build.identifier },
        { ...android, channel_id: channel },
      );
      release = String(made.body.identifier);
      const download = await ways[way]();
      whenAsking('head', acts[act]);
      expect([way, act, (await download()).status]).toEqual([way, act, status]);
      db.update(organizations).set({ lockReason: null }).where(eq(organizations.id, id)).run();
    }
    expect(db.select().from(downloads).all()).toEqual([]);

    // A newer release ends nothing.
    const inChannel = { ...android, channel_id: fixture.channel_id };
    const publish = () => admin.post('/api/v1/releases', { build_id: build.identifier }, inChannel);
    channel = fixture.channel_id;
    release = String((await publish()).body.identifier);
    whenAsking('head', publish);
    expect((await anyone.get(onPage())).status).toBe(302);
  });

  it('of an install whose SDK app is revoked during the request returns no link', async () => {
    const { fixture, admin, ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk());
    const inChannel = { ...android, channel_id: fixture.channel_id };
    const release = await admin.post('/api/v1/releases', { build_id: build.identifier }, inChannel);
    const named = { name: 'Harbour', channel_id: fixture.channel_id };
    const { body: app } = await admin.post<Record<string, string>>('/api/v1/sdk-apps', named, { ...android });
    const headers = { 'x-svc-app-key': app.app_key ?? '' };
    const install = await admin.as(null).send<{ update_token: string }>('POST', '/sdk/v1/enroll', {
      headers,
      body: { app_secret: app.app_secret },
    });
    whenAsking('head', () => admin.post(`/api/v1/sdk-apps/${app.identifier}/revoke`));
    const path = `/sdk/v1/releases/${release.body.identifier}/download`;
    expectRefusal(await admin.as(install.body.update_token).send('GET', path, { headers }), 401, 'unauthorized');
    expect(fixture.app.db.select().from(downloads).all()).toEqual([]);
  });
});
