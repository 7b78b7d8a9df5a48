// Restores the database of a replica into an empty data folder, with Litestream's own program.
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { lockForRestore } from '../backup/lock.ts';
import { flush } from '../backup/restore.ts';
import { refuseExisting } from '../backup/restore-folders.ts';
import type { Config } from '../config.ts';
import { findDamage } from '../data/damage.ts';
import { DatabaseTooNewError, migrationStatus } from '../data/migrate.ts';
import { describeInterruptedRestore, restoreMarkOf } from '../data/missing-database.ts';
import { timestamp } from '../lib/clock.ts';
import { Refusal } from '../lib/failure.ts';
import { createRestoreFolder, removeLeftRestores } from '../runtime/left-behind.ts';
import { litestreamEnvironment, renderLitestreamConfig } from './files.ts';
import { litestreamFolderOf } from './position.ts';
import { findProgram, runLitestream } from './program.ts';

export type ReplicaRestoreJob = {
  /** The installation to create. It has the target, and the secret key. */
  config: Config;
  /** Restore the state at this moment instead of the newest. */
  at: Date | undefined;
  env: Readonly<Record<string, string | undefined>>;
  nativeBinding: string | undefined;
};

export type ReplicaRestoreResult = {
  bytes: number;
  /** When the newest recorded event happened; null without any. */
  newestEventAt: string | null;
};

/**
 * Restores the database. It's written beside its place and renamed at the end, so an interrupted restore leaves no database.
 * Throws InUseError, LockFileError, Refusal, DatabaseTooNewError, or the file system's error.
 */
export async function restoreReplica(job: ReplicaRestoreJob): Promise<ReplicaRestoreResult> {
  const program = checkStart(job);
  const release = lockForRestore(job.config, () => checkTarget(job.config), job.nativeBinding);
  try {
    checkTarget(job.config);
    return await restore(job, program);
  } finally {
    release();
  }
}

/** Returns Litestream's program. Throws Refusal if something is missing. */
function checkStart({ config: { replication }, env }: ReplicaRestoreJob): string {
  if (replication.target === '') throw new Refusal('replication.target is empty, so there is no replica to restore');
  const program = findProgram(replication.program, env);
  if (program !== undefined) return program;
  throw new Refusal(
    `Litestream isn't found as "${replication.program}": install version 0.3.13, or name its program with replication.program`,
  );
}

/** The packages may be there already, because a replica has none. Throws Refusal. */
function checkTarget(config: Config): void {
  const { server } = config;
  if (existsSync(restoreMarkOf(server.data_dir))) {
    throw new Refusal(describeInterruptedRestore(server.data_dir));
  }
  refuseExisting(config, { allowsPackages: true });
  const key = join(server.data_dir, 'secret.key');
  if (server.secret_key !== '' || existsSync(key)) return;
  throw new Refusal(`a replica has no secret key: copy the server's to ${key}, or set server.secret_key`);
}

async function restore(
  { config, at, env, nativeBinding }: ReplicaRestoreJob,
  program: string,
): Promise<ReplicaRestoreResult> {
  const { file } = config.database;
  removeLeftRestores(file);
  const folder = createRestoreFolder(file);
  try {
    const settings = join(folder, 'litestream.yml');
    writeFileSync(settings, renderLitestreamConfig(config, { database: file }), { mode: 0o600 });
    const copy = join(folder, 'database');
    const words = ['restore', '-no-expand-env', '-config', settings, '-o', copy];
    const moment = at === undefined ? [] : ['-timestamp', at.toISOString()];
    const environment = { ...env, ...litestreamEnvironment(config) };
    const failure = await runLitestream(program, [...words, ...moment, file], environment);
    if (failure !== undefined) {
      throw new Refusal(`Litestream can't restore ${config.replication.target}: ${failure}; nothing was restored`);
    }
    const newestEventAt = examine(copy, nativeBinding);
    await flush(copy);
    // They are of another database with the same name.
    rmSync(litestreamFolderOf(file), { recursive: true, force: true });
    renameSync(copy, file);
    await flush(dirname(file));
    return { bytes: statSync(file).size, newestEventAt };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks the restored database. Returns when its newest event happened. Throws Refusal or DatabaseTooNewError. */
function examine(copy: string, nativeBinding: string | undefined): string | null {
  const client = new Sqlite(copy, nativeBinding === undefined ? {} : { nativeBinding });
  try {
    client.pragma('trusted_schema = OFF');
    const [problem] = findDamage(client, 'quick_check');
    if (problem !== undefined) throw new Refusal(`the restored database is damaged (${problem}); nothing was restored`);
    const { unknown, applied } = migrationStatus(client);
    if (applied.length === 0) throw new Refusal(`the replica has no database of Taxiway; nothing was restored`);
    if (unknown.length > 0) {
      throw new DatabaseTooNewError(
        `the replica was written by a newer version of Taxiway (it has ${unknown.join(', ')}): install that version`,
      );
    }
    const newest = client
      .prepare<[], number>('SELECT timestamp FROM audit_events ORDER BY id DESC LIMIT 1')
      .pluck()
      .get();
    return newest === undefined ? null : timestamp(newest);
  } finally {
    client.close();
  }
}
