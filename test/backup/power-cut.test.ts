// Power cuts during backups to a folder: complete backups stay whole, incomplete ones are recognized, and the next backup succeeds.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listBackups } from '../../src/backup/catalog.ts';
import { createBackup } from '../../src/backup/create.ts';
import { createSeal } from '../../src/backup/encryption.ts';
import { withFileIndex } from '../../src/backup/file-index.ts';
import type { BackupPlace } from '../../src/backup/place.ts';
import { deleteOldBackups } from '../../src/backup/retention.ts';
import { serverMarkOf } from '../../src/backup/server-mark.ts';
import { verifyBackup } from '../../src/backup/verify.ts';
import type { RoutedStorage } from '../../src/core/storage.ts';
import { createSecrets } from '../../src/runtime/secrets.ts';
import { openLocalStorage } from '../../src/storage/local/backend.ts';
import type { FileOperations } from '../../src/storage/local/files.ts';
import { type BuildScenario, startBuildScenario, uploadAnswer } from '../builds/scenario.ts';
import { CRASH_SEED, createRandom } from '../crash/random.ts';
import { buildApk } from '../support/fixtures.ts';
import { recordDisk } from './recorded-disk.ts';

const CUTS = 25;
/** Made when the storage is opened. */
const FOLDERS = ['objects', 'incoming', 'seals'];

let scenario: BuildScenario;
let folder: string;
beforeEach(async () => {
  scenario = await startBuildScenario();
  folder = mkdtempSync(join(tmpdir(), 'taxiway-backup-cut-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await scenario[Symbol.asyncDispose]();
});

function openPlace(directory: string, files?: FileOperations): BackupPlace {
  const { keyring } = createSecrets(Buffer.alloc(32));
  const { clock } = scenario.fixture;
  const storage = openLocalStorage({ directory, baseUrl: '', clock, keyring, ...(files && { files }) });
  return { ...storage, name: directory, close: () => undefined };
}

async function backUp(place: BackupPlace): Promise<string> {
  const { app, config, clock } = scenario.fixture;
  clock.advance(1_000);
  const client = new Sqlite(config.database.file, { readonly: true });
  const storage = app.storage as RoutedStorage;
  const job = { config, client, storage, place, seal: createSeal([]), nativeBinding: undefined };
  const { manifest, warnings } = await createBackup({ ...job, now: clock.now() });
  client.close();
  expect(warnings).toEqual([]);
  return manifest.id;
}

const inIndex = <T>(work: Parameters<typeof withFileIndex<T>>[2]) => withFileIndex(folder, undefined, work);

async function findProblems(place: BackupPlace, id: string): Promise<string[]> {
  const { problems } = await inIndex((index) => verifyBackup(place, { id, index }));
  return problems;
}

it('a power cut leaves each acknowledged backup whole, and the next one needs nothing of an incomplete one', async () => {
  const { app, clock } = scenario.fixture;
  const root = join(folder, 'recorded');
  for (const name of FOLDERS) mkdirSync(join(root, name), { recursive: true });
  const disk = recordDisk(root, FOLDERS);
  const recorded = openPlace(root, disk.files);
  /** The steps between which a backup has to be there. */
  const kept: { id: string; from: number; until: number }[] = [];
  for (let number = 1; number <= 3; number += 1) {
    await uploadAnswer(scenario.ci, scenario.android, buildApk({ versionCode: number }));
    const id = await backUp(recorded);
    kept.push({ id, from: disk.count(), until: Number.POSITIVE_INFINITY });
    for (const old of kept.slice(0, -2)) old.until = Math.min(old.until, disk.count());
    // Contents that no backup needs are deleted after two days.
    clock.advance(3 * 24 * 3_600_000);
    const retention = { keep: 2, now: clock.now(), server: serverMarkOf(app.db.$client) };
    await inIndex((index) => deleteOldBackups(recorded, { ...retention, index }));
  }
  const random = createRandom(CRASH_SEED);
  let incomplete = 0;
  for (let number = 0; number < CUTS; number += 1) {
    const steps = random.between(0, disk.count());
    const directory = join(folder, `cut ${number}`);
    mkdirSync(directory);
    disk.cut(steps, random, directory);
    const place = openPlace(directory);
    const found = await listBackups(place);
    const complete = found.filter(({ isComplete }) => isComplete).map(({ id }) => id);
    const situation = `cut ${number} after step ${steps}`;
    expect(complete, situation).toEqual(
      expect.arrayContaining(kept.filter(({ from, until }) => from <= steps && steps <= until).map(({ id }) => id)),
    );
    for (const { id, isComplete } of found) {
      if (isComplete) expect(await findProblems(place, id), situation).toEqual([]);
      else {
        incomplete += 1;
        await expect(findProblems(place, id), situation).rejects.toThrow(`${directory} has no complete backup ${id}`);
      }
    }
    expect(await findProblems(place, await backUp(place)), `${situation}, the next backup`).toEqual([]);
    rmSync(directory, { recursive: true });
  }
  expect(incomplete).toBeGreaterThan(0);
}, 60_000);
