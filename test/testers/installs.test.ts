// Install links of testers, the list of testers, and its CSV.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteAccount } from '../../src/accounts/deletion.ts';
import { systemContext } from '../../src/core/transact.ts';
import { builds, developers, downloads, organizations, releases } from '../../src/data/tables/tables.ts';
import { loadDeveloper } from '../../src/developers/store.ts';
import { nameDevice } from '../../src/testers/roster/device-name.ts';
import { buildPng } from '../support/fixtures.ts';
import { ABSENT, expectInvalid, expectRefusal, type Json } from '../support/harness.ts';
import { addProjectToken, type Person } from '../support/people.ts';
import { type Channel, startTesterScenario, type TesterScenario } from './scenario.ts';

interface Link extends Json {
  capability: string;
  download_url: string;
  install_url: string;
}
interface Tester extends Json {
  developer_id: string;
  email: string;
  grants: Json[];
  installed: Json | null;
}

const PHONE = 'com.apple.appstored/1.0 iOS/18.1 model/iPhone15,2 hwp/t8120 build/22B83 (6; dt:311) AMS/1';

let scenario: TesterScenario;
let channel: Channel;
let person: Person;
let releaseId: string;

beforeAll(async () => {
  scenario = await startTesterScenario();
});
afterAll(() => scenario?.fixture.stop());
beforeEach(async () => {
  channel = await scenario.makeChannel();
  person = await scenario.person({ name: 'Robin' });
  await scenario.admit(person, channel);
  releaseId = await scenario.release(channel);
});

const mint = (who = person, id = releaseId) => who.client.post<Link>(`/api/v1/testers/me/releases/${id}/install-link`);
const fetchPackage = ({ capability }: Link, userAgent = PHONE) =>
  scenario.admin
    .as(null)
    .send('GET', `/public/v1/install/${capability}/download`, { headers: { 'user-agent': userAgent } });
const testers = async () => (await scenario.admin.get<{ items: Tester[] }>(`${channel.path}/testers`)).body.items;

describe('an install link', () => {
  it('is a capability for 15 minutes that counts one download for its tester', async () => {
    const { status, body } = await mint();
    expect(status).toBe(201);
    const base = scenario.fixture.config.server.base_url;
    expect(body).toEqual({
      capability: expect.any(String),
      expires_at: expect.any(String),
      install_url: `${base}/install/${body.capability}`,
      download_url: `${base}/public/v1/install/${body.capability}/download`,
    });
    const life = Date.parse(String(body.expires_at)) - scenario.fixture.clock.now().getTime();
    expect(life).toBeGreaterThan(14 * 60_000);
    expect(life).toBeLessThanOrEqual(15 * 60_000);
    for (const _time of [1, 2]) expect((await fetchPackage(body)).status).toBe(302);
    expect((await scenario.admin.get(`${channel.path}/analytics`)).body).toMatchObject({
      total_downloads: 1,
      unique_testers: 1,
    });
  });

  it('requires a verified address, a sign-in, and an organization that allows downloads', async () => {
    const unproven = await scenario.person({ isVerified: false });
    await scenario.group(unproven, { channel_id: channel.id });
    expect((await unproven.client.get(`/api/v1/testers/me/channels/${channel.id}/releases`)).status).toBe(200);
    expectRefusal(await mint(unproven), 403, 'email_not_verified');
    expectRefusal(await mint({ ...person, client: scenario.admin.as(null) }), 401, 'unauthorized');
    expectRefusal(await mint({ ...person, client: scenario.admin }), 403, 'permission_denied');
    const { db } = scenario.fixture.app;
    const answers: Record<string, unknown> = {};
    for (const lockReason of ['suspended', 'awaiting_payment', 'grace', null] as const) {
      db.update(organizations).set({ lockReason }).run();
      const answer = await mint();
      answers[String(lockReason)] = answer.status === 201 ? 201 : (answer.body as Json).error;
    }
    expect(answers).toEqual({ suspended: 201, awaiting_payment: 'payment_required', grace: 'trial_ended', null: 201 });
  });

  it('stops working when the access ends, also for running installs', async () => {
    const { body: link } = await mint();
    expect((await fetchPackage(link)).status).toBe(302);
    const [row] = await testers();
    await scenario.admin.delete(`${channel.path}/testers/${row?.grants[0]?.identifier}`);
    expect((await fetchPackage(link)).status).toBe(404);
    expect((await scenario.admin.as(null).get(`/public/v1/install/${link.capability}`)).status).toBe(404);
    expectRefusal(await mint(), 404, 'not_found');
  });

  it('returns the icon to its tester', async () => {
    const { app } = scenario.fixture;
    const icon = buildPng(2, 2);
    await app.storage.put(`icons/${releaseId}`, icon);
    const buildId = app.db.select().from(releases).where(eq(releases.id, releaseId)).get()?.buildId ?? '';
    app.db
      .update(builds)
      .set({ iconKey: `icons/${releaseId}`, iconType: 'image/png' })
      .where(eq(builds.id, buildId))
      .run();
    const list = await person.client.get<{ items: { icon_url: string }[] }>(
      `/api/v1/testers/me/channels/${channel.id}/releases`,
    );
    const path = new URL(list.body.items[0]?.icon_url ?? '').pathname;
    const answer = await person.client.get(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expectRefusal(await (await scenario.person()).client.get(path), 404, 'not_found');
  });
});

describe('the testers of a channel', () => {
  it('are listed with their installed version, device and time', async () => {
    expect(await testers()).toEqual([
      {
        developer_id: person.id,
        email: person.email,
        display_name: 'Robin',
        is_verified: true,
        muted: false,
        grants: [
          {
            identifier: expect.any(String),
            level: 'channel',
            group_id: null,
            group_name: null,
            join_link_id: null,
            join_link_label: null,
            since: expect.any(String),
          },
        ],
        devices: [],
        installed: null,
      },
    ]);
    await fetchPackage((await mint()).body);
    const newer = await scenario.release(channel);
    const { app } = scenario.fixture;
    const build = app.db
      .select({ id: builds.id, versionName: builds.versionName, buildNumber: builds.buildNumber })
      .from(releases)
      .innerJoin(builds, eq(builds.id, releases.buildId))
      .where(eq(releases.id, newer))
      .get();
    await fetchPackage((await mint(person, newer)).body);
    expect((await testers())[0]?.installed).toEqual({
      state: 'downloaded',
      release_id: newer,
      build_id: build?.id,
      version_name: build?.versionName,
      build_number: build?.buildNumber,
      display_build_number: String(build?.buildNumber),
      device: 'iPhone15,2, iOS 18.1',
      at: expect.any(String),
    });
  });

  it('are not assigned downloads through a public link, which are anonymous', async () => {
    await scenario.admin.patch(channel.path, { public: true });
    const path = `/public/v1/channels/${channel.id}/releases/${releaseId}/download`;
    expect((await scenario.admin.as(null).send('GET', path, { headers: { 'user-agent': PHONE } })).status).toBe(302);
    expect((await testers())[0]?.installed).toBeNull();
    const { db } = scenario.fixture.app;
    const rows = db.select().from(downloads).where(eq(downloads.channelId, channel.id)).all();
    expect(rows).toMatchObject([{ developerId: null, userAgent: null }]);
  });

  it('leave no device data when they are deleted', async () => {
    await fetchPackage((await mint()).body);
    const context = systemContext(scenario.fixture.app);
    context.transact((tx) => deleteAccount(tx, loadDeveloper(tx, person.id)));
    const { db } = scenario.fixture.app;
    const rows = db.select().from(downloads).where(eq(downloads.channelId, channel.id)).all();
    expect(rows).toMatchObject([{ developerId: null, userAgent: null }]);
    expect(await testers()).toEqual([]);
  });

  it('are found by index when their account is deleted', () => {
    const plan = scenario.fixture.app.db.$client
      .prepare<[string], { detail: string }>(
        'EXPLAIN QUERY PLAN UPDATE downloads SET developer_id = NULL, user_agent = NULL WHERE developer_id = ?',
      )
      .all(ABSENT)
      .map(({ detail }) => detail);
    expect(plan).toEqual([expect.stringMatching(/^SEARCH downloads USING .*INDEX downloads_developer/)]);
  });

  it('are exported as a table without formulas', async () => {
    const { db } = scenario.fixture.app;
    db.update(developers).set({ displayName: '=1+1, "quoted"' }).where(eq(developers.id, person.id)).run();
    await scenario.group(person, { channel_id: channel.id }, { name: `+group ${channel.id}` });
    await fetchPackage((await mint()).body, 'Mozilla/5.0 (Linux; Android 15; Pixel 8 Build/AP3A) AppleWebKit/537.36');
    const asked = [
      await scenario.admin.get(`${channel.path}/testers`, { format: 'csv' }),
      await scenario.admin.send('GET', `${channel.path}/testers`, { headers: { accept: 'text/csv' } }),
    ];
    for (const answer of asked) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="testers-${channel.id}.csv"`);
      const [header, line, end] = answer.text.split('\r\n');
      expect(header).toBe(
        'email,display_name,developer_id,is_verified,muted,access_by,state,version_name,build_number,device,at',
      );
      expect(line).toMatch(
        new RegExp(
          `^${person.email},"'=1\\+1, ""quoted""",${person.id},true,false,channel; '\\+group ${channel.id},downloaded,1\\.\\d+,\\d+,"Pixel 8, Android 15",2`,
        ),
      );
      expect(end).toBe('');
    }
    const json = { headers: { accept: 'application/json, text/csv' } };
    expect((await scenario.admin.send('GET', `${channel.path}/testers`, json)).body).toMatchObject({
      next_cursor: null,
    });
    expectInvalid(await scenario.admin.get(`${channel.path}/testers`, { format: 'xls' }), 'query.format: enum');
  });

  it('can be read with a project token, and removed only by maintainers', async () => {
    const place = { organizationId: scenario.fixture.organization_id, projectId: scenario.fixture.android_project_id };
    const [row] = await testers();
    const path = `${channel.path}/testers/${row?.grants[0]?.identifier}`;
    const reader = scenario.admin.as(addProjectToken(scenario.fixture, { ...place, role: 'read' }));
    expect((await reader.get(`${channel.path}/testers`)).status).toBe(200);
    expectRefusal(await reader.delete(path), 403, 'permission_denied');
    const maintainer = scenario.admin.as(addProjectToken(scenario.fixture, { ...place, role: 'maintainer' }));
    expect((await maintainer.delete(path)).status).toBe(204);
    expectRefusal(await maintainer.delete(path), 404, 'not_found');
  });

  it('of another project can only be removed there', async () => {
    const grant = await scenario.grant(person, 'project');
    expectRefusal(await scenario.admin.delete(`${channel.path}/testers/${grant}`), 404, 'not_found');
    expectRefusal(
      await scenario.admin.delete(`/api/v1/projects/${scenario.fixture.ios_project_id}/testers/${grant}`),
      404,
      'not_found',
    );
  });
});

describe('the name of a device', () => {
  it.each([
    [null, null],
    ['', null],
    ['curl/8', null],
    [PHONE, 'iPhone15,2, iOS 18.1'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605 Version/17.4 Safari/604',
      'iPhone, iOS 17.4.1',
    ],
    ['Mozilla/5.0 (iPad; CPU OS 16_0 like Mac OS X) AppleWebKit/605', 'iPad, iOS 16.0'],
    ['Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007) Chrome/120', 'SM-S918B, Android 14'],
    ['Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/130 Mobile', 'Android 10'],
    ['Mozilla/5.0 (Android 15; Mobile; rv:132.0) Gecko/132.0', 'Android 15'],
    [`Android ${'9'.repeat(600)}`, null],
  ])('with the user agent %j is shown as %j', (userAgent, name) => {
    expect(nameDevice(userAgent)).toBe(name);
  });
});
