// The enrollment pages for phones, in-app browsers, desktops and Android, and the result page.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext } from '../../src/core/transact.ts';
import {
  appleRegistrations,
  devices,
  organizations,
  storeConnections,
  testerGrants,
} from '../../src/data/tables/tables.ts';
import { findBrowserDevice, readDeviceCookie } from '../../src/devices/cookie.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import { buildApk, buildIpa } from '../support/fixtures.ts';
import { addPerson, join } from '../support/people.ts';
import { OLD_UDID, UDID } from './phone.ts';
import { type DeviceScenario, type Link, startDeviceScenario } from './scenario.ts';

let scenario: DeviceScenario;
let fixture: Fixture;

beforeAll(async () => {
  scenario = await startDeviceScenario();
  fixture = scenario.fixture;
});
afterAll(() => scenario?.stop());

const agents = {
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  ipad: 'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  mac: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
  windows:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  android:
    'Mozilla/5.0 (Linux; Android 14; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
  chromeOnIphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1',
  slackOnIphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Slack/24.06',
  wechat:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.49',
} as const;

/** As if Apple had accepted every device. */
function registerWithApple(): void {
  const { app } = fixture;
  const storeConnectionId = app.ids.next();
  const at = { createdAt: 1, checkedAt: 1 };
  app.db
    .insert(storeConnections)
    .values({
      id: storeConnectionId,
      organizationId: fixture.organization_id,
      provider: 'app_store_connect',
      name: 'Our team',
      sealedSecret: '',
      status: 'valid',
      scope: 'account',
      ...at,
    })
    .run();
  for (const { id } of app.db.select().from(devices).all()) {
    const row = { id: app.ids.next(), deviceId: id, storeConnectionId, state: 'registered' as const };
    app.db
      .insert(appleRegistrations)
      .values({ ...row, deviceClass: 'IPAD', registeredAt: 1, checkedAt: 1 })
      .run();
  }
}

interface Page {
  status: number;
  html: string;
  headers: Headers;
}

async function open(
  address: string,
  agent: string = agents.iphone,
  headers: Record<string, string> = {},
): Promise<Page> {
  const response = await fetch(scenario.reach(address), {
    headers: { accept: 'text/html,*/*', 'user-agent': agent, ...headers },
  });
  return { status: response.status, html: await response.text(), headers: response.headers };
}

/** What a browser shows of a page's text. */
const textOf = (html: string) =>
  html
    .replace(/<head>.*<\/head>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
const profileLink = (link: Link) => `href="${link.url}/profile"`;

describe('the page of an enrollment link', () => {
  it('shows an iPhone the steps, the collected data and its purpose', async () => {
    const link = await scenario.link();
    const { status, html, headers } = await open(link.url);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('vary')).toContain('Accept-Language');
    expect(headers.get('set-cookie')).toBeNull();
    expect(html).toContain(profileLink(link));
    expect(html).not.toMatch(/<script|<style| on\w+=/i);
    expect(Buffer.byteLength(html)).toBeLessThan(30 * 1024);
    const text = textOf(html);
    expect(text).toContain('Register this iPhone');
    expect(text).toContain('Profile Downloaded');
    expect(text).toContain('General › VPN & Device Management');
    expect(text).toContain('The identifier of the device (UDID)');
    expect(text).toContain('Members of Fixture Organization can see the model and the system version.');
    expect(text).toContain('Managers and admins also see the identifier, register it with Apple');
    expect(text).toMatch(/This link expires in (59|60) minutes|This link expires in 1 hour/);
    expect(text).not.toContain('ready for iOS');
  });

  it('calls an iPad an iPad', async () => {
    const { html } = await open((await scenario.link()).url, agents.ipad);
    expect(textOf(html)).toContain('Register this iPad');
  });

  it.each([
    ['Chrome on iOS', agents.chromeOnIphone, 'inside Chrome', true],
    ['the browser inside Slack', agents.slackOnIphone, 'inside Slack', true],
    ['the browser inside WeChat, which opens no other app', agents.wechat, 'inside WeChat', false],
  ])('redirects %s to Safari', async (_name, agent, words, opensSafari) => {
    const link = await scenario.link();
    const { html } = await open(link.url, agent);
    expect(textOf(html)).toContain('Open this page in Safari');
    expect(textOf(html)).toContain(words);
    expect(html.includes('href="x-safari-https://')).toBe(opensSafari);
    expect(html).toContain(profileLink(link));
  });

  it('shows a QR code on a desktop, and a link to continue on a Mac that may be an iPad', async () => {
    const link = await scenario.link();
    const windows = await open(link.url, agents.windows);
    expect(windows.html).toContain('class="qr"');
    expect(windows.html).toContain(`>${link.url}<`);
    expect(windows.html).not.toContain(profileLink(link));
    const mac = await open(link.url, agents.mac);
    expect(mac.html).toContain('class="card untouched"');
    expect(mac.html).toContain(profileLink(link));
  });

  it('shows Android phones that nothing is required', async () => {
    const link = await scenario.link();
    const { html } = await open(link.url, agents.android);
    expect(textOf(html)).toContain('Android phones don’t have to be registered');
    expect(html).not.toContain(profileLink(link));
  });

  it('shows that iOS requires https if links have none', async () => {
    const plain = await startDeviceScenario({ config: { server: { base_url: 'http://localhost:0' } } });
    try {
      const link = await plain.link();
      const response = await fetch(plain.reach(link.url), { headers: { 'user-agent': agents.iphone } });
      const html = await response.text();
      expect(textOf(html)).toContain('This server isn’t ready for iOS');
      expect(html).toContain(profileLink(link));
    } finally {
      await plain.stop();
    }
  });

  it('first links to the trust page if the server has its own authority', async () => {
    const link = await scenario.link();
    const { config } = fixture.app;
    const { server } = config;
    const own = { ...config, server: { ...server, tls: { ...server.tls, mode: 'internal' as const } } };
    Object.assign(fixture.app, { config: own });
    try {
      const { html } = await open(link.url);
      expect(textOf(html)).toContain('Trust this server first');
      expect(html).toContain(`href="${scenario.installScenario.base}/trust"`);
      expect((await open(link.url, agents.android)).html).not.toContain('/trust');
    } finally {
      Object.assign(fixture.app, { config });
    }
    expect((await open(link.url)).html).not.toContain('/trust');
  });

  it.each([
    ['de-DE,de;q=0.9,en;q=0.8', 'de', 'Dieses iPhone registrieren'],
    ['fr-FR', 'en', 'Register this iPhone'],
    [`${'x'.repeat(5000)}`, 'en', 'Register this iPhone'],
  ])('has the requested language: %s', async (header, language, title) => {
    const { html } = await open((await scenario.link()).url, agents.iphone, {
      'accept-language': header.slice(0, 4000),
    });
    expect(html).toContain(`<html lang="${language}"`);
    expect(textOf(html)).toContain(title);
  });

  it('escapes the name of the organization', async () => {
    const client = await scenario.installScenario.staff();
    const made = await client.post('/api/v1/organizations', { name: '<script>alert(1)</script>' });
    const link = await client.post<Link>('/api/v1/devices/enrollments', {}, { organization_id: made.text });
    const { html } = await open(link.body.url);
    expect(html).not.toContain('<script>');
    expect(html).toContain('&lt;script&gt;');
  });

  it('shows in both languages that an expired link no longer works', async () => {
    const { status, html } = await open(`${scenario.installScenario.base}/public/v1/enroll/never`);
    expect([status, textOf(html).includes('This link no longer works')]).toEqual([404, true]);
    const german = await open(`${scenario.installScenario.base}/public/v1/enroll/never/profile`, agents.iphone, {
      'accept-language': 'de',
    });
    expect([german.status, textOf(german.html).includes('Dieser Link funktioniert nicht mehr')]).toEqual([404, true]);
    expect(german.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('returns the error envelope to programs that fetch a profile', async () => {
    const address = `${scenario.installScenario.base}/public/v1/enroll/never/profile`;
    const { status, html } = await open(address, 'curl/8', { accept: '*/*' });
    expect([status, JSON.parse(html)]).toEqual([404, { error: 'not_found', message: 'Not found', details: {} }]);
  });

  it('shows that profiles cannot be signed', async () => {
    const link = await scenario.link();
    const { apple_profile: profile } = fixture.app.config;
    const config = { ...fixture.app.config, apple_profile: { ...profile, cert_file: '/nowhere/cert.pem' } };
    const before = fixture.app.config;
    Object.assign(fixture.app, { config });
    try {
      const { status, html } = await open(`${link.url}/profile`);
      expect(status).toBe(503);
      expect(textOf(html)).toContain('We couldn’t sign the profile');
      expect(html).not.toContain('/nowhere');
    } finally {
      Object.assign(fixture.app, { config: before });
    }
  });
});

/** The cookie that a browser keeps of an answer. */
const cookieOf = (headers: Headers) => headers.get('set-cookie')?.split(';')[0] ?? '';

/** What the program reads of a browser's cookie. */
function contextWith(cookie: string) {
  const facts = { id: 'x', method: 'GET', ipAddress: null, userAgent: null, acceptLanguage: null };
  return createContext(
    fixture.app,
    { kind: 'anonymous' },
    { ...facts, header: (name) => (name === 'cookie' ? cookie : undefined) },
  );
}

describe('the page of a registered phone', () => {
  it('confirms the registration, and identifies the device in its browser', async () => {
    fixture.app.db.delete(devices).run();
    const result = await scenario.enroll(await scenario.link({ name: 'Blue <phone>' }));
    const { status, html, headers } = await open(result);
    expect(status).toBe(200);
    const text = textOf(html);
    expect(text).toContain('This iPhone is registered');
    expect(html).toContain('Blue &lt;phone&gt;');
    expect(text).toContain('Its identifier ends in 5F60.');
    expect(html).not.toContain(UDID);
    const cookie = headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^svc_device=[\w.-]+; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure$/);
    const [row] = fixture.app.db.select().from(devices).all();
    expect(readDeviceCookie(contextWith(`a=b; ${cookieOf(headers)}`))).toBe(row?.id);
  });

  it('lists compatible apps, those that wait for a new build, and incompatible ones', async () => {
    fixture.app.db.delete(devices).run();
    const { installScenario } = scenario;
    const profile = (keys: object = {}) => ({ ProvisionedDevices: [UDID.toLowerCase()], ...keys });
    await installScenario.publish(installScenario.ios, buildIpa({ name: 'Runs here', profile: profile() }));
    await installScenario.publish(
      installScenario.ios,
      buildIpa({ name: 'Waits', profile: { ProvisionedDevices: [OLD_UDID] } }),
    );
    await installScenario.publish(
      installScenario.ios,
      buildIpa({ name: 'Too new', minOs: '27.0', profile: profile() }),
    );
    await installScenario.publish(
      installScenario.ios,
      buildIpa({ name: 'Over', profile: profile({ ExpirationDate: new Date('2020-01-01T00:00:00Z') }) }),
    );
    await installScenario.publish(installScenario.android, buildApk({ label: 'An Android app' }));
    const hidden = await installScenario.addChannel(installScenario.ios, { public: false });
    const build = await installScenario.addBuild(installScenario.ios, buildIpa({ name: 'Hidden', profile: profile() }));
    await installScenario.addRelease(installScenario.ios, hidden, build.identifier);
    await installScenario.addChannel(installScenario.ios);

    const { html } = await open(await scenario.enroll(await scenario.link()));
    const text = textOf(html);
    const order = [
      'Ready to install',
      'Runs here',
      'Waiting for a new build',
      'Waits',
      'Not compatible with this device',
    ];
    const places = order.map((words) => text.indexOf(words));
    expect(places.every((place) => place > 0)).toBe(true);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
    expect(text).toContain('Requires iOS 27.0 or later.');
    expect(text).toContain('This build has expired.');
    expect(text).not.toContain('An Android app');
    expect(text).not.toContain('Hidden');
    expect(html.match(/href="https:\/\/[^"]+\/install\/channels\/[\w-]+"/g)).toHaveLength(1);
    expect(html).not.toMatch(/<script|<style| on\w+=/i);

    // Another device, which is in another profile.
    const older = await open(
      await scenario.enroll(await scenario.link(), { UDID: OLD_UDID, PRODUCT: 'iPad7,5', VERSION: '20H350' }),
    );
    expect(textOf(older.html)).toContain('This iPad is registered');
    expect(textOf(older.html)).toMatch(/Ready to install .*Waits.* Waiting for a new build .*Runs here/);
    expect(textOf(older.html)).toContain('Your team must add this device to the provisioning profile');

    registerWithApple();
    const registered = await open(
      await scenario.enroll(await scenario.link(), { UDID: OLD_UDID, PRODUCT: 'iPad7,5', VERSION: '20H350' }),
    );
    expect(textOf(registered.html)).toContain(
      'This device is registered with Apple. Your team must release a new build',
    );
  });

  it('links the apps of its owner if the owner requested the enrollment', async () => {
    fixture.app.db.delete(devices).run();
    const { installScenario } = scenario;
    const channel = await installScenario.addChannel(installScenario.ios, { name: 'Insiders', public: false });
    const build = await installScenario.addBuild(
      installScenario.ios,
      buildIpa({ name: 'Insider app', profile: { ProvisionedDevices: [UDID] } }),
    );
    await installScenario.addRelease(installScenario.ios, channel, build.identifier);
    const tester = await addPerson(fixture);
    const now = fixture.app.clock.now().getTime();
    fixture.app.db
      .insert(testerGrants)
      .values({
        id: fixture.app.ids.next(),
        organizationId: fixture.organization_id,
        projectId: fixture.ios_project_id,
        channelId: channel,
        targetId: channel,
        email: tester.email,
        developerId: tester.id,
        createdAt: now,
        attachedAt: now,
        notifiedAt: now,
      })
      .run();

    const named = await open(await scenario.enroll(await scenario.link({ developer_id: tester.id })));
    expect(textOf(named.html)).toContain('Insider app');
    expect(textOf(named.html)).toContain('Open the install link from your team.');
    expect(named.html).not.toMatch(/\/install\/[\w-]+\.[\w.-]+"/);

    const own = await tester.client.post<Link>(
      '/api/v1/testers/me/devices/enrollments',
      {},
      { organization_id: fixture.organization_id },
    );
    const result = await scenario.enroll(own.body);
    const linked = await open(result);
    const [, page = ''] = /href="(https:\/\/[^"]+\/install\/[\w-]+\.[\w.-]+)"/.exec(linked.html) ?? [];
    expect((await open(page)).status).toBe(200);

    // A member who lacks the second factor that the organization requires sees what is public.
    join(fixture, tester.id, { organizations: { [fixture.organization_id]: 'member' } });
    fixture.app.db.update(organizations).set({ mfaRequiredAt: 1, mfaGracePeriodDays: 0 }).run();
    fixture.clock.advance(1);
    expect(textOf((await open(result)).html)).not.toContain('Insider app');
    fixture.app.db.update(organizations).set({ mfaRequiredAt: null }).run();
    expect(textOf((await open(result)).html)).toContain('Insider app');

    // Nothing of it once the proof is over: the cookie alone shows what is public.
    fixture.clock.advance(15 * MINUTE);
    const later = await open(result, agents.iphone, { cookie: cookieOf(linked.headers) });
    expect(later.status).toBe(200);
    expect(textOf(later.html)).not.toContain('Insider app');
    expect(later.headers.get('set-cookie')).toBeNull();
    fixture.clock.set(new Date());

    // An enrollment that nobody is bound to tells nothing of it.
    fixture.app.db.delete(devices).run();
    const unbound = await open(await scenario.enroll(await scenario.link()));
    expect(textOf(unbound.html)).not.toContain('Insider app');
  });

  it('is empty without proof or cookie, and with those of another link or organization', async () => {
    fixture.app.db.delete(devices).run();
    const [link, other] = [await scenario.link(), await scenario.link()];
    const result = await scenario.enroll(link);
    const first = await open(result);
    const proof = result.split('/').at(-1) ?? '';
    const altered = proof.replace(/^./, (character) => (character === '0' ? '1' : '0'));
    const dead = await open(`${link.url}/result/nothing`);
    for (const address of [
      `${other.url}/result/${proof}`,
      `${link.url}/result/${altered}`,
      `${link.url}/result/${proof}x`,
      `${link.url}/result/${'x'.repeat(3000)}`,
      `${scenario.installScenario.base}/public/v1/enroll/never/result/${proof}`,
    ]) {
      const page = await open(address);
      expect([page.status, page.html]).toEqual([404, dead.html]);
      expect(page.headers.get('set-cookie')).toBeNull();
    }
    fixture.clock.advance(15 * MINUTE);
    expect((await open(result)).status).toBe(404);
    expect((await open(result, agents.iphone, { cookie: cookieOf(first.headers) })).status).toBe(200);
    const stranger = await addPerson(fixture);
    const made = await stranger.client.post('/api/v1/organizations', { name: 'Elsewhere' });
    const foreign = await stranger.client.post<Link>('/api/v1/devices/enrollments', {}, { organization_id: made.text });
    const page = await open(`${foreign.body.url}/result/${proof}`, agents.iphone, { cookie: cookieOf(first.headers) });
    expect(page.status).toBe(404);
    fixture.clock.set(new Date());
  });

  it('is shown by the link, which does not ask twice', async () => {
    fixture.app.db.delete(devices).run();
    const link = await scenario.link({ name: 'Desk phone' });
    const { headers } = await open(await scenario.enroll(link));
    const again = await open(link.url, agents.iphone, { cookie: cookieOf(headers) });
    expect(textOf(again.html)).toContain('This iPhone is already registered Its name is “Desk phone”.');
    expect(textOf((await open(link.url)).html)).not.toContain('registered already');
  });
});

describe('the cookie of a device', () => {
  it('contains one device for 400 days, and nothing after it is altered', async () => {
    fixture.app.db.delete(devices).run();
    const { headers } = await open(await scenario.enroll(await scenario.link()));
    const cookie = cookieOf(headers);
    const [row] = fixture.app.db.select().from(devices).all();
    expect(readDeviceCookie(contextWith(cookie))).toBe(row?.id);
    const [id = '', expiry = '', ...signature] = cookie.replace('svc_device=', '').split('.');
    const otherId = fixture.app.ids.next();
    const altered = [
      '',
      'svc_device=',
      'svc_device=x.y.z',
      `svc_device=${id}`,
      `svc_device=${[otherId, expiry, ...signature].join('.')}`,
      `svc_device=${[id, Number(expiry) + 1, ...signature].join('.')}`,
      `svc_device=${[id, expiry, ...signature].join('.')}A`,
      `svc_device=${id.toUpperCase()}.${expiry}.${signature.join('.')}`,
      `svc_device=${'x'.repeat(10_000)}`,
    ];
    expect(altered.map((one) => readDeviceCookie(contextWith(one)))).toEqual(altered.map(() => undefined));
    fixture.clock.advance(399 * DAY);
    expect(readDeviceCookie(contextWith(cookie))).toBe(row?.id);
    fixture.clock.advance(DAY);
    expect(readDeviceCookie(contextWith(cookie))).toBeUndefined();
    fixture.clock.set(new Date());
  });

  it('finds the same device in every organization that has it', async () => {
    fixture.app.db.delete(devices).run();
    const { headers } = await open(await scenario.enroll(await scenario.link()));
    const person = await addPerson(fixture);
    const other = (await person.client.post('/api/v1/organizations', { name: 'Elsewhere' })).text;
    const context = contextWith(cookieOf(headers));
    expect(findBrowserDevice(context, fixture.organization_id)?.udid).toBe(UDID);
    expect(findBrowserDevice(context, other)).toBeUndefined();
    await person.client.post('/api/v1/devices', { udid: UDID, name: 'the same' }, { organization_id: other });
    expect(findBrowserDevice(context, other)?.name).toBe('the same');
    fixture.app.db.delete(devices).run();
    expect(findBrowserDevice(context, fixture.organization_id)).toBeUndefined();
  });
});
