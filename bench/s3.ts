// Objects in an S3 bucket: transfers compared with a plain client of the same service, and with local storage.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBucket } from '../test/storage/s3/bucket.ts';
import { startFaultProxy } from '../test/storage/s3/proxy.ts';
import { CEPH_KEYS, type Ceph, startCeph, whyNoCeph } from '../test/support/ceph.ts';
import { buildApk, buildIpa, readApiDemos } from '../test/support/fixtures.ts';
import { type Bench, boundRow, type Kit, median, type Row, ratioRow, takeTurns } from './benchmark.ts';
import { call, complete, downloadLink, initiate, type Pending, upload } from './client.ts';
import { uploadFile } from './load.ts';
import { writePaddedPackage } from './packages.ts';
import { keepOnFirstProcessor, runOnSecondProcessor } from './processes.ts';
import { type ServerFixture, startServerFixture } from './server-fixture.ts';
import { cpuMs } from './usage.ts';

const BUILD_BYTES = 200 * 1000 * 1000;
const UPLOAD_BYTES = 50 * 1000 * 1000;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const LINK_LIFETIME_MS = 3_600_000;
/** Each request to the service is delayed by this, so that a duration tells how many follow each other. */
const ROUND_TRIP_MS = 200;
/** The service keeps all objects in memory. */
const MAX_LARGE_UPLOADS = 3;
const SETTLE_TIMEOUT_MS = 60_000;

interface Sides {
  ceph: Ceph;
  bucketName: string;
  s3: ServerFixture;
  proxied: ServerFixture;
  local: ServerFixture;
  /** Signs a request of a plain client. */
  sign(method: 'GET' | 'PUT', key: string): Promise<string>;
}

export const s3Bench: Bench = {
  name: 's3',
  summary: 'uploads and downloads of a server on S3, beside a plain client of the same service and local storage',
  async run(kit) {
    const missing = whyNoCeph();
    if (missing !== undefined) {
      kit.say(`s3: skipped, because ${missing}`);
      return [{ name: 's3', measured: `skipped: ${missing}`, baseline: '', ratio: '', goal: '', isMet: null }];
    }
    const sides = await startSides(kit);
    return [
      ...(await measureDownloads(kit, sides)),
      ...(await measureUploads(kit, sides)),
      await measureCompletes(kit, sides),
      ...(await measureRoundTrips(kit, sides)),
    ];
  },
};

async function startSides(kit: Kit): Promise<Sides> {
  const ceph = await kit.use(startCeph());
  const bucket = await createBucket(ceph, { prefix: 'plain' });
  const start = (name: string, more: Record<string, string | boolean> | undefined) => {
    const s3 = {
      endpoint: ceph.url,
      bucket: bucket.name,
      prefix: name,
      force_path_style: true,
      access_key_id: CEPH_KEYS.accessKeyId,
      secret_access_key: CEPH_KEYS.secretAccessKey,
      ...more,
    };
    const config = more === undefined ? {} : { storage: { backend: 's3' }, 'storage.s3': s3 };
    return kit.use(startServerFixture(join(kit.folder, name), { config }));
  };
  return {
    ceph,
    bucketName: bucket.name,
    s3: await start('s3', {}),
    proxied: await start('proxied', { proxy_downloads: true }),
    local: await start('local', undefined),
    sign: (method, key) => bucket.client.presign({ method, key }, LINK_LIFETIME_MS),
  };
}

/** Waits until the checksums of uploaded packages are computed in the background. */
async function settle(server: ServerFixture): Promise<void> {
  const giveUpAt = performance.now() + SETTLE_TIMEOUT_MS;
  let quiet = 0;
  while (quiet < 3 && performance.now() < giveUpAt) {
    const before = cpuMs(server.pid);
    await sleep(300);
    quiet = cpuMs(server.pid) - before < 10 ? quiet + 1 : 0;
  }
}

interface Sample {
  ms: number;
  serverMs: number;
}

/** Downloads a build once, following redirects. */
async function timeDownload(link: string, server?: ServerFixture): Promise<Sample> {
  const before = server === undefined ? 0 : cpuMs(server.pid);
  const startedAt = performance.now();
  const words = ['-sSL', '--fail', '-w', '%{size_download}', '-o', '/dev/null', link];
  const printed = await runOnSecondProcessor('curl', words);
  if (Number(printed) !== BUILD_BYTES) throw new Error(`only ${printed} bytes were received`);
  const serverMs = server === undefined ? 0 : cpuMs(server.pid) - before;
  return { ms: performance.now() - startedAt, serverMs };
}

async function measureDownloads(kit: Kit, { s3, proxied, local, sign }: Sides): Promise<Row[]> {
  const file = join(kit.folder, 'build.apk');
  writePaddedPackage(file, readApiDemos(), BUILD_BYTES);
  const links = new Map<ServerFixture, string>();
  for (const side of [s3, proxied, local]) {
    const build = await complete(side, await upload(side, side.androidProjectId, 1, file));
    links.set(side, await downloadLink(side, build.identifier));
    await keepOnFirstProcessor(side.pid);
  }
  await uploadFile(file, await sign('PUT', 'builds/1/package.apk'), {});
  const plainLink = await sign('GET', 'builds/1/package.apk');
  const from = (side: ServerFixture) => () => timeDownload(links.get(side) ?? '', side);
  for (const side of [s3, proxied, local]) {
    await settle(side);
    await from(side)();
  }
  const samples = await takeTurns(kit.rounds, {
    s3: from(s3),
    plain: () => timeDownload(plainLink),
    proxied: from(proxied),
    local: from(local),
  });
  const inMs = (value: number) => `${Math.round(value)} ms`;
  const perGib = (value: number) => `${Math.round((value / BUILD_BYTES) * GIB)} ms/GiB`;
  return [
    ratioRow({
      name: 's3: a download of 200 MB through a link, beside a plain client',
      measured: samples.s3.map(({ ms }) => ms),
      baseline: samples.plain.map(({ ms }) => ms),
      show: inMs,
      goal: { atMost: 1.1 },
    }),
    boundRow({
      name: 's3: server CPU for a download of 200 MB',
      measured: median(samples.s3.map(({ serverMs }) => serverMs)),
      below: 20,
      unit: 'ms',
    }),
    ratioRow({
      name: 's3: server CPU per byte with proxy_downloads, beside local storage',
      measured: samples.proxied.map(({ serverMs }) => serverMs),
      baseline: samples.local.map(({ serverMs }) => serverMs),
      show: perGib,
      goal: { atMost: 1.5 },
    }),
    informativeRow('s3: a download of 200 MB with proxy_downloads, beside local storage', {
      measured: samples.proxied.map(({ ms }) => ms),
      baseline: samples.local.map(({ ms }) => ms),
    }),
  ];
}

async function measureUploads(kit: Kit, { s3, local, sign }: Sides): Promise<Row[]> {
  const file = join(kit.folder, 'upload.apk');
  writePaddedPackage(file, readApiDemos(), UPLOAD_BYTES);
  let number = 100;
  const time = async (work: () => Promise<unknown>): Promise<number> => {
    const startedAt = performance.now();
    await work();
    return performance.now() - startedAt;
  };
  const add = (side: ServerFixture) => () => {
    number += 1;
    return time(async () => complete(side, await upload(side, side.androidProjectId, number, file)));
  };
  const put = () => {
    number += 1;
    return time(async () => uploadFile(file, await sign('PUT', `pending/${number}`), {}));
  };
  for (const side of [add(s3), put, add(local)]) await side();
  const times = await takeTurns(kit.rounds, { s3: add(s3), plain: put, local: add(local) });
  return [
    informativeRow('s3: initiate, upload of 50 MB and complete, beside a PUT of a plain client', {
      measured: times.s3,
      baseline: times.plain,
    }),
    informativeRow('s3: initiate, upload of 50 MB and complete, beside local storage', {
      measured: times.s3,
      baseline: times.local,
    }),
  ];
}

async function measureCompletes(kit: Kit, { s3 }: Sides): Promise<Row> {
  const rounds = Math.min(kit.rounds, MAX_LARGE_UPLOADS);
  const waiting = { large: [] as Pending[], small: [] as Pending[] };
  let number = 1_000;
  for (const [name, size] of [
    ['small', 5 * MIB],
    ['large', 500 * MIB],
  ] as const) {
    const file = join(kit.folder, `${name}.apk`);
    writePaddedPackage(file, buildApk(), size);
    for (let round = 0; round < rounds; round += 1) {
      number += 1;
      const pending = await initiate(s3, s3.androidProjectId, number);
      await uploadFile(file, pending.upload_url, pending.required_headers);
      waiting[name].push(pending);
    }
  }
  const timeComplete = async (pending: Pending | undefined): Promise<number> => {
    if (pending === undefined) throw new Error('nothing is left to complete');
    await settle(s3);
    const startedAt = performance.now();
    const build = await complete(s3, pending);
    if (build.inspection_status !== 'ok') throw new Error('the package was not readable');
    return performance.now() - startedAt;
  };
  const times = await takeTurns(rounds, {
    large: () => timeComplete(waiting.large.pop()),
    small: () => timeComplete(waiting.small.pop()),
  });
  return ratioRow({
    name: 's3: complete of a 500 MiB apk, beside 5 MiB',
    measured: times.large,
    baseline: times.small,
    show: (value) => `${value.toFixed(1)} ms`,
    goal: { atMost: 1.5 },
    note: `${rounds} rounds`,
  });
}

/** Counts the requests to the service that have to wait for each other. */
async function measureRoundTrips(kit: Kit, { ceph, bucketName }: Sides): Promise<Row[]> {
  const proxy = await kit.use(startFaultProxy(ceph.url));
  const s3 = {
    endpoint: proxy.url,
    public_endpoint: ceph.url,
    bucket: bucketName,
    prefix: 'counted',
    force_path_style: true,
    access_key_id: CEPH_KEYS.accessKeyId,
    secret_access_key: CEPH_KEYS.secretAccessKey,
  };
  const config = { storage: { backend: 's3' }, 'storage.s3': s3 };
  // Manifests need https.
  const options = { config, baseUrl: 'https://builds.example.test' };
  const server = await kit.use(startServerFixture(join(kit.folder, 'counted'), options));
  const count = async <Result>(work: () => Promise<Result>): Promise<{ trips: number; result: Result }> => {
    await settle(server);
    const startedAt = performance.now();
    const result = await work();
    return { trips: Math.floor((performance.now() - startedAt) / ROUND_TRIP_MS), result };
  };
  const file = join(kit.folder, 'counted.apk');
  writePaddedPackage(file, buildApk(), 50 * MIB);
  const app = join(kit.folder, 'counted.ipa');
  writeFileSync(app, buildIpa());
  proxy.fault = () => ({ kind: 'delay', ms: ROUND_TRIP_MS });
  const initiated = await count(() => initiate(server, server.androidProjectId, 1));
  await uploadFile(file, initiated.result.upload_url, initiated.result.required_headers);
  const completed = await count(() => complete(server, initiated.result));
  const { identifier } = await complete(server, await upload(server, server.iosProjectId, 1, app));
  const query = `organization_id=${server.organizationId}&project_id=${server.iosProjectId}`;
  const channel = await call<{ identifier: string }>(server, 'POST', `/api/v1/channels?${query}`, {
    name: 'Bench',
    public: true,
  });
  const release = await call<{ identifier: string }>(
    server,
    'POST',
    `/api/v1/releases?${query}&channel_id=${channel.identifier}`,
    { build_id: identifier },
  );
  await settle(server);
  proxy.takeNames();
  for (const path of [
    `/install/channels/${channel.identifier}`,
    `/public/v1/channels/${channel.identifier}/releases/${release.identifier}/manifest.plist`,
  ]) {
    const response = await fetch(`${server.url}${path}`);
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
  const asked = proxy.takeNames().length;
  const row = (name: string, measured: number, below: number, unit: string) =>
    boundRow({ name: `s3: ${name}`, measured, below, unit });
  return [
    row('initiate', initiated.trips, 4, 'round trips'),
    row('complete of a 50 MiB apk', completed.trips, 4, 'round trips'),
    row('install page and manifest', asked, 1, 'requests'),
  ];
}

function informativeRow(name: string, { measured, baseline }: Record<'measured' | 'baseline', number[]>): Row {
  const show = (value: number) => `${Math.round(value)} ms`;
  const row = ratioRow({ name, measured, baseline, show, goal: { atMost: Number.POSITIVE_INFINITY } });
  return { ...row, goal: '', isMet: null };
}
