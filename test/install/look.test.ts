// The colors and icons that an install page gets from the app and its organization.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StorageError } from '../../src/core/storage.ts';
import { builds, organizations } from '../../src/data/tables/tables.ts';
import { buildResourceTable } from '../inspection/build-compiled.ts';
import { buildApk, buildPng, sampleResources } from '../support/fixtures.ts';
import { expectInvalid, expectRefusal } from '../support/harness.ts';
import { type InstallScenario, type Published, startInstallScenario } from './scenario.ts';

let scenario: InstallScenario;
beforeAll(async () => {
  scenario = await startInstallScenario();
});
afterAll(() => scenario?.fixture.stop());

function apkWithIcon(rgba: readonly number[] | null): Buffer {
  if (rgba === null) return buildApk({ table: buildResourceTable([{ id: sampleResources.label, value: 'Bare' }]) });
  const table = buildResourceTable([{ id: sampleResources.icon, value: 'res/icon.png', density: 640 }]);
  return buildApk({ table, icon: buildPng(96, 96, rgba) });
}
const publish = (rgba: readonly number[] | null): Promise<Published> =>
  scenario.publish(scenario.android, apkWithIcon(rgba));
async function page({ channelId }: Published): Promise<string> {
  return (await scenario.follow(`${scenario.base}/install/channels/${channelId}`)).text();
}
const accentOf = (html: string) => /href="\/install\/assets\/(accent-[0-9a-f]{6}\.css)"/.exec(html)?.[1];

function buildRow({ build }: Published) {
  return scenario.fixture.app.db.select().from(builds).where(eq(builds.id, build.identifier)).get();
}
function organizationRow() {
  return scenario.fixture.app.db
    .select()
    .from(organizations)
    .where(eq(organizations.id, scenario.fixture.organization_id))
    .get();
}

describe('the color of an app', () => {
  it('is stored with its build, and used for its page', async () => {
    const published = await publish([14, 124, 114, 255]);
    expect(buildRow(published)?.iconColor).toBe('#0e7c72');
    const html = await page(published);
    expect(accentOf(html)).toBe('accent-0e7c72.css');
    const sheet = await scenario.follow(`${scenario.base}/install/assets/accent-0e7c72.css`);
    expect([sheet.status, sheet.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    // The name is the color, not a hash of the content, which a new version may change.
    expect(sheet.headers.get('cache-control')).toBe('public, max-age=3600');
  });

  it('is absent for a gray icon', async () => {
    const published = await publish([90, 90, 90, 255]);
    expect(buildRow(published)?.iconColor).toBe('none');
    expect(accentOf(await page(published))).toBeUndefined();
  });

  it('is computed once for a build that was stored without it', async () => {
    const published = await publish([180, 30, 90, 255]);
    const { db, storage } = scenario.fixture.app;
    db.update(builds).set({ iconColor: null }).where(eq(builds.id, published.build.identifier)).run();
    expect(accentOf(await page(published))).toBe('accent-b41e5a.css');
    const key = buildRow(published)?.iconKey ?? '';
    expect(buildRow(published)?.iconColor).toBe('#b41e5a');
    await storage.delete(key);
    expect(accentOf(await page(published))).toBe('accent-b41e5a.css');
  });

  it('that cannot be computed is omitted, and the page is complete', async () => {
    const published = await publish([180, 30, 90, 255]);
    const { db, storage } = scenario.fixture.app;
    await storage.delete(buildRow(published)?.iconKey ?? '');
    db.update(builds).set({ iconColor: null }).where(eq(builds.id, published.build.identifier)).run();
    const html = await page(published);
    expect(accentOf(html)).toBeUndefined();
    expect(html).toContain('Download package (APK)');
    expect(buildRow(published)?.iconColor).toBeNull();
  });

  it('has its stylesheet under one name only', async () => {
    for (const name of ['accent-0E7C72.css', 'accent-12345.css', 'accent-red.css', 'accent-0e7c72.svg']) {
      expect((await scenario.follow(`${scenario.base}/install/assets/${name}`)).status).toBe(404);
    }
  });
});

describe('the icon of an organization', () => {
  const upload = async (rgba: readonly number[]) => {
    const path = `/api/v1/organizations/${scenario.fixture.organization_id}/icon`;
    const client = await scenario.staff();
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(buildPng(64, 64, rgba))], { type: 'image/png' }), 'icon.png');
    expect((await client.send('POST', path, { rawBody: form })).status).toBe(201);
  };

  it('is shown with its name, and colors the pages of apps without an icon', async () => {
    const without = await publish(null);
    expect(await page(without)).toContain('<span class="orgmark" aria-hidden="true">F</span>');
    await upload([59, 42, 122, 255]);
    expect(organizationRow()?.iconColor).toBe('#3b2a7a');
    const html = await page(without);
    expect(accentOf(html)).toBe('accent-3b2a7a.css');
    const icon = /<img class="orgmark" src="([^"]*)"/.exec(html)?.[1] ?? '';
    const answer = await scenario.follow(scenario.base + icon);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(accentOf(await page(await publish([14, 124, 114, 255])))).toBe('accent-0e7c72.css');
  });

  it('is only returned for its current version', async () => {
    await upload([59, 42, 122, 255]);
    const { organization_id: id } = scenario.fixture;
    const html = await page(await publish(null));
    const old = /<img class="orgmark" src="([^"]*)"/.exec(html)?.[1] ?? '';
    expect(old).toMatch(new RegExp(`^/public/v1/organizations/${id}/icon/[0-9a-f-]{36}$`));
    await upload([200, 40, 30, 255]);
    for (const path of [old, `/public/v1/organizations/${id}/icon/${id}`, old.replace(id, id.replace(/^./, 'f'))]) {
      expect((await scenario.follow(scenario.base + path)).status).toBe(404);
    }
  });

  it('has no answer without a valid version, and a temporary one while the storage fails', async () => {
    await upload([59, 42, 122, 255]);
    const { organization_id: id, app } = scenario.fixture;
    const html = await page(await publish(null));
    const path = /<img class="orgmark" src="([^"]*)"/.exec(html)?.[1] ?? '';
    expectInvalid(
      await scenario.anyone.get(`/public/v1/organizations/${id}/icon/latest`),
      'path.version: uuid_parsing',
    );
    expectInvalid(await scenario.anyone.get(path.replace(id, 'first')), 'path.organization_id: uuid_parsing');
    const reading = vi.spyOn(app.storage, 'get').mockRejectedValueOnce(new StorageError('unavailable', 'no disk'));
    const failed = await scenario.anyone.get(path);
    expectRefusal(failed, 503, 'storage_backend_unavailable');
    expect(failed.headers.get('cache-control')).toBe('no-store');
    reading.mockRestore();
    expect((await scenario.anyone.get(path)).status).toBe(200);
  });

  it('keeps the color of its replacement while the color of the old one is computed', async () => {
    await upload([59, 42, 122, 255]);
    const without = await publish(null);
    const { db, storage } = scenario.fixture.app;
    db.update(organizations).set({ iconColor: null }).run();
    const { get } = storage;
    const reading = vi.spyOn(storage, 'get').mockImplementationOnce(async (...request) => {
      const bytes = await get.apply(storage, request);
      await upload([200, 40, 30, 255]);
      return bytes;
    });
    await page(without);
    expect(reading).toHaveBeenCalled();
    reading.mockRestore();
    expect(organizationRow()?.iconColor).toBe('#c8281e');
    expect(accentOf(await page(without))).toBe('accent-c8281e.css');
  });

  it('loses its color with it', async () => {
    await upload([59, 42, 122, 255]);
    await (await scenario.staff()).delete(`/api/v1/organizations/${scenario.fixture.organization_id}/icon`);
    expect(organizationRow()).toMatchObject({ iconKey: null, iconColor: null });
    expect(accentOf(await page(await publish(null)))).toBeUndefined();
  });
});
