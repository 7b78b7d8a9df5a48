// Downloads of updates: links, the iOS manifest, counting and rejected requests.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builds, downloads, organizations } from '../../src/data/tables/tables.ts';
import { MINUTE, SECOND } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { readManifest } from '../install/scenario.ts';
import { ABSENT, type Answer, api, expectRefusal, type Json } from '../support/harness.ts';
import { type Held, type SdkScenario, startSdkScenario } from './scenario.ts';

interface Download {
  download_url: string;
  expires_at: string;
  sha256: string;
  size_bytes: number;
  capability?: string;
  manifest_url?: string;
  itms_url?: string;
}

let fixture: Fixture;
let android: SdkScenario;
let ios: SdkScenario;

beforeAll(async () => {
  fixture = await startFixture();
  android = await startSdkScenario(fixture);
  ios = await startSdkScenario(fixture, 'ios');
});
afterAll(() => fixture?.stop());

const enrolled = async (scenario: SdkScenario): Promise<Held> => ({
  key: scenario.app.app_key,
  token: (await scenario.enroll()).update_token,
});
const download = (scenario: SdkScenario, held: Held, releaseId: string) =>
  scenario.ask<Download>(`/releases/${releaseId}/download`, held);
const counted = async (scenario: SdkScenario, releaseId: string) =>
  (await (await scenario.staff()).get(`/api/v1/releases/${releaseId}/analytics`)).body.total_downloads;
/** Fetches as iOS does: without any header of the app. */
const fetchPlainly = (address = ''): Promise<Response> => fetch(address, { redirect: 'manual' });
const splitIconUrl = (address: string) => {
  const { pathname, searchParams } = new URL(address);
  return { path: pathname, capability: searchParams.get('capability') ?? '' };
};

describe('the description of an app', () => {
  it('contains the names around it', async () => {
    expect((await android.ask('/app', await enrolled(android))).body).toEqual({
      name: 'Harbour',
      organization_name: 'Fixture Organization',
      icon_url: null,
      platform: 'android',
      channel_name: expect.stringMatching(/^updates \d+$/),
    });
  });

  it('contains the icon of the current release, also for a private channel, with a temporary link', async () => {
    const held = await enrolled(android);
    const releaseId = await android.release('0.1', 1);
    const iconKey = `icons/${fixture.app.ids.next()}`;
    await fixture.app.storage.put(iconKey, Buffer.from('a picture'));
    const { body } = await (await android.staff()).get<{ build: { identifier: string } }>(
      `/api/v1/releases/${releaseId}`,
    );
    const ofBuild = eq(builds.id, body.build.identifier);
    fixture.app.db.update(builds).set({ iconKey, iconType: 'image/png' }).where(ofBuild).run();
    const { icon_url } = (await android.ask<{ icon_url: string }>('/app', held)).body;
    const picture = await fetchPlainly(icon_url);
    expect([picture.status, await picture.text()]).toEqual([200, 'a picture']);
    // The address shows the icon, and doesn't install the build.
    const { capability, ...icon } = splitIconUrl(icon_url);
    expect(icon.path).toBe(`/public/v1/icons/${body.build.identifier}`);
    const anyone = api(fixture, null);
    for (const path of ['', '/download', '/manifest.plist']) {
      expectRefusal(await anyone.get(`/public/v1/install/${capability}${path}`), 404, 'not_found');
    }
    const other = await android.addBuild('0.2', 2);
    fixture.app.db.update(builds).set({ iconKey, iconType: 'image/png' }).where(eq(builds.id, other)).run();
    expectRefusal(await anyone.get(`/public/v1/icons/${other}`, { capability }), 404, 'not_found');
    fixture.clock.advance(15 * MINUTE - 1);
    expect((await fetchPlainly(icon_url)).status).toBe(200);
    fixture.clock.advance(1);
    expect((await fetchPlainly(icon_url)).status).toBe(404);
    const later = (await android.ask<{ icon_url: string }>('/app', await enrolled(android))).body.icon_url;
    await (await android.staff()).post(`/api/v1/builds/${body.build.identifier}/revoke`);
    expect((await fetchPlainly(later)).status).toBe(404);
  });
});

describe('a download', () => {
  it('is a signed link to the package, valid for fifteen minutes', async () => {
    const held = await enrolled(android);
    const releaseId = await android.release('1.0', 10);
    const { status, body } = await download(android, held, releaseId);
    expect([status, Object.keys(body).sort()]).toEqual([200, ['download_url', 'expires_at', 'sha256', 'size_bytes']]);
    const got = await fetchPlainly(body.download_url);
    const bytes = Buffer.from(await got.arrayBuffer());
    expect([got.status, bytes.length, body.sha256]).toEqual([200, body.size_bytes, '0'.repeat(64)]);
    expect(got.headers.get('content-disposition')).toContain('Fixture-Android-1.0-10.apk');
    fixture.clock.set(new Date(Date.parse(body.expires_at) + SECOND));
    expect((await fetchPlainly(body.download_url)).status).toBe(403);
  });

  it('counts for channel and release, once for repeated requests, and again later', async () => {
    const releaseId = await android.release('1.1', 11);
    const [one, two] = [await enrolled(android), await enrolled(android)];
    const period = 15 * MINUTE;
    fixture.clock.set(new Date((Math.floor(fixture.clock.now().getTime() / period) + 1) * period));
    for (let index = 0; index < 5; index += 1) await download(android, one, releaseId);
    expect(await counted(android, releaseId)).toBe(1);
    await download(android, two, releaseId);
    expect(await counted(android, releaseId)).toBe(2);
    fixture.clock.advance(period);
    await download(android, one, releaseId);
    expect(await counted(android, releaseId)).toBe(3);
    const rows = fixture.app.db.select().from(downloads).where(eq(downloads.releaseId, releaseId)).all();
    expect(new Set(rows.map((row) => row.channelId))).toEqual(new Set([android.channelId]));
    expect(new Set(rows.map((row) => row.developerId))).toEqual(new Set([null]));
    expect(rows.every((row) => row.sdkInstallId !== null)).toBe(true);
  });

  it('counts once within fifteen minutes of the first request, at any time of the hour', async () => {
    const releaseId = await android.release('1.15', 115);
    const held = await enrolled(android);
    const period = 15 * MINUTE;
    fixture.clock.set(new Date((Math.floor(fixture.clock.now().getTime() / period) + 1) * period - 5 * SECOND));
    await download(android, held, releaseId);
    for (const seconds of [10, 300, 500, 85]) {
      fixture.clock.advance(seconds * SECOND);
      await download(android, held, releaseId);
      expect(await counted(android, releaseId)).toBe(1);
    }
    fixture.clock.advance(10 * SECOND);
    for (let again = 0; again < 2; again += 1) {
      await download(android, held, releaseId);
      expect(await counted(android, releaseId)).toBe(2);
      fixture.clock.advance(14 * MINUTE);
    }
  });

  it('is possible for any active release, not only the current one', async () => {
    const held = await enrolled(android);
    const earlier = await android.release('1.2', 12);
    await android.release('1.3', 13);
    expect((await download(android, held, earlier)).status).toBe(200);
    expect((await download(android, held, earlier.toUpperCase())).status).toBe(200);
  });

  it('is not found for withdrawn, foreign and unknown releases', async () => {
    const held = await enrolled(android);
    const staff = await android.staff();
    const other = await android.addChannel();
    const [disabled, elsewhere, revoked] = [
      await android.release('2.0', 20),
      await android.release('2.1', 21, {}, other),
      await android.release('2.2', 22),
    ];
    await staff.post(`/api/v1/releases/${disabled}/disable`);
    const { body } = await staff.get<{ build: { identifier: string } }>(`/api/v1/releases/${revoked}`);
    await staff.post(`/api/v1/builds/${body.build.identifier}/revoke`);
    for (const id of [disabled, elsewhere, revoked, ABSENT, 'nothing', await ios.release('9.0', 90)]) {
      expectRefusal(await download(android, held, id), 404, 'not_found');
    }
  });

  it.each([
    ['suspended', 200],
    ['awaiting_payment', 402],
    ['grace', 402],
  ] as const)(
    'of an organization that is locked as %s returns %i, and update checks still work',
    async (lock, status) => {
      const held = await enrolled(android);
      const releaseId = await android.release(`3.${lock}`, 30 + lock.length);
      const setLock = (lockReason: typeof lock | null) =>
        fixture.app.db.update(organizations).set({ lockReason }).run();
      setLock(lock);
      const answers = [
        (await download(android, held, releaseId)).status,
        (await android.ask('/releases/latest', held)).status,
        (await android.tell('/installs/report', held, { state: 'launched' })).status,
        (await android.tell('/token/rotate', held)).status,
      ];
      setLock(null);
      expect(answers).toEqual([status, 200, 202, 200]);
    },
  );
});

describe('an over-the-air installation', () => {
  async function start(version: string, number: number) {
    const held = await enrolled(ios);
    const releaseId = await ios.release(version, number);
    const { body } = await download(ios, held, releaseId);
    return { held, releaseId, body };
  }

  it('starts with a link that iOS opens, whose manifest needs no header, and counts one download in total', async () => {
    const { releaseId, body } = await start('1.0', 10);
    const base = fixture.config.server.base_url;
    expect(body.manifest_url).toBe(`${base}/sdk/v1/releases/${releaseId}/manifest.plist?capability=${body.capability}`);
    expect(body.itms_url).toBe(
      `itms-services://?action=download-manifest&url=${encodeURIComponent(body.manifest_url ?? '')}`,
    );
    for (let again = 0; again < 2; again += 1) {
      const manifest = await fetchPlainly(body.manifest_url);
      expect([manifest.status, manifest.headers.get('content-type')]).toEqual([200, 'application/x-plist']);
      const { package: packageUrl, metadata } = readManifest(await manifest.text());
      expect(metadata).toMatchObject({ 'bundle-identifier': 'com.example.app', 'bundle-version': '1.0' });
      const hop = await fetchPlainly(packageUrl);
      expect(hop.status).toBe(302);
      const got = await fetchPlainly(hop.headers.get('location') ?? '');
      expect((await got.arrayBuffer()).byteLength).toBe(body.size_bytes);
    }
    expect(await counted(ios, releaseId)).toBe(1);
  });

  it('stops working with the capability, the release or the SDK app', async () => {
    const { held, releaseId, body } = await start('1.1', 11);
    const other = await start('1.2', 12);
    const ask = async (id: string, capability = ''): Promise<Answer<Json>> =>
      ios.ask(`/releases/${id}/manifest.plist`, {}, { capability });
    // Of another release, altered, and given as something else.
    expectRefusal(await ask(other.releaseId, body.capability), 401, 'unauthorized');
    for (let at = 0; at < (body.capability ?? '').length; at += 7) {
      const letters = [...(body.capability ?? '')];
      letters[at] = letters[at] === 'a' ? 'b' : 'a';
      expectRefusal(await ask(releaseId, letters.join('')), 401, 'unauthorized');
    }
    const client = api(fixture, null);
    expectRefusal(await client.get(`/public/v1/install/${body.capability}`), 404, 'not_found');
    expect((await ask(releaseId, body.capability)).status).toBe(200);

    const staff = await ios.staff();
    await staff.post(`/api/v1/releases/${releaseId}/disable`);
    expectRefusal(await ask(releaseId, body.capability), 404, 'not_found');
    await staff.post(`/api/v1/releases/${releaseId}/enable`);
    expect((await ask(releaseId, body.capability)).status).toBe(200);

    fixture.clock.set(new Date(Date.parse(body.expires_at)));
    expectRefusal(await ask(releaseId, body.capability), 401, 'unauthorized');

    const fresh = (await download(ios, held, releaseId)).body;
    const manifest = await ask(releaseId, fresh.capability);
    expect(manifest.status).toBe(200);
    const { package: packageUrl } = readManifest(manifest.text);
    expect((await fetchPlainly(packageUrl)).status).toBe(302);
    await (await ios.staff()).post(`/api/v1/sdk-apps/${ios.app.identifier}/revoke`);
    expectRefusal(await ask(releaseId, fresh.capability), 401, 'unauthorized');
    expect((await fetchPlainly(packageUrl)).status).toBe(404);
    ios = await startSdkScenario(fixture, 'ios');
  });

  it('also accepts an install capability for the same release', async () => {
    const channelId = await ios.addChannel({ public: true });
    const releaseId = await ios.release('4.0', 40, {}, channelId);
    const link = await api(fixture, null).post<{ capability: string }>(
      `/public/v1/channels/${channelId}/releases/${releaseId}/install-link`,
    );
    const { capability } = link.body;
    expect((await ios.ask(`/releases/${releaseId}/manifest.plist`, {}, { capability })).status).toBe(200);
    expectRefusal(await ios.ask(`/releases/${ABSENT}/manifest.plist`, {}, { capability }), 401, 'unauthorized');
  });
});
