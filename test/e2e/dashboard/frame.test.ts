// The frame around the pages: the rail, messages with a way back, sending forms by keyboard, and pages that stay still.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemContext } from '../../../src/core/transact.ts';
import { setFlag } from '../../../src/flags/service.ts';
import { createAccount } from '../../support/harness.ts';
import { expectAccessible } from '../accessibility.ts';
import { buildSampleApk } from '../sample-app.ts';
import { addBuilds, openNext, openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

const PHONE = { width: 390, height: 844 };

let scenario: Scenario;
let visitor: Visitor;
let project: string;
let channel: string;
let place: { organization_id: string; project_id: string };

beforeAll(async () => {
  scenario = await openScenario();
  const { organization_id, android_project_id: project_id, channel_id } = scenario.fixture;
  place = { organization_id, project_id };
  project = `/projects/${project_id}`;
  channel = `${project}/channels/${channel_id}`;
  for (const build_id of addBuilds(scenario.fixture, 40).slice(0, 2))
    await scenario.client.post('/api/v1/releases', { build_id }, { ...place, channel_id });
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

const open = (path: string) => openSignedIn(scenario, visitor, path);
const heading = (name: string) => visitor.page.getByRole('heading', { name, exact: true }).first();
async function edges(at: Locator): Promise<{ top: number; bottom: number }> {
  const box = await at.boundingBox();
  if (box === null) throw new Error('not visible');
  return { top: box.y, bottom: box.y + box.height };
}
const toast = (text: string) => visitor.page.getByRole('region', { name: 'Notifications' }).getByText(text);

describe('the tabs of a project on a phone', () => {
  it('fade out where more of them are hidden, and show what is beside the current one', async () => {
    const { page } = visitor;
    await page.setViewportSize(PHONE);
    const hidden = () =>
      page.evaluate<string[]>(
        `['data-more-before', 'data-more-after'].filter((name) => document.querySelector('.tw-tabs').hasAttribute(name))`,
      );
    // How far a link is from the end of the line.
    const distance = (name: string) =>
      page.evaluate<number>(`(() => {
        const list = document.querySelector('.tw-tabs');
        const tab = [...list.children].find(({ textContent }) => textContent === '${name}');
        return list.getBoundingClientRect().right - tab.getBoundingClientRect().right;
      })()`);
    await open(project);
    await heading('Channels').waitFor();
    await expect.poll(hidden).toEqual(['data-more-after']);
    await open(`${project}/tokens`);
    await heading('Access tokens').waitFor();
    // The fade at the end covers less than what is beside the current link.
    await expect.poll(() => distance('Tokens')).toBeGreaterThan(32);
    await open(`${project}/settings`);
    await heading('Settings').waitFor();
    await expect.poll(hidden).toEqual(['data-more-before']);
    await page.setViewportSize({ width: 1280, height: 860 });
    await expect.poll(hidden).toEqual([]);
  });
});

describe('the rail', () => {
  it('names its icons, marks the current one, and opens to the whole sidebar', async () => {
    const { page, actions } = visitor;
    await page.setViewportSize({ width: 1024, height: 768 });
    await open('/devices');
    await heading('Devices').waitFor();
    await visitor.settle();
    const rail = page.getByRole('complementary', { name: 'Sidebar' });
    expect((await rail.boundingBox())?.width).toBe(56);
    const current = rail.locator('[aria-current="page"]');
    expect(await current.textContent()).toBe('Devices');
    await rail.getByRole('link', { name: 'Webhooks' }).hover();
    await page.locator('.tw-rail-tip').getByText('Webhooks').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.tw-rail-tip').waitFor({ state: 'detached' });
    await current.focus();
    await page.keyboard.press('Tab');
    await page.locator('.tw-rail-tip').getByText('Expiring').waitFor();
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page, 'colors');

    const button = page.getByRole('button', { name: 'Expand sidebar' });
    await button.focus();
    await page.keyboard.press('Enter');
    const menu = page.getByRole('dialog', { name: 'Menu' });
    await menu.getByRole('link', { name: 'Members' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await button.and(page.locator(':focus')).waitFor();
    await actions.click(button);
    await actions.click(menu.getByRole('link', { name: 'Members' }));
    await heading('Members').waitFor();
    await menu.waitFor({ state: 'detached' });
  });

  it('gives way to the whole sidebar on wide screens and to a menu on narrow ones', async () => {
    const { page } = visitor;
    await open('/members');
    await heading('Members').waitFor();
    const sidebar = page.getByRole('complementary', { name: 'Sidebar' });
    const menu = page.getByRole('button', { name: 'Menu', exact: true });
    for (const [width, expected] of [
      [1181, 232],
      [1180, 56],
      [768, 56],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(async () => (await sidebar.boundingBox())?.width).toBe(expected);
      expect(await menu.isVisible()).toBe(false);
    }
    await page.setViewportSize({ width: 767, height: 800 });
    await menu.waitFor();
    expect(await sidebar.isVisible()).toBe(false);
  });
});

describe('the tabs of a project', () => {
  it('are scrolled to the one of the page on phones', async () => {
    const { page } = visitor;
    await page.setViewportSize(PHONE);
    await open(`${project}/settings`);
    const tab = page.getByRole('navigation').getByRole('link', { name: 'Settings', exact: true });
    await tab.waitFor();
    await expect
      .poll(async () => {
        const box = await tab.boundingBox();
        return box !== null && box.x >= 0 && box.x + box.width <= PHONE.width;
      })
      .toBe(true);
  });
});

describe('the selected organization', () => {
  it('becomes that of an opened project or webhook, and remains selectable', async () => {
    const { page, actions } = visitor;
    const { client, origin } = scenario;
    const { text: organization_id } = await client.post('/api/v1/organizations', { name: 'Second Pier' });
    const query = { organization_id };
    const made = await client.post<{ identifier: string }>(
      '/api/v1/projects',
      { name: 'Lighthouse', platform: 'android' },
      query,
    );
    expect(made.status, made.text).toBe(201);
    const webhook = { url: 'https://hooks.example.com/second', events: ['release.created'] };
    const hook = await client.post<{ identifier: string }>('/api/v1/webhooks', webhook, query);
    expect(hook.status, hook.text).toBe(201);
    const asked = new Set<string | null>();
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      // The sidebar lists the projects before the page knows its organization.
      const isOfSidebar = pathname.endsWith('/projects/overview');
      if (searchParams.has('organization_id') && !isOfSidebar) asked.add(searchParams.get('organization_id'));
    });
    const selected = (name: string) => page.getByRole('button', { name: `Switch organization: ${name}` });
    const select = async (name: string) => {
      await actions.click(page.getByRole('button', { name: /^Switch organization: / }));
      await actions.click(new RegExp(`^${name}`), 'menuitem');
    };
    await open('/members');
    await heading('Members').waitFor();
    await select('Fixture Organization');
    await selected('Fixture Organization').waitFor();
    await page.goto('about:blank');
    asked.clear();
    await page.goto(new URL(`/projects/${made.body.identifier}/builds`, origin).href);
    await heading('No builds yet').waitFor();
    await visitor.settle();
    await selected('Second Pier').waitFor();
    expect([...asked]).toEqual([organization_id]);

    await select('Fixture Organization');
    await page.getByRole('table', { name: 'Apps' }).getByText('Fixture Android').waitFor();
    await selected('Fixture Organization').waitFor();
    await page.goto('about:blank');
    asked.clear();
    await page.goto(new URL(`/webhooks/${hook.body.identifier}`, origin).href);
    await actions.click('Edit');
    await page.getByRole('dialog').getByLabel('Project').getByText('Lighthouse').waitFor({ state: 'attached' });
    await selected('Second Pier').waitFor();
    expect([...asked]).toEqual([organization_id]);
  });

  it('is that of the tab in use, in which another tab changes nothing', async () => {
    const { page, context } = visitor;
    await scenario.client.post('/api/v1/organizations', { name: 'Third Pier' });
    const select = async (tab: typeof page, name: string) => {
      await tab.getByRole('button', { name: /^Switch organization: / }).click();
      await tab.getByRole('menuitem', { name: new RegExp(`^${name}`) }).click();
      await tab.getByRole('button', { name: `Switch organization: ${name}` }).waitFor();
    };
    await open('/members');
    await select(page, 'Third Pier');
    const other = await context.newPage();
    await other.goto(page.url());
    await select(other, 'Fixture Organization');
    await other.close();
    // What the browser does when its user returns to the tab.
    await page.evaluate("dispatchEvent(new Event('focus'))");
    const links = await context.newPage();
    for (const tab of [page, links]) {
      await tab.goto(new URL('/members', scenario.origin).href);
      await tab.getByRole('button', { name: 'Switch organization: Third Pier' }).waitFor();
    }
    await links.close();
  });

  it('changes only after a question while a form has unsaved input', async () => {
    const { page, actions } = visitor;
    await scenario.client.post('/api/v1/organizations', { name: 'Fourth Pier' });
    const choose = async (name: string) => {
      await actions.click(page.getByRole('button', { name: /^Switch organization: / }));
      await actions.click(new RegExp(`^${name}`), 'menuitem');
    };
    const selected = (name: string) => page.getByRole('button', { name: `Switch organization: ${name}` });
    await open('/members');
    await choose('Fourth Pier');
    await selected('Fourth Pier').waitFor();
    await page.goto(new URL('/settings', scenario.origin).href);
    await page.getByLabel('Name', { exact: true }).fill('Fifth Pier');
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
    // The selected one opens its first page.
    for (const name of ['Fourth Pier', 'Fixture Organization']) {
      await choose(name);
      await leaving.getByRole('button', { name: 'Cancel' }).click();
      await leaving.waitFor({ state: 'detached' });
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Fifth Pier');
    }
    await choose('Fixture Organization');
    await leaving.getByRole('button', { name: 'Leave' }).click();
    await selected('Fixture Organization').waitFor();
    await page.getByRole('table', { name: 'Apps' }).getByText('Fixture Android').waitFor();
  });

  it('can only be created where the operator allows it', async () => {
    const { page } = visitor;
    const context = systemContext(scenario.fixture.app);
    const allow = (enabled: boolean) => context.transact((tx) => setFlag(tx, 'new_org_signups_enabled', null, enabled));
    allow(false);
    onTestFinished(() => allow(true));
    const button = page.getByRole('button', { name: /^Switch organization: / });
    const item = page.getByRole('menuitem', { name: 'New organization' });
    await open('/members');
    await button.click();
    await page.getByRole('menuitem', { name: /^Fixture Organization/ }).waitFor();
    await item.waitFor({ state: 'detached' });
    allow(true);
    await page.reload();
    await button.click();
    await item.waitFor();
    await visitor.settle();
    expect(await item.count()).toBe(1);
  });

  it('is only offered to people without one where the operator allows it', async () => {
    const { page, context, expectRefusals, settle } = visitor;
    const account = await createAccount(scenario.fixture);
    const flags = systemContext(scenario.fixture.app);
    const allow = (enabled: boolean) => flags.transact((tx) => setFlag(tx, 'new_org_signups_enabled', null, enabled));
    allow(false);
    onTestFinished(() => allow(true));
    const button = page.getByRole('button', { name: 'New organization' });
    await openSignedIn(scenario, visitor, '/', account);
    await heading('No organization yet').waitFor();
    await page.getByText('Ask an admin of an organization to invite you.').waitFor();
    await settle();
    expect(await button.count()).toBe(0);
    allow(true);
    await page.reload();
    await button.waitFor();
    // Testers have no organization either: where theirs can't be read, it isn't said that there are none.
    await context.route('**/testers/me/organizations*', (route) => route.fulfill({ status: 404, json: {} }));
    expectRefusals(404);
    await page.reload();
    await heading('Not found').waitFor();
    expect(await button.count()).toBe(0);
  });
});

describe('a message', () => {
  it('undoes what it reports, by its button and by keyboard', async () => {
    const { page, actions, show } = visitor;
    await open(channel);
    const mandatory = page.getByRole('switch', { name: 'Mandatory' });
    const isMandatory = async () => {
      const { body } = await scenario.client.get<{ mandatory: boolean }[]>('/api/v1/releases/current', place);
      return body[0]?.mandatory;
    };
    await mandatory.check({ force: true });
    await toast('Saved').waitFor();
    await show('toast-undo');
    expect(await isMandatory()).toBe(true);
    await actions.click('Undo');
    await toast('Undone').waitFor();
    expect(await isMandatory()).toBe(false);
    await mandatory.check({ force: true });
    await toast('Saved').waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(isMandatory).toBe(false);
    await expect.poll(() => mandatory.isChecked()).toBe(false);
  });

  it('leaves the path of the page visible on phones', async () => {
    const { page } = visitor;
    await page.setViewportSize(PHONE);
    await open(channel);
    await page.getByRole('switch', { name: 'Mandatory' }).check({ force: true });
    await toast('Saved').waitFor();
    expect(await edges(page.getByRole('region', { name: 'Notifications' }))).toMatchObject({
      bottom: PHONE.height - 16,
    });
  });

  it('enables a release again that was disabled, after the page moved on', async () => {
    const { page, actions } = visitor;
    await open(channel);
    const current = page.getByRole('region', { name: 'Current release' });
    await current.getByText('1.0.1').waitFor();
    await actions.click('Disable');
    await actions.click(page.getByRole('dialog').getByRole('button', { name: 'Disable' }));
    await toast('1.0.1 (2) disabled').waitFor();
    await current.getByText('1.0.0').waitFor();
    await page.getByRole('link', { name: 'Members', exact: true }).click();
    await heading('Members').waitFor();
    await actions.click('Undo');
    await toast('Undone').waitFor();
    await page.goBack();
    await current.getByText('1.0.1').waitFor();
  });

  it('stays while the pointer or the focus is on it', async () => {
    const { page, actions } = visitor;
    await open('/testers');
    await page.clock.install();
    await page.getByLabel('Email address').fill('stay@example.com');
    await actions.click('Add');
    const message = page.locator('.tw-toast');
    await message.waitFor();
    await page.clock.runFor(9000);
    expect(await message.count()).toBe(1);
    await message.hover();
    await page.clock.runFor(60_000);
    expect(await message.count()).toBe(1);
    await message.getByRole('button', { name: 'Undo' }).focus();
    await page.mouse.move(0, 0);
    await page.clock.runFor(60_000);
    expect(await message.count()).toBe(1);
    await page.keyboard.press('Enter');
    await toast('Undone').waitFor();
    const { body } = await scenario.client.get<{ items: object[] }>(
      `/api/v1/organizations/${place.organization_id}/testers`,
    );
    expect(body.items).toEqual([]);
  });
});

describe('Ctrl+Enter', () => {
  it('saves a dialog from a field of several lines, confirms another, and saves settings', async () => {
    const { page, actions, expectRefusals } = visitor;
    // The page of the channel asks once more for its releases while it is deleted.
    expectRefusals(404);
    await open(project);
    await actions.click('New channel');
    await page.getByLabel('Name', { exact: true }).fill('harbor');
    await page.getByLabel(/Description/).fill('For the crew');
    await page.getByLabel(/Description/).press('ControlOrMeta+Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'harbor' }).click();
    await heading('harbor').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete channel' }).click();
    const dialog = page.getByRole('dialog');
    // Nothing happens before the name is typed.
    await page.keyboard.press('ControlOrMeta+Enter');
    await dialog.getByRole('textbox').fill('harbor');
    expect(await dialog.getByRole('button', { name: 'Delete channel' }).getAttribute('aria-keyshortcuts')).toBe(
      'Control+Enter',
    );
    await page.keyboard.press('ControlOrMeta+Enter');
    await toast('harbor deleted').waitFor();

    await page.goto(new URL('/settings', scenario.origin).href);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Harbor Works');
    await name.press('ControlOrMeta+Enter');
    await toast('Saved').waitFor();
    const { body } = await scenario.client.get<{ name: string }>(`/api/v1/organizations/${place.organization_id}`);
    expect(body.name).toBe('Harbor Works');
  });
});

describe('the tray of uploads', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'taxiway-tray-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('folds to a bar, releases with notes, and goes once the result was visible for a while', async () => {
    const { page, actions, show } = visitor;
    const path = join(folder, 'harbor.apk');
    writeFileSync(path, buildSampleApk({ build: '700' }));
    await open(project);
    await heading('Channels').waitFor();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/storage/v1/**', async (route) => {
      await held;
      await route.continue();
    });
    await actions.drop(path);
    const tray = page.getByRole('region', { name: 'Uploads' });
    await tray.getByText('2.4.0 (700)').waitFor();
    await actions.click('Fold uploads');
    await tray.getByText('2.4.0 (700)').waitFor({ state: 'hidden' });
    await tray.getByRole('progressbar', { name: 'Total progress' }).waitFor({ state: 'attached' });
    await show('tray-folded', { isLoading: true });
    await page.setViewportSize(PHONE);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    const folded = await edges(tray);
    expect(folded.bottom).toBe(PHONE.height);
    expect((await edges(page.locator('.tw-content'))).bottom).toBeLessThan(folded.top);
    await page.setViewportSize({ width: 1440, height: 900 });
    await actions.click('Unfold uploads');
    await tray.getByLabel('What changed').fill('Arrivals on the watch');
    await actions.choose(tray.getByLabel('Channel'), 'fixture');
    await actions.click('Release when done');
    await tray.getByText('Will be released to fixture when the upload is complete.').waitFor();
    await actions.click('Change');
    expect(await tray.getByLabel('What changed').inputValue()).toBe('Arrivals on the watch');
    await tray.getByLabel('What changed').press('ControlOrMeta+Enter');
    release();
    await tray.getByText('Released to fixture.').waitFor();
    await page.mouse.move(0, 0);
    await page.evaluate('document.activeElement.blur()');
    await tray.waitFor({ state: 'detached' });
    const { body } = await scenario.client.get<{ build: { build_number: number }; release_notes: string }[]>(
      '/api/v1/releases/current',
      place,
    );
    expect(body.map(({ build, release_notes: notes }) => [build.build_number, notes])).toEqual([
      [700, 'Arrivals on the watch'],
    ]);
  });
});

describe('pages', () => {
  it('of billing and their entry do not exist on a server without billing', async () => {
    const { page } = visitor;
    await open('/billing');
    await heading('Not found').waitFor();
    const sidebar = page.getByRole('complementary', { name: 'Sidebar' });
    await sidebar.getByRole('link', { name: 'Audit' }).waitFor();
    expect(await page.getByRole('link', { name: 'Billing' }).count()).toBe(0);
  });

  it('are shown as not found at addresses with a percent sign that encodes nothing', async () => {
    const { page, expectRefusals } = visitor;
    // The API doesn't accept it as an id.
    expectRefusals(400);
    for (const path of ['/projects/%', '/me/%E0%A4%A', '/webhooks/%zz?from=%']) {
      await open(path);
      await heading('Not found').waitFor();
      await page.getByRole('complementary', { name: 'Sidebar' }).waitFor();
    }
  });

  it('stay still while they load, on a first visit and on the way between them', async () => {
    const { page, context } = visitor;
    await context.addInitScript(`{
      globalThis.shifts = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) globalThis.shifts += value;
      }).observe({ type: 'layout-shift', buffered: true });
    }`);
    const takeShifts = () => page.evaluate<number>('(() => { const sum = shifts; shifts = 0; return sum; })()');
    await open('/');
    const paths = ['/', project, channel, `${project}/settings`, '/members', '/settings', '/settings/security', '/me'];
    for (const path of paths) {
      await page.goto(new URL(path, scenario.origin).href);
      await page.locator('h1').first().waitFor();
      await visitor.settle();
      expect(await takeShifts(), `first visit of ${path}`).toBeLessThan(0.02);
    }
    const sidebar = page.getByRole('complementary', { name: 'Sidebar' });
    for (const name of [
      'Home',
      'Members',
      'Testers',
      'Devices',
      'Expiring',
      'Webhooks',
      'Audit',
      'Settings',
      'System',
    ]) {
      await sidebar.getByRole('link', { name, exact: true }).click();
      await page.locator('h1').first().waitFor();
      await visitor.settle();
      expect(await takeShifts(), `way to ${name}`).toBeLessThan(0.02);
    }
  });

  it('are where they were left on the way back', async () => {
    const { page } = visitor;
    await open(`${project}/builds`);
    await page.getByRole('link', { name: '1.0.39 (40)' }).waitFor();
    await page.evaluate('scrollTo(0, 700)');
    await expect.poll(() => page.evaluate('scrollY')).toBe(700);
    await page.getByRole('link', { name: '1.0.27 (28)' }).click();
    await page.getByRole('heading', { name: '1.0.27 (28)' }).waitFor();
    await expect.poll(() => page.evaluate('scrollY')).toBe(0);
    await page.goBack();
    await expect.poll(() => page.evaluate('scrollY')).toBe(700);
  });

  it('have the chosen theme before the app is loaded', async () => {
    const { page } = visitor;
    await open('/');
    await page.evaluate("localStorage.setItem('mantine-color-scheme-value', 'dark')");
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/assets\/part-/, async (route) => {
      await held;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    await page.locator('.tw-before-side').waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('.tw-before')).backgroundColor")).toBe(
      'rgb(15, 17, 21)',
    );
    release();
    await page.getByRole('main').waitFor();
  });

  it('need only the first texts for home, and wait for the others', async () => {
    const { page } = visitor;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/assets\/part-/, async (route) => {
      const response = await route.fetch();
      if ((await response.text()).includes('Add Taxiway to the identity provider')) await held;
      await route.fulfill({ response });
    });
    await open('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    for (const name of ['My apps', 'Testers', 'Tester groups', 'Expiring', 'Webhooks', 'Audit', 'Settings']) {
      await navigation.getByRole('link', { name, exact: true }).waitFor();
    }
    await navigation.getByRole('link', { name: 'Expiring', exact: true }).click();
    release();
    await heading('Expiring').waitFor();
  });

  it('have controls of 44 px for fingers', async () => {
    const touch = await openVisitor(scenario.browser, scenario.origin, {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 844 },
    });
    for (const path of ['/', project, channel, `${project}/builds`, '/members', '/devices', '/settings', '/me']) {
      await openNext(scenario, touch, path);
      await touch.page.locator('h1').first().waitFor();
      await touch.settle();
      const small = await touch.page.evaluate<
        string[]
      >(`[...document.querySelectorAll('button, select, .tw-tab, .tw-nav-item')]
        .map((one) => [one, one.getBoundingClientRect()])
        .filter(([one, { width, height }]) => width > 1 && height > 1 && height < 43.5 && getComputedStyle(one).visibility !== 'hidden')
        .map(([one, { height }]) => height + ' ' + one.outerHTML.slice(0, 160))`);
      expect(small, path).toEqual([]);
    }
    await touch.leave();
  });
});
