// What install pages know about visitors: their device, what they may have installed, and whether downloads are allowed.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { organizations } from '../../src/data/tables/tables.ts';
import { deviceCookie } from '../../src/devices/cookie.ts';
import { insertDevice } from '../../src/devices/store.ts';
import { createIdentity } from '../inspection/build-signature.ts';
import { type ApkInput, buildApk, buildIpa, sampleDevices } from '../support/fixtures.ts';
import { addOrganization, addPerson } from '../support/people.ts';
import { type InstallScenario, type Published, startInstallScenario } from './scenario.ts';

const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const agents = {
  iphone: `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${webKit} Version/17.5 Mobile/15E148 Safari/604.1`,
  mac: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Version/17.5 Safari/605.1.15`,
  android: 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
} as const;
type Agent = keyof typeof agents;

const [named = ''] = sampleDevices;
const unnamed = '00000000-00000000000000FF';

let scenario: InstallScenario;
beforeAll(async () => {
  scenario = await startInstallScenario();
});
afterAll(() => scenario?.fixture.stop());

async function open(path: string, agent: Agent, cookie?: string): Promise<string> {
  const headers = { 'user-agent': agents[agent], ...(cookie === undefined ? {} : { cookie }) };
  return (await scenario.follow(scenario.base + path, { headers })).text();
}
const pageOf = ({ channelId }: Published) => `/install/channels/${channelId}`;
const installLink = (html: string) => /<a class="button" href="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');

/** Registers a device and answers the cookie of its browser. */
function addDevice(udid: string, organizationId: string, product: string | null = 'iPhone14,2'): string {
  const { app } = scenario.fixture;
  const id = app.ids.next();
  systemContext(app).transact(
    (tx) =>
      insertDevice(tx, {
        id,
        organizationId,
        udid,
        name: 'Old faithful',
        product,
        osBuild: '21F79',
        developerId: null,
        registeredAt: tx.now,
        enrolledAt: tx.now,
      }),
    { bookkeeping: true },
  );
  return deviceCookie(app, id).split(';')[0] ?? '';
}

describe('a browser with the cookie of its device', () => {
  let published: Published;
  let elsewhere: string;
  beforeAll(async () => {
    published = await scenario.publish(scenario.ios, buildIpa());
    elsewhere = await addOrganization(await addPerson(scenario.fixture));
  });

  it('sees that the profile contains it, and gets the button', async () => {
    const html = await open(pageOf(published), 'iphone', addDevice(named, scenario.fixture.organization_id));
    expect(html).toContain('This iPhone is registered for this build.');
    expect(installLink(html)).toMatch(/^itms-services:/);
  });

  it('without the cookie can be any device, and gets the button with a warning', async () => {
    for (const cookie of [undefined, 'svc_device=nonsense', `svc_device=${scenario.fixture.app.ids.next()}.1.x`]) {
      const html = await open(pageOf(published), 'iphone', cookie);
      expect(html).toContain('This build runs only on registered devices. If this iPhone isn’t registered yet,');
      expect(installLink(html)).toMatch(/^itms-services:/);
    }
  });

  it('registered here, waits for a build that contains it, and then gets it', async () => {
    const cookie = addDevice(unnamed, scenario.fixture.organization_id);
    const waiting = await open(pageOf(published), 'iphone', cookie);
    expect(waiting).toContain('This build doesn’t include this iPhone yet');
    expect(installLink(waiting)).toBeUndefined();
    expect(waiting).toContain('Try here anyway');
    const bytes = buildIpa({ profile: { ProvisionedDevices: [named, unnamed] } });
    const better = await scenario.addBuild(scenario.ios, bytes);
    await scenario.addRelease(scenario.ios, published.channelId, better.identifier);
    const ready = await open(pageOf(published), 'iphone', cookie);
    expect(ready).toContain('This iPhone is registered for this build.');
    expect(installLink(ready)).toMatch(/^itms-services:/);
  });

  it('registered in another organization, is asked to register here, and learns nothing about the other', async () => {
    const other = await scenario.publish(scenario.ios, buildIpa());
    const html = await open(pageOf(other), 'iphone', addDevice('00000000-00000000000000EE', elsewhere));
    expect(html).toContain('This iPhone isn’t registered');
    expect(html).toContain('Ask the person who sent you this link for a registration link.');
    expect(html).not.toMatch(/Wharf|00EE|Old faithful|doesn’t include/);
    // Named by the profile all the same, it installs.
    const installs = await open(pageOf(other), 'iphone', addDevice(named, elsewhere));
    expect(installs).toContain('This iPhone is registered for this build.');
  });

  it('on an iPad that identifies as a Mac, is treated as an iPad', async () => {
    const other = await scenario.publish(scenario.ios, buildIpa());
    const ipad = addDevice('00000000-00000000000000DD', scenario.fixture.organization_id, 'iPad13,4');
    const html = await open(pageOf(other), 'mac', ipad);
    expect(html).toContain('This build doesn’t include this iPad yet');
    expect(html).not.toContain('class="qr"');
    expect(await open(pageOf(other), 'mac')).toContain('On an iPad? Install here');
  });

  it('loses its cookie with its device, and sees nothing of a private channel', async () => {
    const cookie = addDevice('00000000-00000000000000CC', scenario.fixture.organization_id);
    const private_ = await scenario.addChannel(scenario.ios, { public: false });
    const [remembered, stranger] = [
      await open(`/install/channels/${private_}`, 'iphone', cookie),
      await open(`/install/channels/${private_}`, 'iphone'),
    ];
    expect(remembered).toBe(stranger);
    expect(remembered).toContain('Sign in to install');
  });
});

describe('the page of one release', () => {
  const releasePage = ({ channelId, releaseId }: Published) => `/install/channels/${channelId}/releases/${releaseId}`;

  it('is the page of the channel while it is the current release', async () => {
    const published = await scenario.publish(scenario.android, buildApk(), { version_name: '3.0-only' });
    const html = await open(releasePage(published), 'android');
    expect(html).toContain('Version 3.0-only');
    expect(installLink(html)).toContain(`${published.path}/download?capability=`);
  });

  it('links to the current release otherwise, regardless of the reason', async () => {
    const published = await scenario.publish(scenario.android, buildApk(), { version_name: '4.0-old' });
    const build = await scenario.addBuild(scenario.android, buildApk(), { version_name: '4.1-new' });
    await scenario.addRelease(scenario.android, published.channelId, build.identifier);
    const html = await open(releasePage(published), 'android');
    expect(html).toContain('This build is no longer available');
    expect(installLink(html)).toBe(`${scenario.base}/install/channels/${published.channelId}`);
    expect(html).not.toMatch(/4\.0-old|4\.1-new/);
    const absent = { ...published, releaseId: scenario.fixture.app.ids.next() };
    expect(await open(releasePage(absent), 'android')).toBe(html);
    expect(await open(releasePage({ ...published, releaseId: '<script>' }), 'android')).toBe(html);
  });

  it('of a private channel asks to sign in, like that of a missing one', async () => {
    const published = await scenario.publish(scenario.android, buildApk());
    await (await scenario.staff()).patch(`/api/v1/channels/${published.channelId}`, { public: false });
    const answer = await scenario.follow(scenario.base + releasePage(published));
    expect(answer.status).toBe(404);
    const absent = scenario.fixture.app.ids.next();
    const page = await open(`/install/channels/${absent}`, 'android');
    expect(await answer.text()).toBe(page.replaceAll(absent, published.channelId));
  });
});

describe('a build that cannot update the installed one', () => {
  const [ours, theirs] = [createIdentity('Ours'), createIdentity('Theirs')];
  async function after(first: ApkInput, second: ApkInput): Promise<string> {
    const published = await scenario.publish(
      scenario.android,
      buildApk({ signers: [ours], versionCode: 10, ...first }),
      {
        version_name: '1.4.1-before',
      },
    );
    const build = await scenario.addBuild(scenario.android, buildApk({ signers: [ours], versionCode: 11, ...second }));
    await scenario.addRelease(scenario.android, published.channelId, build.identifier);
    return open(pageOf(published), 'android');
  }
  it.each<[string, ApkInput, ApkInput, string | null]>([
    ['of another key', {}, { signers: [theirs] }, 'signed with a different key than 1.4.1-before'],
    ['of a lower version code', {}, { versionCode: 9 }, 'older than 1.4.1-before'],
    ['of the same key and a higher code', {}, {}, null],
    ['of another app', { packageName: 'com.example.other' }, { signers: [theirs] }, null],
  ])('has a warning before it is installed: %s', async (_, first, second, words) => {
    const html = await after(first, second);
    if (words === null) expect(html).not.toContain('Not an update');
    else expect(html).toContain(words);
    expect(installLink(html)).toContain('/download?capability=');
  });

  it('has a warning about another team on iOS', async () => {
    const team = (prefix: string) =>
      buildIpa({ profile: { Entitlements: { 'application-identifier': `${prefix}.com.example.sample` } } });
    const published = await scenario.publish(scenario.ios, team('PREFIX0001'), { version_name: '1.4.1-before' });
    expect(await open(pageOf(published), 'iphone')).not.toContain('Not an update');
    const build = await scenario.addBuild(scenario.ios, team('PREFIX0002'));
    await scenario.addRelease(scenario.ios, published.channelId, build.identifier);
    expect(await open(pageOf(published), 'iphone')).toContain('a different developer team than 1.4.1-before');
  });

  it('has a warning after a rollback to a lower code', async () => {
    const published = await scenario.publish(scenario.android, buildApk({ signers: [ours], versionCode: 10 }));
    const bytes = buildApk({ signers: [ours], versionCode: 20 });
    const newer = await scenario.addBuild(scenario.android, bytes, { version_name: '2.0-withdrawn' });
    await scenario.addRelease(scenario.android, published.channelId, newer.identifier);
    expect(await open(pageOf(published), 'android')).not.toContain('Not an update');
    const rolledBack = await (await scenario.staff()).post('/api/v1/releases/rollback', undefined, {
      ...scenario.android,
      channel_id: published.channelId,
    });
    expect(rolledBack.status, rolledBack.text).toBe(200);
    expect(await open(pageOf(published), 'android')).toContain('older than 2.0-withdrawn');
  });

  it('is compared within its own channel only', async () => {
    await scenario.publish(scenario.android, buildApk({ signers: [theirs], versionCode: 99 }));
    const published = await scenario.publish(scenario.android, buildApk({ signers: [ours], versionCode: 1 }));
    expect(await open(pageOf(published), 'android')).not.toContain('Not an update');
  });
});

describe('a locked organization', () => {
  it('has no downloads on its pages, unless it is suspended', async () => {
    const [ios, android] = [
      await scenario.publish(scenario.ios, buildIpa()),
      await scenario.publish(scenario.android, buildApk()),
    ];
    const minted = await scenario.anyone.post<{ install_url: string }>(`${android.path}/install-link`);
    const byCapability = minted.body.install_url.slice(scenario.base.length);
    const { db } = scenario.fixture.app;
    const outcomes = [];
    try {
      for (const lockReason of ['awaiting_payment', 'grace', 'suspended', null] as const) {
        db.update(organizations).set({ lockReason }).where(eq(organizations.id, ios.project.organization_id)).run();
        const pages = [
          await open(pageOf(ios), 'iphone'),
          await open(pageOf(ios), 'mac'),
          await open(pageOf(android), 'android'),
          await open(byCapability, 'android'),
        ];
        outcomes.push([
          lockReason,
          ...pages.map((html) =>
            html.includes('Downloads are paused') ? !/itms-services|\/download/.test(html) : null,
          ),
        ]);
      }
    } finally {
      db.update(organizations).set({ lockReason: null }).run();
    }
    expect(outcomes).toEqual([
      ['awaiting_payment', true, true, true, true],
      ['grace', true, true, true, true],
      ['suspended', null, null, null, null],
      [null, null, null, null, null],
    ]);
  });
});
