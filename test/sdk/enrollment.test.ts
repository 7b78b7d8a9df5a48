// Enrolling installs, enrolling them again, and rotating tokens.
import { count, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { releases, sdkApps, sdkInstalls, sdkReports, sdkTokens } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { deleteInactiveInstalls } from '../../src/sdk/cleanup.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { expectInvalid, expectRefusal, type Page, walkPages } from '../support/harness.ts';
import { type Enrollment, type SdkApp, type SdkScenario, startSdkScenario } from './scenario.ts';

let fixture: Fixture;
let scenario: SdkScenario;

beforeAll(async () => {
  fixture = await startFixture();
  scenario = await startSdkScenario(fixture);
});
afterAll(() => fixture?.stop());

const now = () => fixture.clock.now().getTime();
const works = async (token: string, app: SdkApp = scenario.app) =>
  (await scenario.ask('/app', { key: app.app_key, token })).status === 200;
const rotate = (token: string) => scenario.tell<Enrollment>('/token/rotate', { key: scenario.app.app_key, token });
const listInstalls = async (app: SdkApp) =>
  (await (await scenario.staff()).get<Page>(`/api/v1/sdk-apps/${app.identifier}/installs`)).body.items;

describe('enrolling', () => {
  it('returns an id and a token for thirty days, and lists the install with its data', async () => {
    const app = await scenario.addApp();
    const before = now();
    const facts = {
      bundle_identifier: 'com.example.app',
      device_model: 'Pixel 9',
      os_version: '16',
      version_name: '1.4',
      build_number: 140,
    };
    const answer = await scenario.tell<Enrollment>(
      '/enroll',
      { key: app.app_key },
      { app_secret: app.app_secret, ...facts },
    );
    expect([answer.status, Object.keys(answer.body).sort()]).toEqual([
      201,
      ['expires_at', 'install_id', 'update_token'],
    ]);
    expect(answer.body.update_token).toMatch(/^svc_upd_[\w-]{43}$/);
    const lifetime = Date.parse(answer.body.expires_at) - before;
    expect(lifetime).toBeGreaterThanOrEqual(30 * DAY);
    expect(lifetime).toBeLessThan(30 * DAY + 10 * SECOND);
    expect(await listInstalls(app)).toEqual([
      {
        ...facts,
        identifier: expect.any(String),
        install_id: answer.body.install_id,
        enrolled_at: expect.any(String),
        last_seen_at: expect.any(String),
        last_report: null,
      },
    ]);
    expect((await (await scenario.staff()).get(`/api/v1/sdk-apps/${app.identifier}`)).body.install_count).toBe(1);
  });

  it('works until the exact expiry', async () => {
    const { update_token, expires_at } = await scenario.enroll();
    fixture.clock.set(new Date(Date.parse(expires_at) - SECOND));
    expect(await works(update_token)).toBe(true);
    fixture.clock.set(new Date(Date.parse(expires_at)));
    expect(await works(update_token)).toBe(false);
  });

  it('accepts the id that an install sends, and recognizes it', async () => {
    const app = await scenario.addApp();
    const install_id = fixture.app.ids.next();
    const first = await scenario.enroll({ install_id, device_model: 'Pixel 9', build_number: 1 }, app);
    fixture.clock.advance(31 * DAY);
    const again = await scenario.enroll({ install_id: install_id.toUpperCase(), build_number: 2 }, app);
    expect([first.install_id, again.install_id]).toEqual([install_id, install_id]);
    expect([await works(first.update_token, app), await works(again.update_token, app)]).toEqual([false, true]);
    expect(await listInstalls(app)).toMatchObject([{ install_id, device_model: 'Pixel 9', build_number: 2 }]);
  });

  it('changes nothing for an install whose id someone else sends', async () => {
    const app = await scenario.addApp();
    const owner = await scenario.enroll({}, app);
    const tokens: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const other = await scenario.enroll({ install_id: owner.install_id }, app);
      tokens.push(other.update_token);
      // Four may hold the id side by side; then one is an install of its own.
      expect(other.install_id === owner.install_id).toBe(index < 3);
      const exchanged = await scenario.tell<Enrollment>('/token/rotate', {
        key: app.app_key,
        token: other.update_token,
      });
      expect(exchanged.status).toBe(200);
    }
    expect(await works(owner.update_token, app)).toBe(true);
    fixture.clock.advance(6 * MINUTE);
    expect(await works(owner.update_token, app)).toBe(true);
    for (const token of tokens) expect(await works(token, app)).toBe(false);
  });

  it('creates two installs for one id in two SDK apps', async () => {
    const [one, two] = [await scenario.addApp(), await scenario.addApp()];
    const install_id = fixture.app.ids.next();
    const first = await scenario.enroll({ install_id }, one);
    const second = await scenario.enroll({ install_id, device_model: 'other' }, two);
    expect([first.install_id, second.install_id]).toEqual([install_id, install_id]);
    expect(await listInstalls(one)).toMatchObject([{ install_id, device_model: null }]);
    expect(await works(first.update_token, two)).toBe(false);
  });

  it('creates one install for fifty simultaneous requests with one id', async () => {
    const app = await scenario.addApp();
    const install_id = fixture.app.ids.next();
    const answers = await Promise.all(Array.from({ length: 50 }, () => scenario.enroll({ install_id }, app)));
    const joined = answers.filter((answer) => answer.install_id === install_id);
    expect([joined.length, new Set(answers.map((answer) => answer.install_id)).size]).toEqual([4, 47]);
    expect((await (await scenario.staff()).get(`/api/v1/sdk-apps/${app.identifier}`)).body.install_count).toBe(47);
  });

  it('is limited per SDK app; the install that enrolled longest ago is deleted for a new one', async () => {
    const app = await scenario.addApp();
    const first = await scenario.enroll({}, app);
    const second = await scenario.enroll({}, app);
    const { db } = fixture.app;
    db.update(sdkApps).set({ installCount: 200_000 }).where(eq(sdkApps.id, app.identifier)).run();
    const third = await scenario.enroll({}, app);
    expect((await listInstalls(app)).map((item) => item.install_id)).toEqual([third.install_id, second.install_id]);
    expect([await works(first.update_token, app), await works(third.update_token, app)]).toEqual([false, true]);
    // It comes back as whom it was.
    expect((await scenario.enroll({ install_id: first.install_id }, app)).install_id).toBe(first.install_id);
    const { body } = await (await scenario.staff()).get(`/api/v1/sdk-apps/${app.identifier}`);
    expect(body.install_count).toBe(200_000);
    await (await scenario.staff()).delete(`/api/v1/sdk-apps/${app.identifier}`);
  });

  it('lists installs page by page, newest first', async () => {
    const app = await scenario.addApp();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await scenario.enroll({}, app)).install_id);
    const pages = await walkPages(await scenario.staff(), `/api/v1/sdk-apps/${app.identifier}/installs`, { limit: 2 });
    expect(pages.map((page) => page.map((item) => item.install_id))).toEqual([
      [ids[4], ids[3]],
      [ids[2], ids[1]],
      [ids[0]],
    ]);
  });

  it.each([
    [{ app_secret: undefined }, 'body.app_secret: missing'],
    [{ app_secret: 5 }, 'body.app_secret: string_type'],
    [{ install_id: 'device-1' }, 'body.install_id: uuid_parsing'],
    [{ device_model: 'x'.repeat(101) }, 'body.device_model: string_too_long'],
    [{ device_model: 'two\nlines' }, 'body.device_model: string_pattern_mismatch'],
    [{ os_version: 'x'.repeat(51) }, 'body.os_version: string_too_long'],
    [{ version_name: 'x'.repeat(256) }, 'body.version_name: string_too_long'],
    [{ bundle_identifier: 'x'.repeat(256) }, 'body.bundle_identifier: string_too_long'],
    [{ build_number: -1 }, 'body.build_number: greater_than_equal'],
    [{ build_number: 2 ** 53 }, 'body.build_number: less_than_equal'],
  ])('rejects %j', async (body, expected) => {
    const { app_key, app_secret } = scenario.app;
    expectInvalid(await scenario.tell('/enroll', { key: app_key }, { app_secret, ...body }), expected);
  });
});

describe('enrolling with an incorrect secret', () => {
  it.each([
    { app_secret: 'x'.repeat(201) },
    { app_secret: 'wrong', install_id: 'x' },
    { app_secret: 'wrong', build_number: -1 },
    { app_secret: 'wrong', device_model: 'two\nlines', os_version: 5 },
  ])('gets the same response as any other, with %j', async (body) => {
    expectRefusal(await scenario.tell('/enroll', { key: scenario.app.app_key }, body), 401, 'unauthorized');
  });
});

describe('rotating a token', () => {
  it('returns a new one; the old one works for five more minutes', async () => {
    const { update_token: old } = await scenario.enroll();
    const answer = await rotate(old);
    expect([answer.status, Object.keys(answer.body).sort()]).toEqual([200, ['expires_at', 'update_token']]);
    expect(Date.parse(answer.body.expires_at) - now()).toBeGreaterThan(30 * DAY - 10 * SECOND);
    const fresh = answer.body.update_token;
    expect([await works(old), await works(fresh)]).toEqual([true, true]);
    fixture.clock.advance(5 * MINUTE - 5 * SECOND);
    expect([await works(old), await works(fresh)]).toEqual([true, true]);
    fixture.clock.advance(5 * SECOND);
    expect([await works(old), await works(fresh)]).toEqual([false, true]);
  });

  it('never extends the lifetime of a token', async () => {
    const { update_token: old, expires_at } = await scenario.enroll();
    fixture.clock.set(new Date(Date.parse(expires_at) - MINUTE));
    expect((await rotate(old)).status).toBe(200);
    fixture.clock.advance(MINUTE);
    expect(await works(old)).toBe(false);
  });

  it('succeeds once for fifty simultaneous requests, and the others can enroll', async () => {
    const { update_token: old, install_id } = await scenario.enroll();
    const answers = await Promise.all(Array.from({ length: 50 }, () => rotate(old)));
    const won = answers.filter((answer) => answer.status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers) if (answer !== won[0]) expectRefusal(answer, 401, 'unauthorized');
    expect(await works(won[0]?.body.update_token ?? '')).toBe(true);
    expect((await scenario.enroll({ install_id })).install_id).toBe(install_id);
  });

  it('keeps the install, and a limited number of rows for it', async () => {
    const { update_token, install_id } = await scenario.enroll();
    let token = update_token;
    const rotateOften = async (times: number): Promise<void> => {
      for (let index = 0; index < times; index += 1) {
        token = (await rotate(token)).body.update_token;
        // So that no two replaced tokens end at the same time.
        fixture.clock.advance(SECOND);
      }
    };
    await rotateOften(11);
    expect(await works(update_token)).toBe(true);
    // The thirteenth token takes the place of the one that ends first.
    await rotateOften(1);
    expect([await works(update_token), await works(token)]).toEqual([false, true]);
    await rotateOften(28);
    expect([await works(update_token), await works(token)]).toEqual([false, true]);
    const { db } = fixture.app;
    const row = db.select().from(sdkInstalls).where(eq(sdkInstalls.installId, install_id)).get();
    const tokens = db
      .select({ total: count() })
      .from(sdkTokens)
      .where(eq(sdkTokens.installRowId, row?.id ?? ''))
      .get();
    expect(tokens?.total).toBe(12);
  });
});

describe('a rotated secret', () => {
  it('keeps enrolled installs, and rejects new ones with the old secret', async () => {
    const app = await scenario.addApp();
    const { update_token } = await scenario.enroll({}, app);
    const staff = await scenario.staff();
    const { body, status } = await staff.post<SdkApp>(`/api/v1/sdk-apps/${app.identifier}/rotate-secret`);
    expect([status, body.app_key, body.app_secret === app.app_secret]).toEqual([200, app.app_key, false]);
    expect(await works(update_token, app)).toBe(true);
    const { app_secret } = app;
    expectRefusal(await scenario.tell('/enroll', { key: app.app_key }, { app_secret }), 401, 'unauthorized');
    await scenario.enroll({}, { ...app, app_secret: body.app_secret });
  });
});

describe('inactive installs', () => {
  const rows = () => fixture.app.db.select({ total: count() }).from(sdkInstalls).get()?.total;
  const tokens = () => fixture.app.db.select({ total: count() }).from(sdkTokens).get()?.total;

  it('are deleted two months after their token expired', async () => {
    const app = await scenario.addApp();
    await fixture.sweep('sessions');
    fixture.clock.advance(91 * DAY);
    const before = [rows(), tokens()];
    expect(before[0]).toBeGreaterThan(20);
    const { install_id } = await scenario.enroll({}, app);
    expect(await fixture.sweep('sessions')).toBeGreaterThan(0);
    expect([rows(), tokens()]).toEqual([1, 1]);
    expect(await listInstalls(app)).toMatchObject([{ install_id }]);
    const staff = await scenario.staff();
    const all = (await staff.get<Page>('/api/v1/sdk-apps', scenario.inProject)).body.items;
    expect(all.map((item) => item.install_count).reduce<number>((sum, one) => sum + Number(one), 0)).toBe(1);
  });

  it('are deleted with their SDK app, by the next cleanup job', async () => {
    const app = await scenario.addApp();
    for (let index = 0; index < 30; index += 1) await scenario.enroll({}, app);
    const before = rows() ?? 0;
    expect((await (await scenario.staff()).delete(`/api/v1/sdk-apps/${app.identifier}`)).status).toBe(204);
    await fixture.sweep('sessions');
    expect(rows()).toBe(before - 30);
    expect(await fixture.sweep('sessions')).toBe(0);
  });

  it('are searched in small steps, between which other requests run', async () => {
    const { db, ids } = fixture.app;
    const app = await scenario.addApp();
    const { install_id } = await scenario.enroll({}, app);
    const row = db.select().from(sdkInstalls).where(eq(sdkInstalls.installId, install_id)).get();
    const buildId = await scenario.addBuild('7.0', 7);
    const facts = { organizationId: scenario.inProject.organization_id, projectId: scenario.inProject.project_id };
    for (let index = 0; index < 1000; index += 1) {
      const release = { ...facts, id: ids.next(), channelId: scenario.channelId, buildId, createdAt: 1 };
      db.insert(releases)
        .values({ ...release, state: 'active', mandatory: false })
        .run();
      const report = { id: ids.next(), installRowId: row?.id ?? '', releaseId: release.id, state: 'launched' } as const;
      db.insert(sdkReports)
        .values({ ...report, createdAt: 1, updatedAt: 1 })
        .run();
    }
    let steps = 0;
    let isOver = false;
    const count = () => {
      steps += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    expect(await deleteInactiveInstalls(systemContext(fixture.app), now(), 1000)).toBe(0);
    isOver = true;
    expect(steps).toBeGreaterThanOrEqual(10);
  });
});
