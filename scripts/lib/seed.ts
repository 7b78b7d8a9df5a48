// Seeds an empty development server through its API: an organization with apps, builds, channels and people, and with
// something that needs attention.
import { createHash } from 'node:crypto';
import { createIdentity } from '../../test/inspection/build-signature.ts';
import { buildApk, buildIpa } from '../../test/support/fixtures.ts';
import { say } from './project.ts';
import { drawIcon } from './sample-pictures.ts';

export const ADMIN = { email: 'ada@example.com', password: 'taxiway development', display_name: 'Ada Lovelace' };
const TESTERS = ['grace@example.com', 'alan@example.com', 'katherine@example.com'];
const DAY_MS = 86_400_000;

type Body = Record<string, unknown>;
type Answer = Record<string, string>;

/** An app on one platform. Its builds are uploaded by a token, as from CI. */
interface App {
  name: string;
  platform: 'android' | 'ios';
  bundleIdentifier: string;
  icon: Buffer;
  /** About the size of its packages. */
  megabytes: number;
  channels: readonly Body[];
  /** Release notes of the builds, oldest first. */
  notes: readonly string[];
  /** The channel, by its position, that Ada releases a build onto. */
  releases: readonly { build: number; channel: number }[];
  /** Days until the provisioning profile expires. */
  profileDays?: number;
}

const NOTES = [
  'First build for testers',
  'Signs in with passkeys',
  'Shows the tide on the start page',
  'Fixes a crash when the map opens\nAlso loads faster.',
  'Remembers the last harbor',
  'Charts work offline',
  'Warns before a storm',
  'Larger buttons on the route page',
  'Fixes the clock after midnight',
  'Berths can be reserved',
  'Starts twice as fast',
  'Route planner uses the new timetable',
];
const CHANNELS = [{ name: 'nightly', auto_distribute: true }, { name: 'beta', public: true }, { name: 'production' }];
const RELEASES = [3, 6, 9, 11]
  .map((build) => ({ build, channel: 1 }))
  .concat([6, 9].map((build) => ({ build, channel: 2 })));
/** Signs all packages for Android: an app with another signature can't be updated. */
const SIGNER = createIdentity('Sample');
const HARBOR = drawIcon('anchor', [14, 124, 114]);

const APPS: readonly App[] = [
  {
    name: 'Depot Board',
    platform: 'ios',
    bundleIdentifier: 'com.example.depot',
    icon: drawIcon('board', [29, 37, 48]),
    megabytes: 2.8,
    channels: [{ name: 'beta' }],
    notes: ['Shows delayed trains'],
    releases: [{ build: 1, channel: 0 }],
    profileDays: -6,
  },
  {
    name: 'Pilot',
    platform: 'android',
    bundleIdentifier: 'com.example.pilot',
    icon: drawIcon('compass', [75, 58, 140]),
    megabytes: 1.9,
    channels: [{ name: 'beta', public: true }],
    notes: ['', 'Scans paper tickets'],
    releases: [{ build: 2, channel: 0 }],
  },
  {
    name: 'Harbor for Android',
    platform: 'android',
    bundleIdentifier: 'com.example.harbor',
    icon: HARBOR,
    megabytes: 4.6,
    channels: CHANNELS,
    notes: NOTES,
    releases: RELEASES,
  },
  {
    name: 'Harbor for iPhone',
    platform: 'ios',
    bundleIdentifier: 'com.example.harbor',
    icon: HARBOR,
    megabytes: 5.3,
    channels: CHANNELS,
    notes: NOTES,
    releases: RELEASES,
    profileDays: 9,
  },
];

async function send(
  base: string,
  token: string | undefined,
  method: string,
  path: string,
  body?: Body | FormData,
): Promise<Answer> {
  const isForm = body instanceof FormData;
  const response = await fetch(new URL(path, base), {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : isForm ? body : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : {};
}

type Ask = (method: string, path: string, body?: Body | FormData) => Promise<Answer>;

function packageOf(
  { platform, bundleIdentifier, name, icon, megabytes, profileDays }: App,
  version: string,
  number: number,
  now: number,
): Buffer {
  // Code grows with each build, and pictures with every third one.
  const code = Buffer.alloc(Math.round(megabytes * 700_000) + number * 21_300);
  const pictures = Buffer.alloc(Math.round(megabytes * 300_000) + Math.floor(number / 3) * 64_200);
  if (platform === 'android') {
    return buildApk({
      packageName: bundleIdentifier,
      label: name,
      versionName: version,
      versionCode: number,
      permissions: ['INTERNET', 'CAMERA', ...(number > 8 ? ['POST_NOTIFICATIONS'] : [])].map(
        (permission) => `android.permission.${permission}`,
      ),
      icon,
      signers: [SIGNER],
      parts: [
        { name: 'classes2.dex', data: code, isStored: true },
        { name: 'assets/charts.bin', data: pictures, isStored: true },
      ],
    });
  }
  const profile =
    profileDays === undefined
      ? {}
      : { Name: `${name} Ad Hoc`, ExpirationDate: new Date(now + (profileDays + 0.5) * DAY_MS) };
  return buildIpa({
    bundleIdentifier,
    name,
    version,
    build: String(number),
    info: { NSCameraUsageDescription: 'Scans tickets and berth numbers' },
    profile,
    icon,
    parts: [
      { name: 'Payload/Sample.app/Frameworks/Charts.framework/Charts', data: code, isStored: true },
      { name: 'Payload/Sample.app/Assets.car', data: pictures, isStored: true },
    ],
  });
}

async function upload(ask: Ask, query: string, app: App, number: number, now: number): Promise<string> {
  const version = `2.${Math.floor(number / 4)}.${number % 4}`;
  const bytes = packageOf(app, version, number, now);
  const pending = await ask('POST', `/api/v1/builds/initiate?${query}`, {
    version_name: version,
    build_number: number,
    original_filename: app.platform === 'android' ? 'app.apk' : 'app.ipa',
    release_notes: app.notes[number - 1] || null,
    source: {
      commit: createHash('sha1').update(`${app.name} ${number}`).digest('hex'),
      branch: number % 3 === 0 ? 'feature/tickets' : 'main',
      pull_request: number % 3 === 0 ? 40 + number : null,
      repository_url: 'https://github.com/lighthouse-labs/app',
      run_url: `https://github.com/lighthouse-labs/app/actions/runs/${1_000 + number}`,
      author: 'Grace Hopper',
    },
    labels: number % 2 === 0 ? ['nightly'] : [],
  });
  const headers = { 'x-ms-blob-type': 'BlockBlob' };
  const put = await fetch(pending.upload_url ?? '', { method: 'PUT', headers, body: new Uint8Array(bytes) });
  if (!put.ok) throw new Error(`PUT answered ${put.status}`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const build = await ask('POST', `/api/v1/builds/${pending.pending_upload_id}/complete?${query}`, { sha256 });
  return build.identifier ?? '';
}

async function addApp(base: string, ask: Ask, inOrganization: string, app: App, now: number): Promise<void> {
  const { name, platform } = app;
  const project = await ask('POST', `/api/v1/projects?${inOrganization}`, { name, platform });
  const icon = new FormData();
  icon.append('file', new Blob([new Uint8Array(app.icon)], { type: 'image/png' }), 'icon.png');
  await ask('POST', `/api/v1/projects/${project.identifier}/icon`, icon);
  const query = `${inOrganization}&project_id=${project.identifier}`;
  const channels: string[] = [];
  for (const channel of app.channels) {
    channels.push((await ask('POST', `/api/v1/channels?${query}`, channel)).identifier ?? '');
  }
  const role = 'read_download_upload';
  const ci = await ask('POST', `/api/v1/project-access-tokens?${query}`, { name: 'ci-main', role });
  const askAsCi: Ask = (method, path, body) => send(base, ci.token, method, path, body);
  for (let number = 1; number <= app.notes.length; number += 1) {
    const build_id = await upload(askAsCi, query, app, number, now);
    for (const { channel } of app.releases.filter(({ build }) => build === number)) {
      await ask('POST', `/api/v1/releases?${query}&channel_id=${channels[channel]}`, { build_id });
    }
  }
  for (const email of TESTERS) await ask('POST', `/api/v1/projects/${project.identifier}/testers`, { email });
}

/**
 * Seeds the server at `base` with sample data. Does nothing if it has accounts.
 * @param output the server's output, which contains its setup link
 * @param now milliseconds since the epoch, for what expires
 */
export async function seed(base: string, output: string, now = Date.now()): Promise<void> {
  const setupPath = /\/setup\/\S+/.exec(output)?.[0];
  if (setupPath === undefined) {
    say('Seeding skipped: the server has accounts already. Use --fresh to start over.');
    return;
  }
  const { organization_id: organization = '' } = await send(base, undefined, 'POST', setupPath, {
    ...ADMIN,
    organization_name: 'Lighthouse Labs',
  });
  const { access_token: token } = await send(base, undefined, 'POST', '/api/v1/login', ADMIN);
  const ask: Ask = (method, path, body) => send(base, token, method, path, body);
  const inOrganization = `organization_id=${organization}`;
  // No host has this name, so deliveries fail.
  await ask('POST', `/api/v1/webhooks?${inOrganization}`, {
    url: 'https://chat.invalid/hooks',
    description: 'Release chat',
    events: ['release.created'],
  });
  for (const app of APPS) await addApp(base, ask, inOrganization, app, now);
  // The first device is in the profiles of the sample builds, the second isn't.
  await ask('POST', `/api/v1/devices?${inOrganization}`, { udid: '00000000-000000000000001E', name: "Ada's iPhone" });
  await ask('POST', `/api/v1/devices?${inOrganization}`, { udid: '00000000-000000000000003E', name: "Grace's iPhone" });
  say(`Seeded. Sign in as ${ADMIN.email} with the password "${ADMIN.password}".`);
}
