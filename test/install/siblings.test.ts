// One link for both platforms: the channels of two linked projects.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildDemoApk, buildIpa } from '../support/fixtures.ts';
import { ABSENT, auditMark, auditRows, type Json, type Page } from '../support/harness.ts';
import { addPerson, type Person } from '../support/people.ts';
import { type InstallScenario, type Published, startInstallScenario } from './scenario.ts';

const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const agents = {
  iphone: `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${webKit} Version/17.5 Mobile/15E148 Safari/604.1`,
  android:
    'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  desktop:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  mac: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Version/17.5 Safari/605.1.15`,
} as const;
type Agent = keyof typeof agents;

interface Shown {
  status: number;
  html: string;
  headers: [string, string][];
}

let scenario: InstallScenario;
let iosApp: Published;
let androidApp: Published;
beforeAll(async () => {
  scenario = await startInstallScenario();
  iosApp = await scenario.publish(scenario.ios, buildIpa({ name: 'Harbour' }), { version_name: '4.5.6' });
  androidApp = await scenario.publish(scenario.android, buildDemoApk(), { version_name: '7.8.9' });
});
afterAll(() => scenario?.fixture.stop());

let name: string;
let iosId: string;
let androidId: string;
let number = 0;
beforeEach(async () => {
  number += 1;
  name = `pair ${number}`;
  await link();
});
afterEach(() => unlink());

const sibling = () => `/api/v1/projects/${scenario.ios.project_id}/sibling`;
async function link(): Promise<void> {
  const staff = await scenario.staff();
  const answer = await staff.put(sibling(), { sibling_project_id: scenario.android.project_id });
  expect(answer.status, answer.text).toBe(200);
}
async function unlink(): Promise<void> {
  expect((await (await scenario.staff()).delete(sibling())).status).toBe(204);
}
async function edit(channelId: string, body: Json): Promise<void> {
  const answer = await (await scenario.staff()).patch(`/api/v1/channels/${channelId}`, body);
  expect(answer.status, answer.text).toBe(200);
}

/** Adds a channel of each platform with the same name, and releases the app on both. */
async function addPair({ ios, android }: { ios: boolean; android: boolean }): Promise<void> {
  iosId = await scenario.addChannel(scenario.ios, { name, public: ios });
  androidId = await scenario.addChannel(scenario.android, { name: name.toUpperCase(), public: android });
  await scenario.addRelease(scenario.ios, iosId, iosApp.build.identifier);
  await scenario.addRelease(scenario.android, androidId, androidApp.build.identifier);
}

async function open(path: string, agent: Agent, person?: Person, method = 'GET'): Promise<Shown> {
  const response = await fetch(scenario.fixture.url + path, {
    method,
    redirect: 'manual',
    headers: {
      'user-agent': agents[agent],
      ...(person === undefined ? {} : { cookie: `svc_access=${person.accessToken}` }),
      ...(method === 'POST' ? { 'sec-fetch-site': 'same-origin' } : {}),
    },
  });
  const headers = [...response.headers].filter(([key]) => !['date', 'x-request-id', 'content-length'].includes(key));
  return { status: response.status, html: await response.text(), headers: headers as [string, string][] };
}
const page = (id: string, agent: Agent, person?: Person) => open(`/install/channels/${id}`, agent, person);

/** The heading of a page: the app, or what the matter is. */
const titleOf = ({ html }: Shown) => /<h1[^>]*>(?:<bdi>)?([^<]*)/.exec(html)?.[1];
const cardOf = ({ html }: Shown) => /<h2>([^<]*)/.exec(html)?.[1];
const install = ({ html }: Shown) => {
  if (html.includes('href="itms-services:')) return 'ios';
  return html.includes('>Download and install<') ? 'android' : null;
};
const WRONG_ON_IPHONE = 'This app is for Android';
const signIn = 'Sign in to install';
const noAccess = 'You don\u2019t have access to this app';

async function addTester(project: 'ios' | 'android', channelId: string, person?: Person): Promise<Person> {
  const tester = person ?? (await addPerson(scenario.fixture));
  const staff = await scenario.staff();
  const query = { ...scenario[project], channel_id: channelId };
  const invite = await staff.post<{ invite_token: string }>('/api/v1/channel-invites', {}, query);
  const { invite_token } = invite.body;
  expect((await tester.client.post('/api/v1/testers/invites/accept', { invite_token })).status).toBe(200);
  return tester;
}

/** Pages of several channels, comparable with each other. */
const withoutId = ({ status, html, headers }: Shown, id: string) => ({
  status,
  headers,
  html: html.replaceAll(id, 'ID'),
});

/** A page without the capabilities that each request creates. */
const withoutTokens = (shown: Shown) => ({
  ...shown,
  html: shown.html.replaceAll(/capability=[\w.-]+/g, '').replaceAll(/\/public\/v1\/install\/[\w.-]+/g, ''),
});

/** What visitors get while the projects aren't linked. */
async function whileUnlinked<Result>(work: () => Promise<Result>): Promise<Result> {
  await unlink();
  try {
    return await work();
  } finally {
    await link();
  }
}

describe('the links of two public channels', () => {
  it('serve each phone its own platform, and count the download on its channel', async () => {
    await addPair({ ios: true, android: true });
    for (const id of [iosId, androidId]) {
      for (const [agent, platform] of [
        ['iphone', 'ios'],
        ['android', 'android'],
      ] as const) {
        const shown = await page(id, agent);
        expect([shown.status, install(shown)]).toEqual([200, platform]);
      }
    }
    const { html } = await page(iosId, 'android');
    const download = /href="([^"]*\/download[^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(await scenario.digest(download)).toBe(androidApp.digest);
    expect(await scenario.analytics(androidId)).toMatchObject({ total_downloads: 1 });
    expect(await scenario.analytics(iosId)).toMatchObject({ total_downloads: 0 });
    expect(titleOf(await page(androidId, 'iphone'))).toBe('Harbour');
  });

  it('work as short addresses, also as former ones', async () => {
    await addPair({ ios: true, android: true });
    await edit(iosId, { slug: `both-${number}` });
    expect(install(await open(`/i/both-${number}`, 'android'))).toBe('android');
    await edit(iosId, { slug: `new-${number}` });
    const moved = await open(`/i/both-${number}`, 'android');
    expect([moved.status, Object.fromEntries(moved.headers).location]).toEqual([
      302,
      `${scenario.base}/i/new-${number}`,
    ]);
  });

  it('show both versions and one QR code of the link on computers', async () => {
    await addPair({ ios: true, android: true });
    for (const id of [iosId, androidId]) {
      const { status, html } = await page(id, 'desktop');
      expect(status).toBe(200);
      expect(html).toContain('Open this page on your phone');
      expect(html.match(/class="qr"/g)).toHaveLength(1);
      expect(html).toContain(`${scenario.base}/install/channels/${id}</code>`);
      expect(html.indexOf('<h2>iOS</h2>')).toBeGreaterThan(0);
      expect(html.indexOf('<h2>Android</h2>')).toBeGreaterThan(html.indexOf('<h2>iOS</h2>'));
      expect([html.includes('Version 4.5.6'), html.includes('Version 7.8.9')]).toEqual([true, true]);
      expect(html.match(/Download package \(APK\)/g)).toHaveLength(1);
      expect(html).not.toContain('href="itms-services:');
      expect(Buffer.byteLength(html)).toBeLessThan(30_000);
    }
  });

  it('stay small on computers with long notes of both', async () => {
    iosId = await scenario.addChannel(scenario.ios, { name });
    androidId = await scenario.addChannel(scenario.android, { name });
    const notes = { release_notes: "<b>It's \u{1f9ed} new</b> & improved\n".repeat(200) };
    await scenario.addRelease(scenario.ios, iosId, iosApp.build.identifier, notes);
    await scenario.addRelease(scenario.android, androidId, androidApp.build.identifier, notes);
    const { html } = await page(iosId, 'desktop');
    expect(html).not.toContain('<b>It');
    expect(Buffer.byteLength(html)).toBeLessThan(30_000);
    expect(Buffer.byteLength((await page(iosId, 'mac')).html)).toBeLessThan(30_000);
  });

  it('let an iPad that identifies itself as a Mac install from either', async () => {
    await addPair({ ios: true, android: true });
    for (const id of [iosId, androidId]) expect(install(await page(id, 'mac'))).toBe('ios');
  });

  it('say what is missing where a platform has no release', async () => {
    iosId = await scenario.addChannel(scenario.ios, { name });
    androidId = await scenario.addChannel(scenario.android, { name });
    await scenario.addRelease(scenario.ios, iosId, iosApp.build.identifier);
    expect(cardOf(await page(iosId, 'android'))).toBe('Nothing to install yet');
    const desktop = await page(androidId, 'desktop');
    expect(desktop.html).toContain('Open this page on your phone');
    expect(desktop.html).toContain('Nothing to install yet');
    expect(install(await page(androidId, 'iphone'))).toBe('ios');
  });

  it('serve only their own platform with other names, and both again under the name of the other', async () => {
    iosId = await scenario.addChannel(scenario.ios, { name });
    androidId = await scenario.addChannel(scenario.android, { name: `${name} internal` });
    await scenario.addRelease(scenario.ios, iosId, iosApp.build.identifier);
    await scenario.addRelease(scenario.android, androidId, androidApp.build.identifier);
    expect(cardOf(await page(androidId, 'iphone'))).toBe(WRONG_ON_IPHONE);
    await edit(androidId, { sibling_name: name });
    expect(install(await page(androidId, 'iphone'))).toBe('ios');
    expect(install(await page(iosId, 'android'))).toBe('android');
    await edit(iosId, { sibling_name: '' });
    expect(cardOf(await page(androidId, 'iphone'))).toBe(WRONG_ON_IPHONE);
  });

  it('serve only their own platform after the link ended or the sibling was deleted', async () => {
    await addPair({ ios: true, android: true });
    const before = await whileUnlinked(() => page(androidId, 'iphone'));
    expect(cardOf(before)).toBe(WRONG_ON_IPHONE);
    expect(install(await page(androidId, 'iphone'))).toBe('ios');
    const staff = await scenario.staff();
    expect((await staff.delete(`/api/v1/channels/${iosId}`, { force: true })).status).toBe(204);
    expect(await page(androidId, 'iphone')).toEqual(before);
  });

  it('leave releases, capabilities, and the public API to each channel', async () => {
    await addPair({ ios: true, android: true });
    const { body } = await scenario.anyone.get<{ releases: { identifier: string; install_url: string }[] }>(
      `/public/v1/channels/${androidId}`,
    );
    expect(body.releases).toHaveLength(1);
    const release = `/install/channels/${androidId}/releases/${body.releases[0]?.identifier}`;
    expect(cardOf(await open(release, 'iphone'))).toBe(WRONG_ON_IPHONE);
    const { body: minted } = await scenario.anyone.post<{ install_url: string }>(
      `/public/v1/channels/${androidId}/releases/${body.releases[0]?.identifier}/install-link`,
    );
    expect(cardOf(await open(minted.install_url.slice(scenario.base.length), 'iphone'))).toBe(WRONG_ON_IPHONE);
  });
});

describe('a public link with a private sibling', () => {
  it('shows everyone without access the same as without a sibling', async () => {
    await addPair({ ios: false, android: true });
    const stranger = await addPerson(scenario.fixture);
    const unverified = await addPerson(scenario.fixture, { isVerified: false });
    const visitors = [undefined, stranger, unverified];
    const look = () =>
      Promise.all(
        visitors.flatMap((person) =>
          (['iphone', 'desktop'] as const).map(async (agent) => withoutTokens(await page(androidId, agent, person))),
        ),
      );
    const linked = await look();
    expect(linked).toEqual(await whileUnlinked(look));
    expect(linked.map((shown) => [shown.status, cardOf(shown)])).toEqual(
      visitors.flatMap(() => [
        [200, WRONG_ON_IPHONE],
        [200, 'Open this page on your Android phone'],
      ]),
    );
  });

  it('offers the sign-in to phones of the other platform, and installs for the testers of the sibling', async () => {
    await addPair({ ios: false, android: true });
    const shown = await page(androidId, 'iphone');
    expect(shown.html).toContain(
      `href="${scenario.base}/sign-in?back=${encodeURIComponent(`/install/channels/${androidId}`)}"`,
    );
    const tester = await addTester('ios', iosId);
    const installed = await page(androidId, 'iphone', tester);
    expect([installed.status, install(installed), titleOf(installed)]).toEqual([200, 'ios', 'Harbour']);
    expect((await page(androidId, 'desktop', tester)).html).toContain('<h2>iOS</h2>');
    expect((await page(androidId, 'iphone', await addPerson(scenario.fixture))).html).not.toContain('sign-in?back');
  });

  it('asks a member who lacks the required second factor to set one up', async () => {
    await addPair({ ios: false, android: true });
    const organizationId = scenario.ios.organization_id;
    const member = await addPerson(scenario.fixture, {
      organizations: { [organizationId]: 'member' },
      projects: { [scenario.ios.project_id]: 'read_download' },
    });
    const admin = await addPerson(scenario.fixture, { organizations: { [organizationId]: 'admin' }, hasTotp: true });
    const require = (required: boolean) =>
      admin.client.put(`/api/v1/organizations/${organizationId}/mfa-policy`, { required, grace_period_days: 0 });
    expect((await require(true)).status).toBe(200);
    expect(titleOf(await page(androidId, 'iphone', member))).toBe('Set up two-factor authentication');
    expect((await require(false)).status).toBe(200);
    expect(install(await page(androidId, 'iphone', member))).toBe('ios');
  });
});

describe('a private link', () => {
  it.each([
    ['public', true],
    ['private', false],
  ])('with a %s sibling shows strangers the same as a missing one', async (_, isPublic) => {
    await addPair({ ios: isPublic, android: false });
    await edit(androidId, { slug: `hidden-${number}` });
    const person = await addPerson(scenario.fixture);
    const unverified = await addPerson(scenario.fixture, { isVerified: false });
    for (const agent of ['iphone', 'android', 'desktop', 'mac'] as const) {
      for (const visitor of [undefined, person, unverified]) {
        const expected = withoutId(await page(ABSENT, agent, visitor), ABSENT);
        expect(withoutId(await page(androidId, agent, visitor), androidId)).toEqual(expected);
        const missing = withoutId(await open(`/i/absent-${number}`, agent, visitor), `absent-${number}`);
        const hidden = withoutId(await open(`/i/hidden-${number}`, agent, visitor), `hidden-${number}`);
        expect(hidden).toEqual(missing);
      }
    }
    expect(titleOf(await page(androidId, 'iphone'))).toBe(signIn);
    expect(titleOf(await page(androidId, 'iphone', person))).toBe(noAccess);
  });

  it('serves each tester the platforms that they have access to', async () => {
    await addPair({ ios: false, android: false });
    const both = await addTester('android', androidId, await addTester('ios', iosId));
    const iosOnly = await addTester('ios', iosId);
    const androidOnly = await addTester('android', androidId);
    const expected: [Person, string | null | undefined, string | null | undefined][] = [
      [both, 'ios', 'android'],
      [iosOnly, 'ios', null],
      [androidOnly, null, 'android'],
    ];
    for (const id of [iosId, androidId]) {
      for (const [person, onIphone, onAndroid] of expected) {
        const shown = [await page(id, 'iphone', person), await page(id, 'android', person)];
        expect(shown.map(install)).toEqual([onIphone, onAndroid]);
        const desktop = await page(id, 'desktop', person);
        expect(desktop.status).toBe(200);
        expect([desktop.html.includes('Version 4.5.6'), desktop.html.includes('Version 7.8.9')]).toEqual([
          onIphone !== null,
          onAndroid !== null,
        ]);
        expect(desktop.html).toContain(`${scenario.base}/install/channels/${id}</code>`);
      }
    }
    // Testers of one platform can't tell whether there is another.
    const look = async () => [
      withoutTokens(await page(androidId, 'iphone', androidOnly)),
      withoutTokens(await page(androidId, 'desktop', androidOnly)),
    ];
    expect(await look()).toEqual(await whileUnlinked(look));
  });

  it('serves the public sibling to testers of either', async () => {
    await addPair({ ios: true, android: false });
    for (const tester of [await addTester('android', androidId), await addTester('ios', iosId)]) {
      expect(install(await page(androidId, 'iphone', tester))).toBe('ios');
    }
    const stranger = await addPerson(scenario.fixture);
    expect(titleOf(await page(androidId, 'iphone', stranger))).toBe(noAccess);
    expect(install(await page(iosId, 'iphone', stranger))).toBe('ios');
    expect(cardOf(await page(iosId, 'android', stranger))).toBe('This app is for iPhone and iPad');
  });

  it('asks the team of the channel that the phone can install from', async () => {
    await addPair({ ios: false, android: false });
    const staff = await scenario.staff();
    const requestsFor = async (id: string) =>
      (await staff.get<Page<{ identifier: string; email: string }>>(`/api/v1/channels/${id}/access-requests`)).body
        .items;
    const [onIphone, onDesktop] = [await addPerson(scenario.fixture), await addPerson(scenario.fixture)];
    const after = auditMark(scenario.fixture);
    const path = `/install/channels/${androidId}`;
    const asked = await open(`${path}/access-request`, 'iphone', onIphone, 'POST');
    expect([asked.status, titleOf(asked)]).toEqual([200, 'Request sent']);
    expect(titleOf(await page(androidId, 'android', onIphone))).toBe('Request sent');
    expect(auditRows(scenario.fixture, { after })).toMatchObject([
      { type: 'access_request', developerId: onIphone.id, organizationId: null, details: { address: path } },
    ]);
    await open(`${path}/access-request`, 'desktop', onDesktop, 'POST');
    expect((await requestsFor(iosId)).map(({ email }) => email)).toEqual([onIphone.email]);
    expect((await requestsFor(androidId)).map(({ email }) => email)).toEqual([onDesktop.email]);
    const [request] = await requestsFor(iosId);
    expect((await staff.post(`/api/v1/channel-access-requests/${request?.identifier}/grant`)).status).toBe(204);
    expect(install(await page(androidId, 'iphone', onIphone))).toBe('ios');
  });
});

describe('the apps of a tester', () => {
  interface Own {
    identifier: string;
    sibling_ids: string[];
  }
  const me = '/api/v1/testers/me';

  it('name the siblings that the tester has access to, and no others', async () => {
    await addPair({ ios: true, android: true });
    const person = await addTester('ios', iosId);
    const { organization_id } = scenario.ios;
    const projects = async () =>
      (await person.client.get<Page<Own>>(`${me}/projects`, { organization_id })).body.items.map((item) => [
        item.identifier,
        item.sibling_ids,
      ]);
    const channels = async (project: 'ios' | 'android') =>
      (await person.client.get<Page<Own>>(`${me}/channels`, { ...scenario[project] })).body.items.map((item) => [
        item.identifier,
        item.sibling_ids,
      ]);
    const [ios, android] = [scenario.ios.project_id, scenario.android.project_id];
    expect([await projects(), await channels('ios')]).toEqual([[[ios, []]], [[iosId, []]]]);
    const other = await scenario.addChannel(scenario.android);
    await addTester('android', other, person);
    expect(await projects()).toEqual([
      [android, [ios]],
      [ios, [android]],
    ]);
    expect([await channels('ios'), await channels('android')]).toEqual([[[iosId, []]], [[other, []]]]);
    await addTester('android', androidId, person);
    expect([await channels('ios'), await channels('android')]).toEqual([
      [[iosId, [androidId]]],
      [
        [other, []],
        [androidId, [iosId]],
      ],
    ]);
    expect(await whileUnlinked(projects)).toEqual([
      [android, []],
      [ios, []],
    ]);
  });
});
