// The page of builds: its filters are in the address, and several builds are changed together.
import { eq } from 'drizzle-orm';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { buildFacts, buildLabels, builds } from '../../../src/data/tables/tables.ts';
import { addBuilds, openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, phone, type Visitor } from './visitor.ts';

const commit = '0123456789abcdef0123456789abcdef01234567';

let scenario: Scenario;
let visitor: Visitor;
let ids: string[];
let path: string;

beforeAll(async () => {
  scenario = await openScenario();
  const { app, android_project_id: projectId, admin } = scenario.fixture;
  path = `/projects/${projectId}/builds`;
  ids = addBuilds(scenario.fixture, 12);
  for (const [index, id] of ids.entries()) {
    const isMain = index % 2 === 0;
    const change = {
      sourceCommit: isMain ? commit : null,
      sourceBranch: isMain ? 'main' : 'feature/a-branch-with-a-long-name-that-needs-space',
      sourcePullRequest: isMain ? null : 40 + index,
      sourceRepositoryUrl: 'https://github.com/harbor/app',
      sourceRunUrl: 'https://ci.example.com/runs/7',
      sourceAuthor: 'Zoë Harbor',
      uploadedByDeveloperId: isMain ? admin.developer_id : null,
      uploadedByToken: isMain ? null : 'ci-android',
    };
    app.db.update(builds).set(change).where(eq(builds.id, id)).run();
    // Packages that can be installed.
    const facts = {
      applicationName: 'App',
      bundleIdentifier: 'a.b',
      versionName: '1',
      buildNumber: '1',
      isSimulatorBuild: false,
    };
    const flags = {
      isPartial: false,
      isTestOnly: false,
      isDebuggable: false,
      isUnsigned: false,
      families: [],
      abis: [],
    };
    const content = JSON.stringify({ ...facts, ...flags, verifiedFromSdk: null, certificates: [], profile: null });
    app.db.insert(buildFacts).values({ buildId: id, content }).run();
    if (index < 3)
      app.db.insert(buildLabels).values({ buildId: id, projectId, key: 'nightly', label: 'Nightly' }).run();
  }
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

it.each([768, 1024, 1440])('a row shows its menu without a pointer on it, %i pixels wide', async (width) => {
  const { page } = visitor;
  await page.setViewportSize({ width, height: 800 });
  await openSignedIn(scenario, visitor, path);
  const row = page.getByRole('row').nth(1);
  const menu = row.getByRole('button', { name: /^Actions for / });
  await menu.waitFor();
  await page.mouse.move(0, 0);
  const isSeen = (button: Locator) =>
    button.evaluate((element) =>
      (element as unknown as { checkVisibility(options: object): boolean }).checkVisibility({ opacityProperty: true }),
    );
  expect(await isSeen(menu)).toBe(true);
  expect(await isSeen(row.getByRole('button', { name: /^Release / }))).toBe(false);
  await menu.click();
  await page.getByRole('menuitem').first().waitFor();
});

it('a row on a phone ends a long version before the time', async () => {
  const { page } = visitor;
  await page.setViewportSize({ width: 390, height: 844 });
  const { db } = scenario.fixture.app;
  const [id = ''] = ids;
  const rename = (versionName: string) => db.update(builds).set({ versionName }).where(eq(builds.id, id)).run();
  rename('10.20.30-beta.with.a.long.name');
  onTestFinished(() => void rename('1.0.0'));
  await openSignedIn(scenario, visitor, path);
  const row = rows().filter({ hasText: '10.20.30' });
  const version = await row.getByRole('link', { name: /^10\.20\.30/ }).boundingBox();
  const time = await row.getByRole('time').boundingBox();
  expect((version?.x ?? 0) + (version?.width ?? 0)).toBeLessThanOrEqual(time?.x ?? 0);

  // On the narrowest phones and at 400 %, a usual version has space, and a status of two lines.
  await page.setViewportSize({ width: 320, height: 844 });
  rename('10.20.30 (300)');
  await page.reload();
  const line = row.locator('.tw-build-status');
  await line.evaluate((element) => {
    element.textContent = "The package can't be read, but Android may install it";
  });
  const isCut = (one: Locator) => one.evaluate((element) => element.scrollWidth > element.clientWidth + 1);
  expect(await isCut(row.getByRole('link', { name: /^10\.20\.30/ }))).toBe(false);
  const [status, whole] = [await line.boundingBox(), await row.boundingBox()];
  expect(status?.height).toBe(30);
  expect((status?.y ?? 0) + 30).toBeLessThan((whole?.y ?? 0) + (whole?.height ?? 0));
});

const rows = () => visitor.page.getByRole('table', { name: 'Builds' }).locator('tbody').getByRole('row');
const search = () => Object.fromEntries(new URL(visitor.page.url()).searchParams);
async function expectVersions(...versions: string[]): Promise<void> {
  await expect
    .poll(() => rows().locator('.tw-build-version').allTextContents())
    .toEqual(versions.map((version) => expect.stringContaining(`${version} (`)));
}

describe('the filters of builds', () => {
  it('are in the address, shown and removed one by one', async () => {
    const { page, actions, show } = visitor;
    await openSignedIn(scenario, visitor, path);
    await expect.poll(() => rows().count()).toBe(12);
    await show('builds-with-source');
    await actions.click('Filter');
    const dialog = page.getByRole('dialog', { name: 'Filters' });
    await dialog.getByLabel('Commit').fill('main');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.getByText('Enter 4 to 64 digits of the commit').waitFor();
    await dialog.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => dialog.getByText('Enter 4 to 64 digits of the commit').count()).toBe(0);
    await dialog.getByLabel('Commit').fill(commit.slice(0, 7));
    await dialog.getByLabel('Label').fill('nightly');
    await dialog.getByLabel('Installable').selectOption('yes');
    await show('builds-filter-form');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await expectVersions('1.0.2', '1.0.0');
    expect(search()).toEqual({ commit: '0123456', label: 'nightly', installable: 'yes' });
    // The address alone has them.
    await page.reload();
    await expectVersions('1.0.2', '1.0.0');
    await show('builds-filtered');
    await actions.click(/Remove the filter Commit/);
    await expectVersions('1.0.2', '1.0.1', '1.0.0');
    await page.getByLabel('Search builds').fill('#41');
    await expectVersions('1.0.1');
    await page.getByLabel('Search builds').fill('nowhere');
    await page.getByText('No builds match').waitFor();
    await page.getByLabel('Search builds').fill('');
    await actions.click('Clear filters');
    await expect.poll(() => rows().count()).toBe(12);
    await page.getByLabel('Order').selectOption('version');
    await expect.poll(search).toEqual({ sort: 'version' });
    // On a phone, the menu of a build is beside its last button.
    await page.setViewportSize(phone);
    await page.goto(`${scenario.origin}${path}/${ids[0]}`);
    const actionsOf = page.locator('.tw-build-head .tw-page-actions > *');
    await actionsOf
      .filter({ has: page.locator('svg') })
      .last()
      .waitFor();
    const tops = await actionsOf.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
    expect(tops.at(-1)).toBe(tops.at(-2));
  });

  it('ignore what is malformed in an address, and a label of a build leads to its filter', async () => {
    const { page, show } = visitor;
    await openSignedIn(scenario, visitor, `${path}?commit=zz&pr=-1&from=2026-99-99&status=never`);
    await expect.poll(() => rows().count()).toBe(12);
    await page.goto(new URL(`${path}/${ids[0]}`, scenario.origin).href);
    const chips = page.getByRole('list', { name: 'Source and labels' });
    expect(await chips.getByRole('link', { name: 'Commit 0123456' }).getAttribute('href')).toBe(
      `https://github.com/harbor/app/commit/${commit}`,
    );
    expect(await chips.getByRole('link', { name: 'CI run' }).getAttribute('href')).toBe(
      'https://ci.example.com/runs/7',
    );
    await show('build-with-source');
    await chips.getByRole('link', { name: 'Nightly' }).click();
    await expectVersions('1.0.2', '1.0.1', '1.0.0');
  });
});

describe('several builds', () => {
  it('get labels, are released, revoked and deleted after a confirmation with the effect', async () => {
    const { page, actions, show } = visitor;
    await openSignedIn(scenario, visitor, path);
    const select = (version: string) => page.getByRole('checkbox', { name: new RegExp(`^Select ${version} \\(`) });
    await select('1.0.11').check();
    await select('1.0.9').click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    await show('builds-selected', { isAtEnd: true });

    await actions.click('Label');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Add labels').fill('smoke, Beta, SMOKE');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Labels of 3 builds changed').waitFor();
    const build = async (id: string | undefined) => (await scenario.client.get(`/api/v1/builds/${id}`)).body;
    expect((await build(ids[9])).labels).toEqual(['Beta', 'smoke']);
    await page.getByRole('toolbar', { name: 'Selected builds' }).waitFor({ state: 'detached' });

    for (const version of ['1.0.11', '1.0.10']) await select(version).check();
    await actions.click('Release', 'button');
    await dialog.getByLabel('Channel').selectOption({ index: 1 });
    await dialog.getByText(/1\.0\.11 \(12\) becomes the current release/).waitFor();
    await show('builds-release-several');
    await dialog.getByRole('button', { name: 'Release 2 builds' }).click();
    await page.getByText('2 builds released').waitFor();

    await select('1.0.11').check();
    await select('1.0.0').check();
    // Someone else deletes one of them, so that only the other one can be revoked.
    expect((await scenario.client.delete(`/api/v1/builds/${ids[0]}`)).status).toBe(204);
    await actions.click('Revoke');
    await dialog.getByText(/returns to its previous release/).waitFor();
    visitor.expectRefusals(404);
    await dialog.getByRole('button', { name: 'Revoke 2 builds' }).click();
    await dialog.getByText("1 build couldn't be changed.").waitFor();
    await show('builds-partly-revoked');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    expect((await build(ids[11])).revoked_at).toMatch(/Z$/);

    await page.goto(new URL(`${path}?status=all`, scenario.origin).href);
    await select('1.0.8').check();
    await select('1.0.7').check();
    await actions.click('Delete');
    const confirm = dialog.getByRole('button', { name: 'Delete 2 builds permanently' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('2');
    await confirm.click();
    await page.getByText('2 builds deleted').waitFor();
    await expect.poll(() => rows().count()).toBe(9);
    expect((await scenario.client.get(`/api/v1/builds/${ids[8]}`)).status).toBe(404);
  });
});

describe('a search without a match among many builds', () => {
  it('stops after five empty pages, shows how far it came, and continues when the user asks', async () => {
    addBuilds(scenario.fixture, 12_500, 1_000);
    const { page, actions, show } = visitor;
    await openSignedIn(scenario, visitor, path);
    let requests = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).searchParams.has('text')) requests += 1;
    });
    await page.getByLabel('Search builds').fill('nowhere');
    await page.getByText('No match yet').waitFor();
    await page.getByText(/^Searched builds back to \w+ \d+, \d{4}\.$/).waitFor();
    await show('builds-search-paused');
    expect(requests).toBe(5);
    await actions.click('Search further');
    await page.getByText('No builds match').waitFor();
    expect(requests).toBe(7);

    await page.getByLabel('Search builds').fill('#41');
    await page.getByText('No match yet').waitFor();
    await actions.click('Search further');
    await expectVersions('1.0.1');
    expect(await page.getByText('Searched builds back to').count()).toBe(0);
  });

  it('stops with few matches too, and when the user says so', async () => {
    const { page, actions } = visitor;
    await openSignedIn(scenario, visitor, path);
    let requests = 0;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/v1/builds?*text=500*', async (route) => {
      requests += 1;
      if (requests === 6) await held;
      await route.continue();
    });
    const further = page.getByRole('button', { name: 'Search further' });
    const stop = page.getByRole('button', { name: 'Stop' });
    const build = (number: number) => page.getByRole('link', { name: `(${number})` });
    // One build in a thousand, and ten others.
    await page.getByLabel('Search builds').fill('500');
    await further.waitFor();
    expect(requests).toBe(5);
    // Only rows in sight are on the page.
    await further.scrollIntoViewIfNeeded();
    await build(4500).waitFor();
    await further.click();
    await stop.waitFor();
    await stop.click();
    await further.waitFor();
    release();
    await build(2500).waitFor();
    await further.waitFor();
    expect(requests).toBe(6);
    await actions.click('Search further');
    await build(1500).waitFor();
    await expect.poll(() => page.getByText('Searched builds back to').count()).toBe(0);
    expect([requests, await stop.count(), await further.count()]).toEqual([7, 0, 0]);
  });
});
