// Every page of the router is accessible in both color schemes and at 200 %, and usable with the keyboard alone.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRoutes } from '../../../scripts/lib/routes.ts';
import { operations } from '../../../src/operations.ts';
import { deliveryRunnerOf } from '../../../src/webhooks/runner.ts';
import { api } from '../../support/harness.ts';
import { addResources, type Resources } from '../../support/resources.ts';
import { expectAccessible, hasNewColors } from '../accessibility.ts';
import { listWideElements, waitUntilDrawn } from '../browser.ts';
import type { AxeScope } from '../page-traits.ts';
import { buildSampleApk } from '../sample-app.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { desktop, openVisitor, phone, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let things: Resources;
let webhook: string;

beforeAll(async () => {
  // With credit, because otherwise billing rejects uploads.
  const billing = { enabled: true, starter_credit_cents: 1_000_000 };
  scenario = await openScenario({ config: { billing } });
  things = await addResources(scenario.fixture);
  const made = await scenario.client.post<{ identifier: string }>(
    '/api/v1/webhooks',
    // No host has this name, so deliveries fail.
    { url: 'https://chat.invalid/hook', events: ['build.uploaded'] },
    { organization_id: scenario.fixture.organization_id },
  );
  webhook = made.body.identifier;
  // Pages are as wide as what they show: the last failure, with the id of the webhook, and a preview.
  const { app, organization_id, android_project_id: project_id } = scenario.fixture;
  expect((await scenario.client.post(`/api/v1/webhooks/${webhook}/test`)).status).toBe(202);
  await deliveryRunnerOf(app).drain();
  expect(deliveryRunnerOf(app).lastFailure()?.text).toContain(webhook);
  const preview = await scenario.client.post(
    '/api/v1/previews',
    { pull_request: 123 },
    { organization_id, project_id },
  );
  expect(preview.status).toBe(200);
  visitor = await openVisitor(scenario.browser, scenario.origin);
  await openSignedIn(scenario, visitor, '/');
  await visitor.page.getByRole('heading', { level: 1, name: /^Home$|today|attention/ }).waitFor();
});
afterAll(async () => {
  await visitor?.context.close();
  await scenario?.close();
});

const project = () => `/projects/${scenario.fixture.android_project_id}`;
function thing(name: string): string {
  const row = operations.find(({ path }) => path.includes(`{${name}}`));
  if (row === undefined) throw new Error(`No operation names ${name}`);
  return things.pathId(row, name);
}

/** An address for each route. A page that is added to the router needs one here. */
const addresses: Record<string, () => string> = {
  '/setup/$token': () => '/setup/none',
  '/sign-in': () => '/sign-in',
  '/sign-in/email': () => '/sign-in/email?token=none',
  '/sign-up': () => '/sign-up',
  '/verify': () => '/verify',
  '/reset': () => '/reset',
  '/invite/$kind/$token': () => '/invite/organization/none',
  '/testers/invites/$token': () => '/testers/invites/none',
  '/': () => '/',
  '/devices': () => '/devices',
  '/expiring': () => '/expiring',
  '/stores': () => '/stores',
  '/testers': () => '/testers',
  '/groups': () => '/groups',
  '/webhooks': () => '/webhooks',
  '/webhooks/$webhookId': () => `/webhooks/${webhook}`,
  '/billing': () => '/billing',
  '/audit': () => '/audit',
  '/members': () => '/members',
  '/system': () => '/system',
  '/me': () => '/me',
  '/me/passkey': () => '/me/passkey',
  '/my-apps': () => '/my-apps',
  '/settings': () => '/settings',
  '/settings/security': () => '/settings/security',
  '/settings/sso': () => '/settings/sso',
  '/settings/storage': () => '/settings/storage',
  '/projects/$projectId': project,
  '/projects/$projectId/builds': () => `${project()}/builds`,
  '/projects/$projectId/builds/$buildId': () => `${project()}/builds/${thing('build_id')}`,
  '/projects/$projectId/builds/$buildId/compare': () => `${project()}/builds/${thing('build_id')}/compare`,
  '/projects/$projectId/channels/$channelId/testers': () =>
    `${project()}/channels/${scenario.fixture.channel_id}/testers`,
  '/projects/$projectId/channels/$channelId': () => `${project()}/channels/${scenario.fixture.channel_id}`,
  '/projects/$projectId/feedback': () => `${project()}/feedback`,
  '/projects/$projectId/testers': () => `${project()}/testers`,
  '/projects/$projectId/settings': () => `${project()}/settings`,
  '/projects/$projectId/sdk': () => `${project()}/sdk`,
  '/projects/$projectId/sdk/$sdkAppId': () => `${project()}/sdk/${thing('sdk_app_id')}`,
  '/projects/$projectId/tokens': () => `${project()}/tokens`,
  // Unknown addresses.
  $: () => '/settings/unknown',
};

/** 200 % of a screen of 1280 pixels is a page of 640. */
const enlarged = { width: 640, height: 430 };

/** Only colors differ between light and dark, so the dark views look at nothing else; at 200 % the colors are those of the phone. */
const views: { colorScheme: 'light' | 'dark'; viewport: typeof desktop; scope: AxeScope }[] = [
  { colorScheme: 'light', viewport: desktop, scope: 'everything' },
  { colorScheme: 'dark', viewport: desktop, scope: 'colors' },
  { colorScheme: 'light', viewport: enlarged, scope: 'layout' },
  { colorScheme: 'light', viewport: phone, scope: 'everything' },
  { colorScheme: 'dark', viewport: phone, scope: 'colors' },
];

describe('every page', () => {
  it('has an address here', () => {
    expect(Object.keys(addresses).sort()).toEqual(
      readRoutes()
        .map(({ path }) => path)
        .sort(),
    );
  });

  it.each(Object.keys(addresses))('is accessible, light or dark, large or small: %s', async (route) => {
    const { page } = visitor;
    await page.setViewportSize(desktop);
    await page.goto(new URL(addresses[route]?.() ?? '', scenario.origin).href);
    await page.getByRole('heading').first().waitFor();
    await visitor.settle();
    for (const { colorScheme, viewport, scope } of views) {
      if (scope === 'colors' && !(await hasNewColors(page, colorScheme))) continue;
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
      await page.setViewportSize(viewport);
      await waitUntilDrawn(page);
      await expectAccessible(page, scope);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      const wide = width > viewport.width ? await listWideElements(page) : [];
      expect(wide, `${route} at ${viewport.width} is ${width} wide`).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(desktop);
  });
});

describe('a user who prefers reduced motion', () => {
  it('sees no animations on any page', async () => {
    const { page } = visitor;
    await page.goto(new URL(project(), scenario.origin).href);
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    const longest = await page.evaluate<number>(`Math.max(...[...document.querySelectorAll('*')].flatMap((one) => {
      const { transitionDuration, animationDuration } = getComputedStyle(one);
      return [...transitionDuration.split(','), ...animationDuration.split(',')].map((time) => parseFloat(time));
    }))`);
    expect(longest).toBeLessThan(0.001);
  });

  it('sees all colors change in one step', async () => {
    const { page } = visitor;
    await page.evaluate(`window.begun = [];
      document.addEventListener('transitionrun', ({ target, propertyName }) => begun.push(target.className + ' ' + propertyName))`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
    await waitUntilDrawn(page);
    expect(await page.evaluate('window.begun')).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
  });
});

describe('a user with forced colors', () => {
  it('sees which page, tab and option is chosen, and whether a switch is on', async () => {
    const { page } = visitor;
    const channel = `${project()}/channels/${thing('channel_id')}`;
    await page.goto(new URL(channel, scenario.origin).href);
    await page.getByRole('button', { name: 'Release build' }).waitFor();
    await page.emulateMedia({ forcedColors: 'active' });
    const look = (selector: string) =>
      page.evaluate<string>(`(() => {
        const style = getComputedStyle(document.querySelector('${selector}'));
        return [style.backgroundColor, style.borderTopWidth, style.borderBottomWidth].join();
      })()`);
    expect(await look('.tw-tab[data-status=active]')).not.toBe(await look('.tw-tab:not([data-status])'));
    const pages = '.tw-sidebar .tw-nav-item';
    expect(await look(`${pages}[data-status=active]`)).not.toBe(await look(`${pages}:not([data-status])`));
    await page.getByRole('button', { name: 'Release build' }).click();
    await page.getByRole('dialog').getByText('Mandatory', { exact: true }).waitFor();
    const form = '[role=dialog]';
    const off = await look(`${form} .mantine-Switch-track`);
    expect(off).toMatch(/,1px,1px$/);
    expect(await look(`${form} .mantine-Switch-thumb`)).not.toBe(await look('body'));
    await page.getByRole('dialog').getByRole('switch').check();
    expect(await look(`${form} .mantine-Switch-track`)).not.toBe(off);
    const option = '.mantine-SegmentedControl-label';
    expect(await look(`${form} ${option}[data-active]`)).not.toBe(await look(`${form} ${option}:not([data-active])`));
    await page.emulateMedia({ forcedColors: 'none' });
  });
});

describe('a user with a larger font', () => {
  it('sees larger icons', async () => {
    const { page } = visitor;
    await page.goto(new URL(project(), scenario.origin).href);
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    const width = await page.evaluate<number>(`(() => {
      document.documentElement.style.fontSize = '32px';
      return document.querySelector('.tw-sidebar .tabler-icon[width="16"]').getBoundingClientRect().width;
    })()`);
    expect(width).toBe(32);
  });
});

describe('a day by the keyboard alone', () => {
  it('signs in, finds the project, uploads, releases and rolls back, with a visible focus', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-keyboard-'));
    const file = join(folder, 'harbour.apk');
    writeFileSync(file, buildSampleApk({ build: '777' }));
    const keys = await openVisitor(scenario.browser, scenario.origin);
    const { page } = keys;
    const reach = async (name: string | RegExp) => {
      for (let step = 0; step < 80; step += 1) {
        const at = await page.evaluate<string>(`(() => {
          const at = document.activeElement;
          return at === document.body ? '' : (at.getAttribute('aria-label') || at.textContent || '').trim();
        })()`);
        if (typeof name === 'string' ? at === name : name.test(at)) {
          // Where one is can be seen.
          const ring = await page.evaluate<string>(`(() => {
            const at = document.activeElement;
            const style = [getComputedStyle(at), getComputedStyle(at, '::after')];
            return style.map(({ outlineStyle, outlineWidth }) => outlineStyle + ' ' + outlineWidth).join(', ');
          })()`);
          expect(ring, `the ring around ${at}`).toMatch(/solid [1-9]/);
          return;
        }
        await page.keyboard.press('Tab');
      }
      throw new Error(`The keyboard does not reach ${name}`);
    };
    await page.goto(new URL('/', scenario.origin).href);
    await page.getByLabel('Email address').waitFor();
    await page.getByLabel('Email address').focus();
    await page.keyboard.type(scenario.fixture.admin.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(scenario.fixture.admin.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /^Home$|today|attention/ }).waitFor();
    // The first key leads past the sidebar.
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Tab');
    await reach('Skip to content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await reach(/^F?Fixture AndroidAndroid$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    // A new page takes the focus to its heading.
    await page.locator('h1:focus').waitFor();
    await keys.settle();
    await reach('Upload build');
    const chooser = page.waitForEvent('filechooser');
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(file);
    const tray = page.getByRole('region', { name: 'Uploads' });
    await tray.getByText('Uploaded').waitFor();
    await tray.getByLabel('Channel').focus();
    await page.keyboard.type('fixture');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await tray.getByText('Released to fixture.').waitFor();
    await reach('Open channel');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Current release' }).waitFor();
    const [build] = (
      await api(scenario.fixture).get<{ items: { identifier: string }[] }>('/api/v1/builds', {
        organization_id: scenario.fixture.organization_id,
        project_id: scenario.fixture.android_project_id,
        limit: 1,
      })
    ).body.items;
    await scenario.client.post(
      '/api/v1/releases',
      { build_id: build?.identifier },
      {
        organization_id: scenario.fixture.organization_id,
        project_id: scenario.fixture.android_project_id,
        channel_id: scenario.fixture.channel_id,
      },
    );
    await page.reload();
    await page.getByRole('button', { name: 'Roll back', exact: true }).waitFor();
    await reach('Roll back');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await reach(/^Roll back to /);
    await page.keyboard.press('Enter');
    await page.getByText(/ is live again/).waitFor();
    await keys.leave();
    rmSync(folder, { recursive: true, force: true });
  });
});
