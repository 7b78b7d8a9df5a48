// What changes between two builds: on their page, before a release, and as notes with formatting.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { builds } from '../../../src/data/tables/tables.ts';
import { type Build, type Project, uploadBuild } from '../../builds/scenario.ts';
import { buildIpa, sampleDevices } from '../../support/fixtures.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { desktop, openVisitor, phone, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let project: Project;
let channelId: string;
let fresh: Build;

beforeAll(async () => {
  scenario = await openScenario();
  visitor = await openVisitor(scenario.browser, scenario.origin);
  const { fixture, client } = scenario;
  project = { organization_id: fixture.organization_id, project_id: fixture.ios_project_id };
  const channel = await client.post('/api/v1/channels', { name: 'beta' }, { ...project });
  channelId = String(channel.body.identifier);
  const old = await uploadBuild(client, project, buildIpa(), { version_name: '1.0', build_number: 1 });
  await client.post('/api/v1/releases', { build_id: old.identifier }, { ...project, channel_id: channelId });
  const framework = {
    name: 'Payload/Sample.app/Frameworks/Maps.framework/Maps',
    data: Buffer.alloc(50_000, 1),
    isStored: true,
  };
  const bytes = buildIpa({
    info: { NSCameraUsageDescription: 'a' },
    profile: { ProvisionedDevices: [sampleDevices[0] ?? ''] },
    parts: [framework],
  });
  fresh = await uploadBuild(client, project, bytes, { version_name: '1.1', build_number: 2 });
  await client.patch(`/api/v1/projects/${project.project_id}`, { size_budget_bytes: 20_000 });
});
afterAll(async () => {
  await visitor?.leave();
  await scenario?.close();
});

it('compares a build with the one before it, and shows what testers notice before a release', async () => {
  const { page } = visitor;
  await openSignedIn(scenario, visitor, `/projects/${project.project_id}/builds/${fresh.identifier}`);
  await page.getByText(/over the size budget of 20 kB/).waitFor();

  await page.getByRole('link', { name: 'Compare' }).click();
  const sizes = page.getByRole('region', { name: 'Size' });
  await sizes.getByRole('row', { name: /^Frameworks and native libraries 0 bytes 50\.0 kB \+50 kB$/ }).waitFor();
  expect(await page.getByRole('region', { name: 'Permissions' }).textContent()).toContain('Added (1)Camera');
  expect(await page.getByRole('region', { name: 'Devices in the profile' }).textContent()).toContain(sampleDevices[1]);
  expect(await page.getByRole('region', { name: 'Libraries' }).textContent()).toContain('Added (1)Maps');
  await expect.poll(() => page.getByLabel('Compare with').locator('option').allInnerTexts()).toEqual(['1.0 (45)']);
  expect(await page.getByRole('button', { name: 'Load older builds' }).count()).toBe(0);
  await visitor.show('comparison');

  await page.goBack();
  await page.getByRole('button', { name: 'Release', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const changes = dialog.getByRole('region', { name: 'What changes for testers' });
  await changes.waitFor();
  expect((await changes.getByRole('listitem').allInnerTexts()).map((line) => line.replace(/\u00a0/g, ' '))).toEqual([
    '+1 permission (camera)',
    expect.stringMatching(/^\+5\d(?:\.\d)? kB in size$/),
    '1 device leaves the profile',
  ]);
  await dialog.getByText(/over the size budget/).waitFor();

  await dialog
    .getByLabel(/^What changed \(/)
    .fill('## New\n- **Tides** <img src=x onerror=alert(1)>\n- [Map](https://x.example) [x](javascript:alert(1))');
  await dialog.getByText('Preview', { exact: true }).click();
  await dialog.getByRole('link', { name: 'Map' }).waitFor();
  await visitor.show('release dialog with preview');
  await dialog.getByRole('button', { name: 'Release', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
});

it('fits its screen with version names of any length', async () => {
  const { page } = visitor;
  const { app, ios_project_id: projectId } = scenario.fixture;
  const table = app.db.select().from(builds).where(eq(builds.projectId, projectId)).all();
  const rename = (nameOf: (build: (typeof table)[number]) => string) => {
    for (const build of table) {
      app.db
        .update(builds)
        .set({ versionName: nameOf(build) })
        .where(eq(builds.id, build.id))
        .run();
    }
  };
  rename(({ versionName }) => `${versionName}.${'0'.repeat(200)}`);
  onTestFinished(() => rename(({ versionName }) => versionName));
  for (const address of [`/projects/${projectId}/builds/${fresh.identifier}/compare`, '/']) {
    await openSignedIn(scenario, visitor, address);
    await page
      .getByText(/^1\.1\.0{200} \(45\)$/)
      .first()
      .waitFor({ state: 'attached' });
    await visitor.settle();
    for (const viewport of [phone, desktop]) {
      await page.setViewportSize(viewport);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    }
  }
});

it('shows the notes with their formatting and as nothing else', async () => {
  const { page } = visitor;
  await openSignedIn(scenario, visitor, `/projects/${project.project_id}/channels/${channelId}`);
  const link = page.getByRole('link', { name: 'Map' });
  await link.waitFor();
  expect(await link.evaluate((one) => one.outerHTML)).toBe(
    '<a href="https://x.example" rel="noopener nofollow" target="_blank">Map</a>',
  );
  await page.getByRole('heading', { name: 'New', exact: true }).waitFor();
  await page.getByText('[x](javascript:alert(1))').waitFor();
  await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
  expect(await page.locator('img[src="x"], a[href^="javascript"]').count()).toBe(0);
});

it('compares an older build with the one before it, and offers all builds', async () => {
  const { page, actions } = visitor;
  const { client } = scenario;
  const newest = await uploadBuild(client, project, buildIpa(), { version_name: '1.2', build_number: 3 });
  await page.route('**/api/v1/builds?**limit=100**', (route) =>
    route.continue({ url: route.request().url().replace('limit=100', 'limit=1') }),
  );
  await openSignedIn(scenario, visitor, `/projects/${project.project_id}/builds/${fresh.identifier}/compare`);
  const field = page.getByLabel('Compare with');
  await expect.poll(() => field.locator('option').allInnerTexts()).toEqual(['1.2 (45)', '1.0 (45)']);
  expect(await field.inputValue()).not.toBe(newest.identifier);
  await page.getByRole('region', { name: 'Libraries' }).getByText('Added (1)').waitFor();

  await actions.choose(field, '1.2 (45)');
  await page.getByRole('region', { name: 'Libraries' }).getByText('Added (1)').waitFor();
  await page.goto(
    new URL(
      `/projects/${project.project_id}/builds/${newest.identifier}/compare?with=${await idOf('1.0')}`,
      scenario.origin,
    ).href,
  );
  await expect.poll(() => field.locator('option').allInnerTexts()).toEqual(['1.1 (45)', '1.0 (45)']);
  await actions.click('Load older builds');
  await actions.click('Load older builds');
  await page.getByRole('button', { name: 'Load older builds' }).waitFor({ state: 'detached' });
  await page.unroute('**/api/v1/builds?**limit=100**');
  expect((await client.delete(`/api/v1/builds/${newest.identifier}`)).status).toBe(204);
});

async function idOf(version: string): Promise<string> {
  const list = await scenario.client.get<{ items: Build[] }>('/api/v1/builds', { ...project });
  return list.body.items.find(({ version_name: name }) => name === version)?.identifier ?? '';
}

it('shows the sizes of the last builds with the budget', async () => {
  const { page } = visitor;
  await openSignedIn(scenario, visitor, `/projects/${project.project_id}/builds`);
  await page.getByText('Size over time').first().click();
  const chart = page.getByRole('slider', { name: 'Size over time' });
  await chart.waitFor();
  expect((await chart.getAttribute('aria-valuetext'))?.replace(/\u00a0/g, ' ')).toMatch(
    /Size: 5\d(?:\.\d)? kB \(1\.1 \(45\)\), Budget: 20 kB$/,
  );
  await visitor.show('sizes');
});
