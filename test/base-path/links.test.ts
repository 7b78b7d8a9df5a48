// All links of a server whose base_url has a path: each is below the path and works, also behind a proxy that removes the path.
// The server terminates https itself, so nothing is rewritten.

import { writeFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../scripts/lib/ports.ts';
import { openWorkshop, type Workshop } from '../commands/test-host.ts';
import { answerOf, attributesOf, readProfile, sendAnswer } from '../devices/phone.ts';
import { type DeviceScenario, startDeviceScenario } from '../devices/scenario.ts';
import { type Published, readManifest } from '../install/scenario.ts';
import { startSdkScenario } from '../sdk/scenario.ts';
import { attributeIn, makeProvider, messageOf, type Provider, signAnswer } from '../sso/provider.ts';
import { begin, connect, cookiesOf, deliver, ssoPath } from '../sso/scenario.ts';
import { buildDemoApk, buildIpa, sha256 } from '../support/fixtures.ts';
import { api, type Client, type Json } from '../support/harness.ts';
import { mailsTo } from '../support/mailbox.ts';
import { addPerson, type Person } from '../support/people.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { startWebhookScenario } from '../webhooks/scenario.ts';

const BASE = '/tools/taxiway';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';

let scenario: DeviceScenario;
let base: string;
let httpPort: number;
let staff: Client;
let ios: Published;
let android: Published;
let person: Person;
let provider: Provider;

beforeAll(async () => {
  httpPort = await findFreePort();
  const server = { base_url: `https://localhost:0${BASE}`, tls: { mode: 'internal', http_port: httpPort } } as const;
  scenario = await startDeviceScenario({ config: { server } });
  const { installScenario, fixture } = scenario;
  base = fixture.config.server.base_url;
  staff = await installScenario.staff();
  ios = await installScenario.publish(installScenario.ios, buildIpa());
  android = await installScenario.publish(installScenario.android, buildDemoApk());
  person = await addPerson(fixture);
  provider = await makeProvider();
  await connect(fixture, provider);
}, 60_000);
afterAll(() => scenario?.stop());

/** The same address as a proxy asks for it that takes the path away. */
const taken = (link: string) => link.replace(base, new URL(base).origin);

/** Follows a link both ways; asserts that it leads into the path, and that both answers are alike and no refusal. */
async function follow(link: string, init: RequestInit = {}): Promise<Response> {
  expect(link.startsWith(`${base}/`) || link === base, link).toBe(true);
  const answers = [
    await fetch(taken(link), { redirect: 'manual', ...init }),
    await fetch(link, { redirect: 'manual', ...init }),
  ];
  const [first, second] = answers.map(({ status, headers }) => [link, status, headers.get('content-type')]);
  expect(first).toEqual(second);
  // An unread package would keep its connection until the server stops.
  await answers[0]?.body?.cancel();
  expect(answers[1]?.status, `${link} ${await answers[1]?.clone().text()}`).toBeLessThan(400);
  return answers[1] as Response;
}

/** Opens a page as a phone does, and follows everything in it that is on this server. Answers the page. */
async function open(link: string): Promise<string> {
  const response = await follow(link, { headers: { accept: 'text/html', 'user-agent': IPHONE } });
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const text = (await response.text()).replaceAll('&amp;', '&');
  for (const [, address = ''] of text.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
    const url = URL.parse(address, link);
    if (address.startsWith('#') || url?.origin !== new URL(base).origin) continue;
    // A page of the web app, which isn't built here.
    if (url.pathname === `${BASE}/sign-in`) continue;
    await follow(url.href);
  }
  for (const [, address = ''] of text.matchAll(/\saction="([^"]*)"/g)) {
    expect(address.startsWith(`${BASE}/`), address).toBe(true);
  }
  return text;
}

/** Sends the form of a page, with values for what it asks. */
async function submit(page: string, values: Record<string, string> = {}): Promise<Response> {
  const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
  const hidden = [...page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  const body = new URLSearchParams([...(hidden as [string, string][]), ...Object.entries(values)]);
  return fetch(new URL(action, base), {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { origin: new URL(base).origin },
  });
}

/** The first link in the newest mail to someone. */
function mailedLink(address: string, pattern = /https:\/\/\S+/): string {
  const text = mailsTo(scenario.fixture, address).at(-1)?.text ?? '';
  const links = [...text.matchAll(/https:\/\/[^\s>)]+/g)].map(([link]) => link);
  expect(
    links.filter((link) => link !== base && !link.startsWith(`${base}/`)),
    text,
  ).toEqual([]);
  return links.find((link) => pattern.test(link)) ?? '';
}

const itmsTarget = (text: string) => decodeURIComponent(/itms-services:[^"]*&url=([\w.%-]+)/.exec(text)?.[1] ?? '');

async function installs(manifestUrl: string, digest: string): Promise<void> {
  const manifest = readManifest(await (await follow(manifestUrl)).text());
  if (manifest.icon !== undefined) await follow(manifest.icon);
  await downloads(manifest.package, digest);
}

async function downloads(link: string, digest: string): Promise<void> {
  const response = await follow(link);
  const stored = response.status === 302 ? await follow(response.headers.get('location') ?? '') : response;
  expect(sha256(Buffer.from(await stored.arrayBuffer()))).toBe(digest);
}

describe('phones get', () => {
  it('the page, its files, manifest, icon and package of an iOS build', async () => {
    await staff.patch(`/api/v1/channels/${ios.channelId}`, { allow_device_registration: true });
    const page = await open(`${base}/install/channels/${ios.channelId}`);
    expect(page).toContain(`itms-services://?action=download-manifest&url=${encodeURIComponent(`${base}/public/`)}`);
    await installs(itmsTarget(page), ios.digest);
    const action = /<form method="post" action="([^"]*)"/.exec(page)?.[1] ?? '';
    expect(action).toBe(`${BASE}/install/channels/${ios.channelId}/register-device`);
    const headers = { 'sec-fetch-site': 'same-origin', 'user-agent': 'iPhone' };
    const sent = await fetch(new URL(action, base), { method: 'POST', headers, redirect: 'manual' });
    const enroll = sent.headers.get('location') ?? '';
    expect([sent.status, enroll.startsWith(`${base}/public/v1/enroll/`)]).toEqual([302, true]);
    await open(enroll);
    const back = await fetch(`${enroll}/result/none`, { redirect: 'manual' });
    expect(back.headers.get('location')).toBe(`${base}/install/channels/${ios.channelId}`);
  });

  it('the page and the package of an Android build', async () => {
    await open(`${base}/install/channels/${android.channelId}`);
    await open(`${base}/install/channels/${android.channelId}/releases/${android.releaseId}`);
    await downloads(`${base}${android.path}/download`, android.digest);
  });

  it('all addresses of the public API', async () => {
    const anyone = api(scenario.fixture, null);
    const { body } = await anyone.get(`/public/v1/channels/${ios.channelId}`);
    const minted = (await anyone.post<{ capability: string }>(`${ios.path}/install-link`)).body;
    const { body: capability } = await anyone.get(`/public/v1/install/${minted.capability}`);
    for (const [answer, least] of [
      [body, 4],
      [minted, 4],
      [capability, 5],
    ] as const) {
      const links = JSON.stringify(answer).match(/(?:https|itms-services):[^"]+/g) ?? [];
      expect(links.length).toBeGreaterThanOrEqual(least);
      for (const link of links) {
        if (link.startsWith('itms-services:')) await installs(itmsTarget(link), ios.digest);
        else await follow(link);
      }
    }
  });

  it("icon, install link and package in the tester's view", async () => {
    await staff.post(`/api/v1/projects/${scenario.installScenario.ios.project_id}/testers`, { email: person.email });
    const { body } = await person.client.get<{ items: (Json & { releases?: Json[] })[] }>('/api/v1/testers/me');
    const urls = JSON.stringify(body).match(/https:[^"]+/g) ?? [];
    expect(urls.filter((url) => !url.startsWith(`${base}/`))).toEqual([]);
  });

  it('the install and unsubscribe links of emails about releases', async () => {
    await staff.patch(`/api/v1/channels/${ios.channelId}`, { notify_on_release: true });
    const bytes = buildIpa({ version: '2.0', build: '46' });
    const build = await scenario.installScenario.addBuild(scenario.installScenario.ios, bytes);
    await scenario.installScenario.addRelease(scenario.installScenario.ios, ios.channelId, build.identifier);
    await scenario.fixture.drain();
    const install = mailedLink(person.email, /\/testers\/releases\//);
    const page = (await follow(install)).headers.get('location') ?? '';
    await installs(itmsTarget(await open(page)), sha256(bytes));
    const mute = mailedLink(person.email, /\/testers\/mute\//);
    const form = await open(mute);
    // RFC 8058: a mail program posts to the address in the header of the email.
    await follow(mute, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) });
    expect((await submit(form)).status).toBe(200);
  });

  it('a profile with the path inside its signature, and the address to return to from Settings', async () => {
    const link = await scenario.link();
    await open(link.url);
    const profile = await readProfile(Buffer.from(await (await follow(`${link.url}/profile`)).arrayBuffer()));
    expect(profile.url).toBe(`${link.url}/callback`);
    const answer = answerOf(scenario.laboratory, attributesOf(profile.challenge));
    const response = await sendAnswer(profile.url, answer);
    expect(response.status).toBe(301);
    const result = response.headers.get('location') ?? '';
    await open(result);
    const cookie = (await fetch(result)).headers.getSetCookie()[0] ?? '';
    expect(cookie).toContain(`; Path=${BASE}; `);
  });

  it('updates of the app', async () => {
    const sdk = await startSdkScenario(scenario.fixture, 'ios');
    const releaseId = await sdk.release('3.0', 60);
    const held = { key: sdk.app.app_key, token: (await sdk.enroll()).update_token };
    const { body } = await sdk.ask<{ download_url: string; itms_url: string }>(`/releases/${releaseId}/download`, held);
    await follow(body.download_url);
    const manifest = readManifest(await (await follow(itmsTarget(body.itms_url))).text());
    await follow(manifest.package);
  });
});

describe('people get', () => {
  it('the trust page with its files, also over http', async () => {
    await open(`${base}/trust`);
    for (const path of ['/trust', `${BASE}/trust`, `${BASE}/trust/taxiway.pem`]) {
      expect([path, (await askPlain(path)).status]).toEqual([path, 200]);
    }
    for (const path of ['/me?a=1', `${BASE}/me?a=1`]) {
      expect(await askPlain(path)).toEqual({ status: 301, location: `${base}/me?a=1` });
    }
    expect((await askPlain('/.well-known/acme-challenge/none')).status).toBe(404);
    expect((await askPlain('/')).location).toBe(`${base}/`);
    expect((await askPlain(BASE)).location).toBe(`${base}/`);
  });

  it('links for verification, a new password and another address', async () => {
    const anyone = api(scenario.fixture, null);
    const email = 'grace@people.example';
    const password = 'a long enough password';
    await anyone.post('/api/v1/developers', { email, password, display_name: 'Grace' });
    const verified = await submit(await open(mailedLink(email)));
    expect(verified.status).toBe(200);
    expect(await verified.text()).toContain(`href="${BASE}/sign-in"`);
    await anyone.post('/api/v1/login/password_reset', { email });
    const reset = await open(mailedLink(email, /password_reset/));
    expect((await submit(reset, { new_password: 'short' })).status).toBe(400);
    expect((await submit(reset, { new_password: 'another long password' })).status).toBe(200);
  });

  it('invitations to an organization and to a channel', async () => {
    const email = 'ada@people.example';
    await staff.post(`/api/v1/organizations/${scenario.fixture.organization_id}/invites`, { email, role: 'member' });
    const invited = mailedLink(email);
    expect(await open(`${invited}?plain`)).toContain(`curl -X POST ${base}/api/v1/invites/`);
    const query = { ...scenario.installScenario.ios, channel_id: ios.channelId };
    const { body } = await staff.post<{ invite_url: string }>('/api/v1/channel-invites', { email }, query);
    expect(mailedLink(email)).toBe(body.invite_url);
    expect(await open(`${body.invite_url}?plain`)).toContain(`curl -X POST ${base}/api/v1/testers/`);
  });

  it('error pages', async () => {
    const headers = { accept: 'text/html' };
    for (const link of [`${base}/nothing`, `${base}/health/nothing`, `${base}/storage/v1/nothing`]) {
      const response = await fetch(link, { headers });
      expect([link, response.status]).toEqual([link, link.includes('storage') ? 403 : 404]);
      const text = await response.text();
      expect(text).toContain(`href="${base}/"`);
      const [, style = ''] = /stylesheet" href="([^"]+)"/.exec(text) ?? [];
      await follow(new URL(style, base).href);
    }
  });

  it('the captcha with its script', async () => {
    const { app } = scenario.fixture;
    const { config } = app;
    app.config = { ...config, captcha: { ...config.captcha, provider: 'altcha' } };
    try {
      expect(await open(`${base}/api/v1/captcha`)).toContain(`src="${BASE}/api/v1/captcha/assets/`);
    } finally {
      app.config = config;
    }
  });

  it('the start page', async () => {
    await open(`${base}/?plain`);
  });

  it('the archive of personal data', async () => {
    const path = `/api/v1/developers/${scenario.fixture.admin.developer_id}/exports`;
    expect((await staff.post(path)).status).toBeLessThan(300);
    await scenario.fixture.drain();
    const { body } = await staff.get<{ items: { identifier: string }[] }>(path);
    const { body: link } = await staff.get<{ download_url: string }>(
      `/api/v1/exports/${body.items[0]?.identifier}/download`,
    );
    await follow(link.download_url);
  });
});

describe('other programs get', () => {
  it('upload links and images', async () => {
    const icon = await staff.get<{ icon_url: string }>(`/api/v1/builds/${ios.build.identifier}`);
    await follow(icon.body.icon_url, { headers: { authorization: `Bearer ${scenario.fixture.admin.access_token}` } });
    const pending = await staff.post<{ upload_url: string; required_headers: Record<string, string> }>(
      '/api/v1/builds/initiate',
      { version_name: '9.9', build_number: 990 },
      { ...scenario.installScenario.ios },
    );
    const { upload_url: link, required_headers: headers } = pending.body;
    expect((await follow(link, { method: 'PUT', headers, body: 'bytes' })).status).toBe(201);
  });

  it('the link in a chat message about a release', async () => {
    await using receiver = await startReceiver();
    const webhooks = startWebhookScenario(scenario.fixture, staff);
    await webhooks.subscribe(`${receiver.url}/slack`, { format: 'slack' });
    webhooks.happen();
    await scenario.fixture.drain();
    const [link = ''] = JSON.stringify(receiver.at('/slack').at(-1)?.json).match(/https:[^|"]+/) ?? [];
    await open(link);
  });

  it("the service provider's addresses in messages and metadata", async () => {
    const { fixture } = scenario;
    const path = ssoPath(fixture.organization_id);
    const headers = { authorization: `Bearer ${fixture.admin.access_token}` };
    const metadata = await (await follow(`${base}${path}/metadata`, { headers })).text();
    expect(attributeIn(metadata, 'entityID')).toBe(`${base}${path}/metadata`);
    const locations = [...metadata.matchAll(/Location="([^"]+)"/g)].map(([, location]) => location);
    expect(locations).toEqual(expect.arrayContaining([`${base}${path}/acs`, `${base}${path}/slo`]));
    const { body } = await api(fixture, null).post('/api/v1/login/sso/discover', { email: 'zoe@example.test' });
    expect(body.login_url).toBe(`${base}${path}/login`);
    await follow(`${base}${path}/login`);
  });

  it.each([
    ['', '/'],
    ['?relay_state=/me', '/me'],
    [`?relay_state=${BASE}/settings/sso`, '/settings/sso'],
    ['?relay_state=/../elsewhere', '/'],
  ])('addresses for a sign-in through an identity provider: with the query %j it leads to %s', async (query, back) => {
    const { fixture } = scenario;
    const started = await begin(fixture, { query });
    const message = messageOf(started.location);
    expect(attributeIn(message, 'AssertionConsumerServiceURL')).toBe(`${base}${ssoPath(fixture.organization_id)}/acs`);
    const login = await fetch(`${base}${ssoPath(fixture.organization_id)}/login`, { redirect: 'manual' });
    expect(login.headers.get('set-cookie')).toContain(`; Path=${BASE}${ssoPath(fixture.organization_id)}; `);
    const relayState = new URL(started.location).searchParams.get('RelayState') ?? undefined;
    const response = await deliver(fixture, signAnswer(provider, started.target), {
      cookie: started.cookie,
      relayState,
    });
    expect([response.status, response.headers.get('location')]).toEqual([302, `${BASE}${back}`]);
    const logout = await fetch(`${base}${ssoPath(fixture.organization_id)}/logout`, {
      redirect: 'manual',
      headers: { cookie: cookiesOf(response.headers) },
    });
    const sent = messageOf(logout.headers.get('location') ?? '');
    expect(sent).toContain(`>${base}${ssoPath(fixture.organization_id)}/metadata</`);
  });
});

describe('commands', () => {
  let workshop: Workshop;
  beforeAll(() => {
    workshop = openWorkshop();
  });
  afterAll(() => workshop[Symbol.dispose]());

  it('sign in at the address with its path, store it, upload and release', async () => {
    const { email, password } = scenario.fixture.admin;
    const words = ['login', '--url', `${base}/`, '--email', email, '--password-stdin'];
    const login = await workshop.run(words, { stdin: Readable.from([password]) });
    expect(login).toMatchObject({ code: 0 });
    writeFileSync(join(workshop.folder, 'app.ipa'), buildIpa({ version: '4.0', build: '80' }));
    const { body } = await staff.get<{ name: string }>(`/api/v1/channels/${ios.channelId}`);
    const upload = await workshop.run([
      'upload',
      'app.ipa',
      '--project',
      'Fixture iOS',
      '--channel',
      body.name,
      '--json',
    ]);
    expect(upload).toMatchObject({ code: 0 });
    expect(JSON.parse(upload.stdout).install_url).toBe(`${base}/install/channels/${ios.channelId}`);
    expect((await workshop.run(['logout'])).code).toBe(0);
  });
});

function askPlain(path: string): Promise<{ status: number; location: string | undefined }> {
  return new Promise((resolve, reject) => {
    const asked = requestPlain({ port: httpPort, host: '127.0.0.1', path, agent: false }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, location: response.headers.location });
    });
    asked.on('error', reject);
    asked.end();
  });
}
