// Memory of a server during many large transfers, compared with its idle memory.
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readApiDemos } from '../test/support/fixtures.ts';
import { type Bench, boundRow, type Kit, type Row } from './benchmark.ts';
import { complete, downloadLink, initiate, upload } from './client.ts';
import { download, uploadFile } from './load.ts';
import { writePaddedPackage } from './packages.ts';
import { startServerFixture } from './server-fixture.ts';
import { peakMb, residentMb } from './usage.ts';

const BUILD_BYTES = 200 * 1000 * 1000;
const TRANSFERS = 64;
const GOAL_MB = 150;
const IDLE_MS = 2_000;

export const memoryBench: Bench = {
  name: 'memory',
  summary: `resident memory of a fresh server under ${TRANSFERS} uploads, and under ${TRANSFERS} downloads, of 200 MB at once`,
  async run(kit) {
    const file = join(kit.folder, 'build.apk');
    writePaddedPackage(file, readApiDemos(), BUILD_BYTES);
    return [await measureUploads(kit, file), await measureDownloads(kit, file)];
  },
};

async function measureUploads(kit: Kit, file: string): Promise<Row> {
  const { bavail, bsize } = await statfs(kit.folder);
  const needed = (TRANSFERS + 4) * BUILD_BYTES;
  if (bavail * bsize < needed) throw new Error(`${kit.folder} needs ${Math.ceil(needed / 1e9)} GB of free disk`);
  const folder = join(kit.folder, 'uploads');
  // All uploads are of one project.
  const config = { 'storage.local': { uploading_bytes_per_project: TRANSFERS * BUILD_BYTES } };
  const fixture = await startServerFixture(folder, { config });
  try {
    await sleep(IDLE_MS);
    const idle = residentMb(fixture.pid);
    const peak = await peakMb(fixture.pid, async () => {
      const pending = await Promise.all(
        Array.from({ length: TRANSFERS }, (_, index) => initiate(fixture, fixture.androidProjectId, index + 1)),
      );
      await Promise.all(pending.map((one) => uploadFile(file, one.upload_url, one.required_headers)));
    });
    return memoryRow(`memory of ${TRANSFERS} uploads of 200 MB above idle`, idle, peak);
  } finally {
    await fixture.stop();
    await rm(folder, { recursive: true });
  }
}

async function measureDownloads(kit: Kit, file: string): Promise<Row> {
  const folder = join(kit.folder, 'downloads');
  const first = await startServerFixture(folder);
  let link: string;
  try {
    const build = await complete(first, await upload(first, first.androidProjectId, 1, file));
    link = await downloadLink(first, build.identifier);
  } finally {
    await first.stop();
  }
  // The upload and inspection have increased the memory already, so downloads are measured in a new process.
  const fixture = await kit.use(first.startAgain());
  await sleep(IDLE_MS);
  const idle = residentMb(fixture.pid);
  const peak = await peakMb(fixture.pid, () => Promise.all(Array.from({ length: TRANSFERS }, () => download(link))));
  return memoryRow(`memory of ${TRANSFERS} downloads of 200 MB above idle`, idle, peak);
}

function memoryRow(name: string, idle: number, peak: number): Row {
  return boundRow({
    name,
    measured: peak - idle,
    baseline: `${Math.round(idle)} MB idle`,
    below: GOAL_MB,
    unit: 'MB',
  });
}
