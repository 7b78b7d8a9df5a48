// CPU cost of rendering an install page, for each kind of visitor.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { insertFacts } from '../src/builds/fact-store.ts';
import { sourceColumns } from '../src/builds/origin.ts';
import { insertBuild } from '../src/builds/store.ts';
import type { App } from '../src/core/context.ts';
import { systemContext } from '../src/core/transact.ts';
import { channels } from '../src/data/tables/tables.ts';
import { deviceCookie } from '../src/devices/cookie.ts';
import { insertDevice } from '../src/devices/store.ts';
import { inspectPackage } from '../src/inspection/inspect.ts';
import { versionKey } from '../src/lib/version-key.ts';
import { insertRelease } from '../src/releases/store.ts';
import { bufferSource, buildApk, buildIpa } from '../test/support/fixtures.ts';
import { type Bench, boundRow, median } from './benchmark.ts';
import { loadServer } from './load.ts';
import { type SeededIds, type ServerFixture, startServerFixture } from './server-fixture.ts';

const GOAL_US = 3_000;
const SECONDS = 2;
/** The maximum number of devices read from a profile. */
const DEVICES = 2_000;
/** Previous releases in each channel. */
const RELEASES = 100;
const NOTES = 'Tide tables work without a connection. The map opens twice as fast.\n'.repeat(20);

const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const iphone = `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${webKit} Version/17.5 Mobile/15E148 Safari/604.1`;
const mac = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Version/17.5 Safari/605.1.15`;
const android = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36';

interface SdkSeed {
  iosChannelId: string;
  androidChannelId: string;
  cookie: string;
}

export const pageBench: Bench = {
  name: 'page',
  summary: 'CPU time of one install page, for phones and for a desktop',
  async run(kit) {
    let stock: SdkSeed | undefined;
    const seed = async (app: App, of: SeededIds) => {
      stock = await seedChannels(app, of);
    };
    // Without https, the page for iOS would only show an error.
    const fixture = await kit.use(
      startServerFixture(join(kit.folder, 'fixture'), { baseUrl: 'https://builds.example', seed }),
    );
    if (stock === undefined) throw new Error('nothing was released');
    const { iosChannelId, androidChannelId, cookie } = stock;
    const visits: [string, Visit][] = [
      ['iPhone', { channelId: iosChannelId, userAgent: iphone, words: 'registered devices only' }],
      [
        `iPhone that is the last of ${DEVICES} in the profile`,
        { channelId: iosChannelId, userAgent: iphone, cookie, words: 'is registered for this build' },
      ],
      ['Android', { channelId: androidChannelId, userAgent: android, words: 'Download and install' }],
      ['desktop, with QR code', { channelId: iosChannelId, userAgent: mac, words: '<svg' }],
      [
        'iPhone, in German',
        { channelId: iosChannelId, userAgent: iphone, language: 'de-CH,de;q=0.9', words: 'registrierten Geräten' },
      ],
    ];
    const rows = [];
    for (const [at, [name, visit]] of visits.entries()) {
      await checkPage(fixture, visit);
      const script = writeVisitScript(join(kit.folder, `visit-${at}.lua`), visit);
      const path = pathOf(visit);
      const load = () => loadServer(fixture, { path, script, connections: 4, seconds: SECONDS });
      await load();
      const samples: number[] = [];
      for (let round = 0; round < kit.rounds; round += 1) samples.push((await load()).cpuMicroseconds);
      rows.push(
        boundRow({ name: `install page CPU: ${name}`, measured: median(samples), below: GOAL_US, unit: 'µs CPU' }),
      );
    }
    return rows;
  },
};

interface Visit {
  channelId: string;
  userAgent: string;
  cookie?: string;
  language?: string;
  /** Text on the expected page. */
  words: string;
}

const pathOf = ({ channelId }: Visit) => `/install/channels/${channelId}`;

function headersOf({ userAgent, cookie, language }: Visit): Record<string, string> {
  return {
    'User-Agent': userAgent,
    'Accept-Language': language ?? 'en',
    ...(cookie === undefined ? {} : { Cookie: cookie }),
  };
}

async function checkPage(fixture: ServerFixture, visit: Visit): Promise<void> {
  const response = await fetch(fixture.url + pathOf(visit), { headers: headersOf(visit) });
  const html = await response.text();
  if (!html.includes(visit.words)) throw new Error(`${pathOf(visit)} says no “${visit.words}”:\n${html}`);
}

function writeVisitScript(file: string, visit: Visit): string {
  const lines = Object.entries(headersOf(visit)).map(([name, value]) => `wrk.headers["${name}"] = [==[${value}]==]`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** Adds channels of both platforms with many releases each, and a device in the profile. */
async function seedChannels(app: App, of: SeededIds): Promise<SdkSeed> {
  const udids = Array.from(
    { length: DEVICES },
    (_, at) => `00008030-${at.toString(16).toUpperCase().padStart(16, '0')}`,
  );
  const [iosChannelId, androidChannelId] = [
    await fillChannel(
      app,
      { ...of, projectId: of.iosProjectId },
      'ios',
      buildIpa({ profile: { ProvisionedDevices: udids } }),
    ),
    await fillChannel(app, { ...of, projectId: of.androidProjectId }, 'android', buildApk()),
  ];
  const deviceId = app.ids.next();
  systemContext(app).transact(
    (tx) =>
      insertDevice(tx, {
        id: deviceId,
        organizationId: of.organizationId,
        udid: udids.at(-1) ?? '',
        name: 'Bench',
        product: 'iPhone14,2',
        osBuild: '21F79',
        developerId: null,
        registeredAt: tx.now,
        enrolledAt: tx.now,
      }),
    { bookkeeping: true },
  );
  return { iosChannelId, androidChannelId, cookie: deviceCookie(app, deviceId).split(';')[0] ?? '' };
}

async function fillChannel(
  app: App,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  platform: 'ios' | 'android',
  bytes: Buffer,
): Promise<string> {
  const outcome = await inspectPackage(bufferSource(bytes), platform);
  if (outcome.status !== 'ok') throw new Error('the package was not readable');
  const { inspection } = outcome;
  const channelId = app.ids.next();
  const place = { organizationId, projectId };
  systemContext(app).transact(
    (tx) => {
      const createdAt = tx.now;
      const flags = { autoDistribute: false, notifyOnRelease: false, isPublic: true };
      tx.db
        .insert(channels)
        .values({ ...place, ...flags, id: channelId, name: 'Bench', createdAt })
        .run();
      for (let number = 1; number <= RELEASES; number += 1) {
        const buildId = tx.ids.next();
        const release = {
          ...place,
          channelId,
          buildId,
          releaseNotes: NOTES,
          mandatory: false,
          createdBy: null,
          createdByToken: null,
          isAutomatic: false,
        };
        insertBuild(
          tx,
          {
            ...place,
            id: buildId,
            platform,
            versionName: '1.0',
            buildNumber: number,
            packageBuildNumber: String(number),
            sha256: '0'.repeat(64),
            sizeBytes: 48_000_000,
            uploadedAt: tx.now,
            bundleIdentifier: inspection.bundle_identifier,
            originalFilename: null,
            releaseNotes: null,
            minOsVersion: inspection.min_os_version,
            objectKey: `builds/${buildId}/package`,
            iconKey: `builds/${buildId}/icon`,
            iconColor: null,
            iconType: 'image/png',
            inspectionStatus: 'ok',
            revokedAt: null,
            uploadedByDeveloperId: null,
            pendingUploadId: tx.ids.next(),
            retentionNoticeAt: null,
            versionKey: versionKey('1.0', number),
            uploadedByToken: null,
            ...sourceColumns(null),
          },
          { content: JSON.stringify(inspection), reason: null },
        );
        insertFacts(tx, buildId, inspection);
        insertRelease(tx, { ...release, id: tx.ids.next(), state: 'active', createdAt });
      }
    },
    { bookkeeping: true },
  );
  return channelId;
}
