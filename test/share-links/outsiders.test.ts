// What a share link doesn't give: siblings, other links, other visits, and what was deleted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InstallScenario, startInstallScenario } from '../install/scenario.ts';
import { buildDemoApk, buildIpa } from '../support/fixtures.ts';
import type { Json } from '../support/harness.ts';
import { browser, IPHONE, share } from './scenario.ts';

const DESKTOP = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0';
const DEAD = 'This link doesn’t work';

let scenario: InstallScenario;
let buildId: string;
let iosBuildId: string;
beforeAll(async () => {
  scenario = await startInstallScenario();
  const android = await scenario.publish(scenario.android, buildDemoApk());
  const ios = await scenario.publish(scenario.ios, buildIpa({ name: 'Harbour' }), { version_name: '4.5.6' });
  [buildId, iosBuildId] = [android.build.identifier, ios.build.identifier];
});
afterAll(() => scenario?.fixture.stop());

async function addPair(name: string, isSiblingPublic: boolean): Promise<string> {
  const id = await scenario.addChannel(scenario.android, { name, public: false });
  await scenario.addRelease(scenario.android, id, buildId);
  const other = await scenario.addChannel(scenario.ios, { name, public: isSiblingPublic });
  await scenario.addRelease(scenario.ios, other, iosBuildId);
  return id;
}

const withoutTokens = (html: string) => html.replaceAll(/\/public\/v1\/(?:install|icons)\/[^"]*/g, '');

describe('a share link', () => {
  it.each([true, false])('shows nothing of the sibling of its channel (public: %s)', async (isPublic) => {
    const { url } = await share(scenario, scenario.android, {
      channel_id: await addPair(`pair ${isPublic}`, isPublic),
    });
    const sibling = `/api/v1/projects/${scenario.ios.project_id}/sibling`;
    const look = async () => {
      const pages = [];
      for (const agent of [IPHONE, DESKTOP]) {
        const { status, html } = await browser(scenario, agent).open(url);
        pages.push({ status, html: withoutTokens(html) });
      }
      return pages;
    };
    const alone = await look();
    const staff = await scenario.staff();
    const linked = await staff.put(sibling, { sibling_project_id: scenario.android.project_id });
    expect(linked.status).toBe(200);
    try {
      expect(await look()).toEqual(alone);
      expect(alone.map(({ html }) => /Harbour|4\.5\.6|itms-services/.test(html))).toEqual([false, false]);
    } finally {
      expect((await staff.delete(sibling)).status).toBe(204);
    }
  });

  it('does not open with the visit of another link, not even with the same password', async () => {
    const channel_id = await addPair('visits', false);
    const make = (body: Json = {}) => share(scenario, scenario.android, { channel_id, ...body });
    const password = 'orange submarine';
    const [one, other, open] = [await make({ password }), await make({ password }), await make()];
    const phone = browser(scenario);
    await phone.enter(one.url, password);
    expect((await phone.open(one.url)).title).toBe('API Demos');
    expect((await phone.open(other.url)).title).not.toBe('API Demos');
    const stranger = browser(scenario);
    await stranger.open(open.url);
    expect(stranger.cookies.has('svc_share')).toBe(true);
    expect((await stranger.open(one.url)).title).not.toBe('API Demos');
    const [visitId, ...rest] = (phone.cookies.get('svc_share') ?? '').split('.');
    phone.cookies.set('svc_share', [open.identifier, ...rest].join('.'));
    expect((await phone.open(one.url)).title).not.toBe('API Demos');
    expect(visitId).not.toBe(open.identifier);
  });

  it('counts a copied visit as one install, and each other browser as another', async () => {
    const { url, identifier } = await share(scenario, scenario.android, {
      channel_id: await addPair('copies', false),
      max_installs: 2,
    });
    const installs = () =>
      scenario.fixture.app.db.$client.prepare('SELECT installs FROM share_links WHERE id = ?').pluck().get(identifier);
    const [first, copy, second, third] = Array.from({ length: 4 }, () => browser(scenario));
    const button = (await first?.button(url)) ?? '';
    copy?.cookies.set('svc_share', first?.cookies.get('svc_share') ?? '');
    const copied = (await copy?.button(url)) ?? '';
    const [secondButton, thirdButton] = [(await second?.button(url)) ?? '', (await third?.button(url)) ?? ''];
    const all = [button, copied, button, secondButton, secondButton, thirdButton, thirdButton];
    const statuses = await Promise.all(all.map(async (link) => (await scenario.follow(link)).status));
    expect(statuses).toEqual([302, 302, 302, 302, 302, 404, 404]);
    expect(installs()).toBe(2);
    expect((await third?.open(url))?.title).toBe(DEAD);
  });

  it('escapes the names and notes of its app', async () => {
    const hostile = '"><img src=x onerror=alert(1)>\'&</title><script>alert(2)</script>';
    const staff = await scenario.staff();
    const path = `/api/v1/projects/${scenario.android.project_id}`;
    const { body: before } = await staff.get<{ name: string }>(path);
    expect((await staff.patch(path, { name: hostile })).status).toBe(200);
    try {
      const channel_id = await scenario.addChannel(scenario.android, { name: hostile.slice(0, 60), public: false });
      const empty = await share(scenario, scenario.android, { channel_id, note: hostile });
      const bare = await browser(scenario).open(empty.url);
      await scenario.addRelease(scenario.android, channel_id, buildId, { release_notes: hostile });
      const join = await staff.post<{ join_url: string }>(`/api/v1/channels/${channel_id}/join-links`, {});
      const pages = [bare, await browser(scenario).open(empty.url), await browser(scenario).open(join.body.join_url)];
      for (const { status, html, headers } of pages) {
        expect(status).toBe(200);
        expect(html).not.toMatch(/<img src=x|<script/);
        expect(JSON.stringify([...headers])).not.toContain('onerror');
      }
    } finally {
      expect((await staff.patch(path, { name: before.name })).status).toBe(200);
    }
  });

  it('ends with its project, together with what was started from it', async () => {
    const staff = await scenario.staff();
    const { organization_id } = scenario.android;
    const created = await staff.post<{ identifier: string }>(
      '/api/v1/projects',
      { name: 'Short-lived', platform: 'android' },
      { organization_id },
    );
    expect(created.status, created.text).toBe(201);
    const project = { organization_id, project_id: created.body.identifier };
    const channel_id = await scenario.addChannel(project, { public: false, slug: 'short-lived' });
    const build = await scenario.addBuild(project, buildDemoApk());
    await scenario.addRelease(project, channel_id, build.identifier);
    const urls = [
      (await share(scenario, project, { channel_id })).url,
      (await share(scenario, project, { build_id: build.identifier })).url,
    ];
    const started = [];
    for (const url of urls) started.push(await browser(scenario).button(url));
    for (const link of started) expect((await scenario.follow(link)).status).toBe(302);
    const deleted = await staff.delete(`/api/v1/projects/${project.project_id}`, { force: true });
    expect(deleted.status, deleted.text).toBe(204);
    for (const url of urls) expect((await browser(scenario).open(url)).title).toBe(DEAD);
    for (const link of started) expect((await scenario.follow(link)).status).toBe(404);
  });
});
