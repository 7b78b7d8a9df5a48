// The page of a share link: what it shows, what counts as an install, and when it stops working.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { downloads } from '../../src/data/tables/tables.ts';
import { passwordsOf } from '../../src/developers/password.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import { AppError } from '../../src/lib/errors.ts';
import type { Build } from '../builds/scenario.ts';
import { type InstallScenario, type Published, startInstallScenario } from '../install/scenario.ts';
import { buildApk, buildDemoApk, buildIpa } from '../support/fixtures.ts';
import type { Json } from '../support/harness.ts';
import { addOrganization, addPerson } from '../support/people.ts';
import { browser, type CreatedLink, IPHONE, type Shown, share } from './scenario.ts';

const DEAD = 'This link doesn’t work';
const PASSWORD = 'orange submarine';

let scenario: InstallScenario;
let app: Published;
let channelId: string;
beforeAll(async () => {
  scenario = await startInstallScenario({ config: { server: { trusted_proxies: ['127.0.0.1'] } } });
  app = await scenario.publish(scenario.android, buildDemoApk());
});
afterAll(() => scenario?.fixture.stop());
beforeEach(async () => {
  channelId = await scenario.addChannel(scenario.android, { public: false });
  await scenario.addRelease(scenario.android, channelId, app.build.identifier);
});

const toChannel = (body: Json = {}) => share(scenario, scenario.android, { channel_id: channelId, ...body });
const toBuild = (build: Build, body: Json = {}) =>
  share(scenario, scenario.android, { build_id: build.identifier, ...body });
const revoke = async ({ identifier }: CreatedLink) =>
  expect((await (await scenario.staff()).post(`/api/v1/share-links/${identifier}/revoke`)).status).toBe(204);
const installsOf = ({ identifier }: CreatedLink) =>
  scenario.fixture.app.db.$client.prepare('SELECT installs FROM share_links WHERE id = ?').pluck().get(identifier);
const downloadsOf = () => scenario.fixture.app.db.select().from(downloads).all();

/** Everything of a response that could tell links apart. */
function facts({ status, html, headers }: Shown) {
  const kept = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status, html, headers: Object.fromEntries(kept) };
}

describe('the page of a share link', () => {
  it('installs what is live on a private channel, without an account', async () => {
    const link = await toChannel();
    const phone = browser(scenario);
    const page = await phone.open(link.url);
    expect([page.status, page.title]).toEqual([200, 'API Demos']);
    expect(page.html).toContain('<title>Install API Demos</title>');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('x-robots-tag')).toBe('noindex, nofollow');
    const token = link.url.split('/s/')[1];
    expect(page.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^svc_share=[0-9a-f-]{36}\\.\\d+\\.[\\w.-]+; Path=/s/${token}; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$`,
        ),
      ),
    ]);
    expect((await phone.open(link.url)).headers.getSetCookie()).toEqual([]);
    expect(installsOf(link)).toBe(0);
    expect(await scenario.digest(await phone.button(link.url))).toBe(app.digest);
    expect(installsOf(link)).toBe(1);
    expect(downloadsOf().at(-1)).toMatchObject({ channelId, buildId: app.build.identifier, developerId: null });
    expect((await scenario.analytics(channelId)).total_downloads).toBe(1);
    const next = await scenario.addBuild(scenario.android, buildApk(), { version_name: '9.9.9' });
    await scenario.addRelease(scenario.android, channelId, next.identifier);
    expect((await phone.open(link.url)).html).toContain('9.9.9');
  });

  it('says that nothing is live on the channel', async () => {
    const empty = await scenario.addChannel(scenario.android, { public: false });
    const link = await share(scenario, scenario.android, { channel_id: empty });
    expect((await browser(scenario).open(link.url)).html).toContain('Nothing to install yet');
  });

  it('installs a build that was never released', async () => {
    const build = await scenario.addBuild(scenario.android, buildDemoApk());
    const link = await toBuild(build);
    const phone = browser(scenario);
    const page = await phone.open(link.url);
    expect([page.status, page.title]).toEqual([200, 'API Demos']);
    expect(page.html).toContain('Uploaded');
    const button = await phone.button(link.url);
    const capability = button.replace(/\/download$/, '');
    expect((await scenario.anyone.get(new URL(capability).pathname)).body).toMatchObject({
      release: { identifier: build.identifier, mandatory: false, version_name: '1.2.3' },
    });
    expect(await scenario.digest(button)).toBe(app.digest);
    expect(downloadsOf().at(-1)).toMatchObject({
      channelId: null,
      releaseId: null,
      buildId: build.identifier,
      developerId: null,
    });
    expect(installsOf(link)).toBe(1);
  });

  it('installs on an iPhone through manifest and icon, as one install', async () => {
    const bytes = buildIpa();
    const build = await scenario.addBuild(scenario.ios, bytes);
    const link = await share(scenario, scenario.ios, { build_id: build.identifier, max_installs: 1 });
    const phone = browser(scenario, IPHONE);
    const first = await phone.button(link.url);
    expect(installsOf(link)).toBe(0);
    const digest = await scenario.digest(first);
    expect(await scenario.digest(first)).toBe(digest);
    // The page is loaded again when its button has expired.
    scenario.fixture.clock.advance(20 * MINUTE);
    expect((await scenario.follow(first)).status).toBe(404);
    const second = await phone.button(link.url);
    expect(second).not.toBe(first);
    expect(await scenario.digest(second)).toBe(digest);
    expect(installsOf(link)).toBe(1);
    expect((await browser(scenario, IPHONE).open(link.url)).title).toBe(DEAD);
  });

  it('shows when the link expires', async () => {
    const expiresAt = new Date(scenario.fixture.clock.now().getTime() + 2 * HOUR).toISOString();
    const { url } = await toChannel({ expires_at: expiresAt });
    expect((await browser(scenario).open(url)).html).toContain('This link expires in 2 hours.');
  });
});

describe('an install', () => {
  it('counts once for a browser, for reloads, retries and ranges, and for each release', async () => {
    const link = await toChannel();
    const phone = browser(scenario);
    const button = await phone.button(link.url);
    await scenario.digest(button);
    await scenario.follow(button, { headers: { range: 'bytes=100-' } });
    await scenario.follow(button, { method: 'HEAD' });
    await scenario.digest(await phone.button(link.url));
    expect(installsOf(link)).toBe(1);
    await scenario.digest(await browser(scenario).button(link.url));
    expect(installsOf(link)).toBe(2);
    const next = await scenario.addBuild(scenario.android, buildApk());
    await scenario.addRelease(scenario.android, channelId, next.identifier);
    await scenario.digest(await phone.button(link.url));
    expect(installsOf(link)).toBe(3);
    scenario.fixture.clock.advance(30 * DAY - 1);
    await scenario.digest(await phone.button(link.url));
    expect(installsOf(link)).toBe(3);
    scenario.fixture.clock.advance(1);
    await scenario.digest(await phone.button(link.url));
    expect(installsOf(link)).toBe(4);
  });

  it('never exceeds the limit of simultaneous requests', async () => {
    const link = await toChannel({ max_installs: 3 });
    const before = downloadsOf().length;
    const buttons = await Promise.all(Array.from({ length: 12 }, () => browser(scenario).button(link.url)));
    const responses = await Promise.all(
      buttons.flatMap((button) => [
        scenario.follow(button),
        scenario.follow(button),
        scenario.follow(button, { method: 'HEAD' }),
      ]),
    );
    const admitted = responses.filter(({ status }) => status === 302);
    expect([admitted.length, new Set(responses.map(({ status }) => status))]).toEqual([9, new Set([302, 404])]);
    expect(responses.every(({ status, headers }) => (status === 302) === headers.has('location'))).toBe(true);
    expect([installsOf(link), downloadsOf().length - before]).toEqual([3, 3]);
    expect((await browser(scenario).open(link.url)).title).toBe(DEAD);
  });

  it('is counted for a HEAD request, because its response leads to the package', async () => {
    const link = await toChannel({ max_installs: 1 });
    const [one, other] = [await browser(scenario).button(link.url), await browser(scenario).button(link.url)];
    expect((await scenario.follow(one, { method: 'HEAD' })).status).toBe(302);
    expect(installsOf(link)).toBe(1);
    expect((await scenario.follow(other, { method: 'HEAD' })).status).toBe(404);
    expect((await scenario.follow(one)).status).toBe(302);
  });

  it('can be repeated on a used-up link by the browser that was counted', async () => {
    const link = await toChannel({ max_installs: 1 });
    const [phone, late] = [browser(scenario), browser(scenario)];
    const lateButton = await late.button(link.url);
    await scenario.digest(await phone.button(link.url));
    expect((await scenario.follow(lateButton)).status).toBe(404);
    expect((await late.open(link.url)).title).toBe(DEAD);
    expect(await scenario.digest(await phone.button(link.url))).toBe(app.digest);
    expect(installsOf(link)).toBe(1);
  });

  it('does not take the capability of a link for one of a public channel', async () => {
    const link = await share(scenario, scenario.android, { channel_id: app.channelId, max_installs: 1 });
    const button = await browser(scenario).button(link.url);
    const capability = /install\/([^/]+)\/download/.exec(button)?.[1] ?? '';
    await scenario.follow(`${scenario.base}${app.path}/download?capability=${capability}`);
    expect(installsOf(link)).toBe(0);
    await scenario.digest(button);
    expect(installsOf(link)).toBe(1);
  });
});

describe('a link that does not work', () => {
  it('gets the same page as an unknown one, for any reason', async () => {
    const { fixture } = scenario;
    const maintainer = await addPerson(fixture, {
      organizations: { [fixture.organization_id]: 'member' },
      projects: { [fixture.android_project_id]: 'maintainer' },
    });
    const unknown = facts(await browser(scenario).open(`${scenario.base}/s/${'a'.repeat(43)}`));
    expect(unknown).toMatchObject({ status: 404, html: expect.stringContaining(DEAD) });
    expect(unknown.headers['set-cookie']).toBeUndefined();
    const soon = new Date(fixture.clock.now().getTime() + HOUR).toISOString();
    const [channel, build] = [
      await scenario.addChannel(scenario.android),
      await scenario.addBuild(scenario.android, buildDemoApk()),
    ];
    const deletedBuild = await scenario.addBuild(scenario.android, buildDemoApk());
    const links = {
      revoked: await toChannel({ password: PASSWORD }),
      expired: await toChannel({ expires_at: soon }),
      usedUp: await toChannel({ max_installs: 1, password: PASSWORD }),
      role: await share(scenario, scenario.android, { channel_id: channelId }, maintainer.client),
      buildRevoked: await toBuild(build),
      buildDeleted: await toBuild(deletedBuild),
      channelDeleted: await share(scenario, scenario.android, { channel_id: channel }),
    };
    const phone = browser(scenario);
    await phone.enter(links.usedUp.url, PASSWORD);
    await scenario.digest(await phone.button(links.usedUp.url));
    await revoke(links.revoked);
    const { $client } = fixture.app.db;
    $client.prepare("UPDATE project_memberships SET role = 'read' WHERE developer_id = ?").run(maintainer.id);
    const staff = await scenario.staff();
    expect((await staff.post(`/api/v1/builds/${build.identifier}/revoke`)).status).toBe(200);
    expect((await staff.delete(`/api/v1/builds/${deletedBuild.identifier}`)).status).toBe(204);
    expect((await staff.delete(`/api/v1/channels/${channel}`)).status).toBe(204);
    fixture.clock.advance(HOUR);
    for (const [why, { url }] of Object.entries(links)) {
      expect(facts(await browser(scenario).open(url)), why).toEqual(unknown);
      expect(facts(await browser(scenario).enter(url, PASSWORD)), why).toEqual(unknown);
    }
    for (const token of ['x', '%00', 'x'.repeat(2000), '..%2f..', 'S'.repeat(43)]) {
      expect(facts(await browser(scenario).open(`${scenario.base}/s/${token}`)), token).toEqual(unknown);
    }
  });

  it('stops the pages, manifests, icons and downloads that started from it', async () => {
    const build = await scenario.addBuild(scenario.ios, buildIpa());
    const link = await share(scenario, scenario.ios, { build_id: build.identifier });
    const phone = browser(scenario, IPHONE);
    const button = await phone.button(link.url);
    await scenario.digest(button);
    const base = button.replace(/\/download$/, '');
    const capability = base.split('/').at(-1);
    const links = [button, base, `${base}/manifest.plist`, `${scenario.base}/install/${capability}`];
    for (const address of links) expect((await scenario.follow(address)).status, address).toBeLessThan(400);
    await revoke(link);
    for (const address of links) expect((await scenario.follow(address)).status, address).toBe(404);
    expect((await phone.open(link.url)).title).toBe(DEAD);
  });

  it('stops at the moment at which it expires, and when its creator is locked or removed', async () => {
    const { fixture } = scenario;
    const at = fixture.clock.now().getTime() + DAY;
    const link = await toChannel({ expires_at: new Date(at).toISOString() });
    const phone = browser(scenario);
    fixture.clock.advance(at - fixture.clock.now().getTime() - 1);
    const button = await phone.button(link.url);
    expect((await scenario.follow(button)).status).toBe(302);
    fixture.clock.advance(1);
    expect((await scenario.follow(button)).status).toBe(404);

    const person = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'manager' } });
    const { url } = await share(scenario, scenario.android, { channel_id: channelId }, person.client);
    const started = await browser(scenario).button(url);
    const { $client } = fixture.app.db;
    const lock = $client.prepare('UPDATE developers SET locked_at = ? WHERE id = ?');
    lock.run(1, person.id);
    expect([(await browser(scenario).open(url)).title, (await scenario.follow(started)).status]).toEqual([DEAD, 404]);
    lock.run(null, person.id);
    expect((await browser(scenario).open(url)).status).toBe(200);
    // Roles in other projects and organizations don't count.
    await addOrganization(person, 'Own');
    const elsewhere = $client.prepare(
      "INSERT INTO project_memberships (project_id, developer_id, role, created_at) VALUES (?, ?, 'maintainer', 0)",
    );
    elsewhere.run(scenario.ios.project_id, person.id);
    const ofOrganization = 'WHERE developer_id = ? AND organization_id = ?';
    const demote = $client.prepare(`UPDATE organization_memberships SET role = 'member' ${ofOrganization}`);
    demote.run(person.id, fixture.organization_id);
    expect([(await browser(scenario).open(url)).title, (await scenario.follow(started)).status]).toEqual([DEAD, 404]);
    $client.prepare(`DELETE FROM organization_memberships ${ofOrganization}`).run(person.id, fixture.organization_id);
    expect([(await browser(scenario).open(url)).title, (await scenario.follow(started)).status]).toEqual([DEAD, 404]);
  });

  it('does not serve a release that was withdrawn', async () => {
    const link = await toChannel();
    const phone = browser(scenario);
    const button = await phone.button(link.url);
    const { items } = (
      await (await scenario.staff()).get('/api/v1/releases', { ...scenario.android, channel_id: channelId })
    ).body as { items: { identifier: string }[] };
    const disabled = await (await scenario.staff()).post(`/api/v1/releases/${items[0]?.identifier}/disable`);
    expect(disabled.status).toBe(200);
    expect((await scenario.follow(button)).status).toBe(404);
    expect((await phone.open(link.url)).html).toContain('Nothing to install yet');
  });

  it('counts nothing while downloads of the organization are locked', async () => {
    const link = await toChannel({ max_installs: 1 });
    const button = await browser(scenario).button(link.url);
    const { $client } = scenario.fixture.app.db;
    const lock = $client.prepare('UPDATE organizations SET lock_reason = ? WHERE id = ?');
    lock.run('grace', scenario.fixture.organization_id);
    try {
      const page = await browser(scenario).open(link.url);
      expect([page.html.includes('Downloads are paused'), page.html.includes('/download')]).toEqual([true, false]);
      expect((await scenario.follow(button)).status).toBe(402);
      expect(installsOf(link)).toBe(0);
    } finally {
      lock.run(null, scenario.fixture.organization_id);
    }
    expect((await scenario.follow(button)).status).toBe(302);
  });
});

describe('the password of a link', () => {
  it('is required before anything about the app is shown, and stored in no readable form', async () => {
    const link = await toChannel({ password: PASSWORD });
    const phone = browser(scenario);
    const form = await phone.open(link.url);
    expect([form.status, form.title]).toEqual([200, 'Enter the password']);
    // Longer ones would be refused by a page without the form.
    expect(form.html).toContain('type="password" autocomplete="off" maxlength="1024" required');
    expect(form.html).not.toMatch(/API Demos|ApiDemos|Android|Fixture|capability|channel/i);
    expect(form.headers.getSetCookie()).toEqual([]);
    expect(form.headers.get('referrer-policy')).toBe('same-origin');
    expect(form.headers.get('content-security-policy')).toContain("form-action 'self'");
    const wrong = await phone.enter(link.url, 'orange submarines');
    expect([wrong.status, wrong.title, wrong.headers.getSetCookie()]).toEqual([403, 'Enter the password', []]);
    expect(wrong.html).toContain('Incorrect password');
    const entered = await phone.enter(link.url, PASSWORD);
    expect([entered.status, entered.location]).toEqual([302, link.url]);
    expect((await phone.open(link.url)).title).toBe('API Demos');
    expect(await scenario.digest(await phone.button(link.url))).toBe(app.digest);
    expect((await browser(scenario).open(link.url)).title).toBe('Enter the password');
    // Neither a browser that has entered it nor a link without one is asked.
    for (const [visitor, { url }] of [
      [phone, link],
      [browser(scenario), await toChannel()],
    ] as const) {
      const answer = await visitor.enter(url, 'orange submarines');
      expect([answer.status, answer.location, answer.headers.getSetCookie()]).toEqual([302, url, []]);
    }
  });

  it('opens only this link, until the cookie expires', async () => {
    const [one, other, open] = [
      await toChannel({ password: PASSWORD }),
      await toChannel({ password: PASSWORD }),
      await toChannel(),
    ];
    const phone = browser(scenario);
    await phone.enter(one.url, PASSWORD);
    const cookie = phone.cookies.get('svc_share') ?? '';
    expect((await phone.open(one.url)).title).toBe('API Demos');
    expect((await phone.open(other.url)).title).toBe('Enter the password');
    const visitor = browser(scenario);
    await visitor.open(open.url);
    expect((await visitor.open(other.url)).title).toBe('Enter the password');
    for (const altered of [
      `${cookie}x`,
      cookie.replace(/\.\d+\./, '.99999999999999.'),
      cookie.slice(0, -1),
      'x'.repeat(300),
    ]) {
      visitor.cookies.set('svc_share', altered);
      expect((await visitor.open(one.url)).title).toBe('Enter the password');
    }
    scenario.fixture.clock.advance(30 * DAY - 1);
    expect((await phone.open(one.url)).title).toBe('API Demos');
    scenario.fixture.clock.advance(1);
    expect((await phone.open(one.url)).title).toBe('Enter the password');
  });

  it('cannot be sent by a foreign page', async () => {
    const link = await toChannel({ password: PASSWORD });
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const answer = await browser(scenario).enter(link.url, PASSWORD, headers as Record<string, string>);
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
    }
  });

  it('is slowed down for a network after failures, also at the same time, and after 100 for everyone', async () => {
    const { fixture } = scenario;
    const link = await toChannel({ password: PASSWORD });
    const [attacker, person] = [
      browser(scenario, undefined, '203.0.113.7'),
      browser(scenario, undefined, '198.51.100.4'),
    ];
    const burst = await Promise.all(
      Array.from({ length: 12 }, (_, index) => attacker.enter(link.url, `guess ${index}`)),
    );
    const refused = burst.filter(({ status }) => status === 429);
    expect(burst.filter(({ status }) => status === 403).length).toBeLessThanOrEqual(8);
    expect(refused.length).toBeGreaterThanOrEqual(4);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    const right = await attacker.enter(link.url, PASSWORD);
    expect([right.status, right.headers.getSetCookie(), right.title]).toEqual([429, [], 'Enter the password']);
    const wait = Number(right.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(right.html).toContain(
      `role="alert">There were too many incorrect passwords. Try again in ${wait} second${wait === 1 ? '' : 's'}.</p>`,
    );
    expect(right.html).toContain('<form method="post"');
    expect((await person.enter(link.url, PASSWORD)).status).toBe(302);
    // Guesses from many networks slow everyone down.
    const subject = fixture.app.secrets.hash(`share ${link.identifier}`);
    const set = fixture.app.db.$client.prepare(
      'UPDATE password_guesses SET failures = ?, last_failure_at = ? WHERE subject = ?',
    );
    const now = fixture.clock.now().getTime();
    expect(set.run(99, now, subject).changes).toBe(1);
    const third = browser(scenario, undefined, '192.0.2.9');
    expect((await third.enter(link.url, 'another guess')).status).toBe(403);
    expect((await third.enter(link.url, 'another guess')).status).toBe(403);
    expect((await browser(scenario, undefined, '192.0.2.10').enter(link.url, PASSWORD)).status).toBe(429);
    fixture.clock.advance(15 * MINUTE);
    // A correct password is no failure: the next person neither waits for it nor is delayed by it.
    for (const address of ['192.0.2.10', '192.0.2.11', '192.0.2.12']) {
      expect((await browser(scenario, undefined, address).enter(link.url, PASSWORD)).status).toBe(302);
    }
    // An attempt that nobody is allowed now isn't a failure of its network either.
    expect(set.run(110, fixture.clock.now().getTime(), subject).changes).toBe(1);
    expect((await attacker.enter(link.url, PASSWORD)).status).toBe(429);
    set.run(0, 0, subject);
    expect((await attacker.enter(link.url, PASSWORD)).status).toBe(302);
    // Those who entered it before aren't affected.
    expect((await person.open(link.url)).title).toBe('API Demos');
    // An attempt that too many others kept from being verified is no failure.
    set.run(110, 0, subject);
    const waiting = browser(scenario, undefined, '192.0.2.13');
    const full = new AppError('rate_limit_exceeded', 'Too many concurrent sign-ins. Try again');
    vi.spyOn(passwordsOf(fixture.app), 'verify').mockRejectedValueOnce(full);
    expect((await waiting.enter(link.url, PASSWORD)).status).toBe(429);
    vi.restoreAllMocks();
    expect((await waiting.enter(link.url, PASSWORD)).status).toBe(302);
  });

  it('is asked in German', async () => {
    const link = await toChannel({ password: PASSWORD });
    const open = async (url: string) =>
      (await fetch(scenario.reach(url), { headers: { 'accept-language': 'de', accept: 'text/html' } })).text();
    expect(await open(link.url)).toContain('<h1>Passwort eingeben</h1>');
    expect(await open(`${scenario.base}/s/unknown`)).toContain('<h1>Dieser Link funktioniert nicht</h1>');
  });
});
