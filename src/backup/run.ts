// Runs a backup from start to end: one at a time, with its result recorded for the operator, and old backups deleted afterwards.
import type Sqlite from 'better-sqlite3';
import type { Config } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { describeFailure } from '../lib/failure.ts';
import { acquireLocks, InUseError } from '../runtime/lock.ts';
import { createSecrets } from '../runtime/secrets.ts';
import { openStorage } from '../storage/open.ts';
import { createPlaces } from '../storage/places.ts';
import { type BackupProgress, type BackupResult, createBackup } from './create.ts';
import { createSeal } from './encryption.ts';
import { withFileIndex } from './file-index.ts';
import { backupLock, hasBackupLock } from './lock.ts';
import { openPlaceForWriting, resolvePlace } from './open-place.ts';
import { deleteOldBackups } from './retention.ts';
import { endInterruptedRuns, finishRun, hasUnfinishedRun, insertFailedRun, insertRun, NO_RESULT } from './run-store.ts';
import { serverMarkOf } from './server-mark.ts';

export type RunOptions = {
  config: Config;
  /** A connection that can write, to an up-to-date database. */
  client: Sqlite.Database;
  /** A folder or `s3://bucket/prefix`; the configured one by default. */
  place?: string;
  cwd: string;
  now: () => number;
  nativeBinding: string | undefined;
  onProgress?: (progress: BackupProgress) => void;
};

export type RunResult = BackupResult & { place: string; deleted: number };

/** Creates a backup and deletes old ones. Throws InUseError while another runs, Refusal, StorageError, or the system's error. */
export async function runBackup(options: RunOptions): Promise<RunResult> {
  const { config, client, now } = options;
  const place = resolvePlace(options.place ?? config.backup.directory, options.cwd);
  const release = acquireLock(options, place);
  try {
    endInterruptedRuns(client, now());
    const run = insertRun(client, { startedAt: now(), place });
    try {
      const result = await createAndCleanUp(options, place);
      finishRun(client, run, {
        state: 'succeeded',
        finishedAt: now(),
        backupId: result.manifest.id,
        addedBytes: result.addedBytes,
        totalBytes: result.totalBytes,
        objects: result.manifest.objects.count,
        problem: result.warnings[0] ?? null,
      });
      return result;
    } catch (error) {
      finishRun(client, run, { ...NO_RESULT, state: 'failed', finishedAt: now(), problem: describeWithCause(error) });
      throw error;
    }
  } finally {
    release();
  }
}

/** Records why there is no backup, unless another backup has the lock: the operator sees that one. */
function acquireLock({ config, client, now, nativeBinding }: RunOptions, place: string): () => void {
  const startedAt = now();
  try {
    return acquireLocks([backupLock(config)], nativeBinding);
  } catch (error) {
    if (!(error instanceof InUseError && hasUnfinishedRun(client) && hasBackupLock(config, nativeBinding))) {
      insertFailedRun(client, { startedAt, place }, { finishedAt: now(), problem: describeWithCause(error) });
    }
    throw error;
  }
}

async function createAndCleanUp(options: RunOptions, name: string): Promise<RunResult> {
  const { config, client, now, nativeBinding } = options;
  const seal = createSeal(config.backup.recipients);
  const place = await openPlaceForWriting(name, config, options.cwd);
  // It signs no links, so its keys don't matter.
  const { keyring } = createSecrets(Buffer.alloc(32));
  const opened = await openStorage(config, {
    keyring,
    clock: systemClock,
    places: createPlaces(client),
    database: client,
  });
  try {
    const startedAt = new Date(now());
    const cleanUp = () =>
      withFileIndex(config.server.data_dir, nativeBinding, (index) =>
        deleteOldBackups(place, {
          keep: config.backup.keep,
          // If the clock was set back in the meantime, the new backup isn't one from the future.
          now: new Date(Math.max(now(), startedAt.getTime())),
          index,
          server: serverMarkOf(client),
        }),
      );
    const result = await createBackup({
      config,
      client,
      storage: opened.storage,
      place,
      seal,
      now: startedAt,
      nativeBinding,
      ...(options.onProgress && { onProgress: options.onProgress }),
    }).catch(async (error: unknown) => {
      // A full place would otherwise stay full: with what failed backups left, and with old ones after `keep` was lowered.
      await cleanUp().catch(() => undefined);
      throw error;
    });
    // The new backup is there, even if this fails.
    const { deleted, foreign, problem } = await cleanUp().catch((error: unknown) => ({
      deleted: 0,
      foreign: 0,
      problem: `old backups weren't deleted: ${describeWithCause(error)}`,
    }));
    const warnings = problem === undefined ? [...result.warnings] : [...result.warnings, problem];
    if (foreign > 0) warnings.push(`the place has backups of other servers, which weren't deleted: ${foreign}`);
    return { ...result, warnings, deleted, place: place.name };
  } finally {
    opened.close();
    place.close();
  }
}

/** A failure of the storage has its reason in its cause. */
export function describeWithCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${describeFailure(error)}${cause}`;
}
