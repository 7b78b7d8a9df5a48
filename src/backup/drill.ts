// Restores a backup into a temporary folder, reads everything back, and deletes the folder.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Config } from '../config.ts';
import { wrap } from '../data/database.ts';
import { migrationStatus } from '../data/migrate.ts';
import { systemClock } from '../lib/clock.ts';
import { acquireLocks } from '../runtime/lock.ts';
import { createSecrets } from '../runtime/secrets.ts';
import { openLocalStorage } from '../storage/local/backend.ts';
import { listStoredObjects } from '../storage/stored-objects.ts';
import { BackupDamaged } from './format.ts';
import { backupLock, drillLock } from './lock.ts';
import { type RestoreJob, type RestoreResult, restoreBackup } from './restore.ts';

const FOLDER = '.drill-';

/**
 * Proves that a backup can be restored, beside the data folder. One runs at a time, and not beside a backup or a restore.
 * Throws InUseError, what `restoreBackup` throws, and BackupDamaged if the
 * restored database refers to an object that the backup should have and doesn't.
 */
export async function drillBackup(job: RestoreJob): Promise<RestoreResult> {
  const release = acquireLocks([backupLock(job.config)], job.nativeBinding);
  try {
    const mark = drillLock(job.config);
    const unmark = acquireLocks([mark], job.nativeBinding);
    try {
      return await drill(job);
    } finally {
      unmark();
      rmSync(mark.lockFile, { force: true });
    }
  } finally {
    release();
  }
}

async function drill(job: RestoreJob): Promise<RestoreResult> {
  const { server } = job.config;
  // Left behind by a killed drill.
  for (const name of readdirSync(server.data_dir)) {
    if (name.startsWith(FOLDER)) rmSync(join(server.data_dir, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(server.data_dir, FOLDER));
  const config = temporaryInstallation(job.config, folder);
  try {
    const result = await restoreBackup({ ...job, config, isBesideServer: true });
    const { nativeBinding } = job;
    const client = new Sqlite(config.database.file, {
      readonly: true,
      ...(nativeBinding === undefined ? {} : { nativeBinding }),
    });
    try {
      migrationStatus(client);
      await compareObjects(client, config, result);
    } finally {
      client.close();
    }
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function temporaryInstallation(config: Config, folder: string): Config {
  return {
    ...config,
    // The real key may be left out of the backup; the drill decrypts nothing.
    server: { ...config.server, data_dir: folder, secret_key: config.server.secret_key || 'x'.repeat(32) },
    database: { ...config.database, file: join(folder, 'taxiway.db') },
    storage: { ...config.storage, local: { ...config.storage.local, directory: join(folder, 'blobs') } },
  };
}

/** Every object of the restored database is there, or counted by the backup as elsewhere or missing. */
async function compareObjects(client: Sqlite.Database, config: Config, { manifest }: RestoreResult): Promise<void> {
  const storage = openLocalStorage({
    directory: config.storage.local.directory,
    baseUrl: '',
    clock: systemClock,
    keyring: createSecrets(Buffer.alloc(32)).keyring,
  });
  let absent = 0;
  for (const { key } of listStoredObjects({ db: wrap(client) })) {
    if ((await storage.head(key)) === undefined) absent += 1;
  }
  const expected = manifest.elsewhere + manifest.missing + (manifest.deleted ?? 0);
  if (absent > expected) throw new BackupDamaged(`${absent - expected} objects of the database are not in the backup`);
}
