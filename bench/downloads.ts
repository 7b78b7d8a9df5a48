// Downloads of a large build through a signed link, compared with nginx with sendfile for the same file.
import { join, relative } from 'node:path';
import { findFreePort } from '../scripts/lib/ports.ts';
import { readApiDemos } from '../test/support/fixtures.ts';
import { type Bench, type Kit, median, type Row, ratioRow, takeTurns } from './benchmark.ts';
import { complete, downloadLink, upload } from './client.ts';
import { download } from './load.ts';
import { startNginx } from './nginx.ts';
import { writePaddedPackage } from './packages.ts';
import { keepOnFirstProcessor } from './processes.ts';
import { type ServerFixture, startServerFixture } from './server-fixture.ts';
import { cpuMs } from './usage.ts';

const BUILD_BYTES = 200 * 1000 * 1000;
const TIMES = 5;
const GIB = 1024 ** 3;

export const downloadBench: Bench = {
  name: 'download',
  summary: 'a 200 MB build through a signed link, beside nginx with sendfile; then behind nginx with X-Accel-Redirect',
  async run(kit) {
    return [...(await measureDirect(kit)), ...(await measureRedirected(kit))];
  },
};

interface Sample {
  gibPerSecond: number;
  cpuMsPerGib: number;
}

async function addBuild(fixture: ServerFixture, folder: string): Promise<string> {
  const file = join(folder, 'build.apk');
  writePaddedPackage(file, readApiDemos(), BUILD_BYTES);
  const build = await complete(fixture, await upload(fixture, fixture.androidProjectId, 1, file));
  return build.identifier;
}

async function measure(pid: number, link: string): Promise<Sample> {
  const before = cpuMs(pid);
  const startedAt = performance.now();
  const bytes = await download(link, TIMES);
  const seconds = (performance.now() - startedAt) / 1000;
  if (bytes !== TIMES * BUILD_BYTES) throw new Error(`only ${bytes} bytes were received`);
  return { gibPerSecond: bytes / GIB / seconds, cpuMsPerGib: ((cpuMs(pid) - before) / bytes) * GIB };
}

async function measureDirect(kit: Kit): Promise<Row[]> {
  const fixture = await kit.use(startServerFixture(join(kit.folder, 'direct')));
  const link = await downloadLink(fixture, await addBuild(fixture, kit.folder));
  const nginx = await kit.use(startNginx(join(kit.folder, 'nginx'), { root: fixture.objectsFolder }));
  const file = `${nginx.url}/${relative('/storage/v1', new URL(link).pathname)}`;
  await keepOnFirstProcessor(fixture.pid);
  await keepOnFirstProcessor(nginx.workerPid);
  await download(link);
  await download(file);
  const samples = await takeTurns(kit.rounds, {
    taxiway: () => measure(fixture.pid, link),
    nginx: () => measure(nginx.workerPid, file),
  });
  return [
    ratioRow({
      name: 'download: server CPU per byte',
      measured: samples.taxiway.map((sample) => sample.cpuMsPerGib),
      baseline: samples.nginx.map((sample) => sample.cpuMsPerGib),
      show: (value) => `${Math.round(value)} ms/GiB`,
      goal: { atMost: 3 },
    }),
    ratioRow({
      name: 'download: throughput',
      measured: samples.taxiway.map((sample) => sample.gibPerSecond),
      baseline: samples.nginx.map((sample) => sample.gibPerSecond),
      show: (value) => `${value.toFixed(2)} GiB/s`,
      goal: { atLeast: 0.7 },
    }),
  ];
}

async function measureRedirected(kit: Kit): Promise<Row[]> {
  const port = await findFreePort();
  const folder = join(kit.folder, 'redirected');
  const fixture = await kit.use(
    startServerFixture(folder, {
      baseUrl: `http://127.0.0.1:${port}`,
      config: { server: { accel_redirect: '/protected' } },
    }),
  );
  const root = fixture.objectsFolder;
  const nginx = await kit.use(startNginx(join(folder, 'nginx'), { root, port, upstream: fixture.url }));
  const link = await downloadLink(fixture, await addBuild(fixture, kit.folder));
  await keepOnFirstProcessor(fixture.pid);
  await keepOnFirstProcessor(nginx.workerPid);
  await download(link);
  const shares: number[] = [];
  for (let round = 0; round < kit.rounds; round += 1) {
    const before = { node: cpuMs(fixture.pid), nginx: cpuMs(nginx.workerPid) };
    await measure(nginx.workerPid, link);
    const node = cpuMs(fixture.pid) - before.node;
    shares.push(node / (node + cpuMs(nginx.workerPid) - before.nginx));
  }
  const share = median(shares);
  return [
    {
      name: "download behind X-Accel-Redirect: Taxiway's share of CPU",
      measured: `${(share * 100).toFixed(1)} %`,
      baseline: 'nginx in front',
      ratio: share.toFixed(2),
      goal: '≤ 0.05',
      isMet: share <= 0.05,
    },
  ];
}
