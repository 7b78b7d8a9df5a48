// taxiway backup, restore and run-backup: creates, lists, tries and restores backups.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { Command } from 'commander';
import type { Unseal } from '../backup/encryption.ts';
import type { RestoreJob, RestoreResult } from '../backup/restore.ts';
import type { RunResult } from '../backup/run.ts';
import type { Config } from '../config.ts';
import { StorageError } from '../core/storage.ts';
import { addonOf } from '../data/addon.ts';
import { migrationStatus } from '../data/migrate.ts';
import { countOf } from '../lib/count.ts';
import { describeUnreadable, Refusal, UsageError } from '../lib/failure.ts';
import { formatBytes } from '../lib/formats.ts';
import { findOwner } from '../runtime/data-owner.ts';
import { InUseError } from '../runtime/lock.ts';
import { readPlace } from './backup-place.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { type CommandHost, plainText } from './host.ts';
import { explainFailure, openDatabaseForWriting } from './open-app.ts';
import { createProgressLines } from './progress.ts';
import { readMoment, restoreFromReplica, sayOwner } from './restore-replica.ts';
import { formatTable } from './table.ts';

interface BackupOptions extends ConfigOptions {
  list?: boolean;
  drill?: boolean;
  identity?: string;
  json?: boolean;
}

interface RestoreOptions extends ConfigOptions {
  backup?: string;
  identity?: string;
  leaveOutDamaged?: boolean;
  fromReplica?: boolean;
  timestamp?: Date;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway backup
  taxiway backup /mnt/backups/taxiway
  taxiway backup taxiway.backup
  taxiway backup s3://company-backups/taxiway --json
  taxiway backup --list
  taxiway backup --drill --identity /root/taxiway-backup.key

Works while the server runs. Without a place, backup.directory of the configuration is used. A backup has the database, the
packages and images in the server's folder, and the secret key. It doesn't include config.toml, or packages in a bucket or in
containers of organizations. The exit code is 1 if no backup was created.
`;

const RESTORE_EXAMPLES = `
Examples:
  taxiway restore /mnt/backups/taxiway
  taxiway restore s3://company-backups/taxiway --backup 20260301T030000.000Z-1f2e3d4c
  taxiway restore /mnt/backups/taxiway --identity /root/taxiway-backup.key
  taxiway restore --from-replica
  taxiway restore --from-replica --timestamp 2026-03-01T12:00:00Z

Without --backup, the newest complete backup is restored, into server.data_dir of the configuration, which must be empty. All of
the backup is read and compared with its checksums before anything is written. If packages or images are damaged, nothing is restored;
with --leave-out-damaged, they are missing afterwards. A replica has only the database: copy the secret key into
the data folder first. Packages can be there too.
`;

export function buildBackupCommand(host: CommandHost): Command {
  return addConfigOption(new Command('backup'))
    .description('Creates a backup of the server, and deletes old ones.')
    .argument('[place]', 'a folder, a file that ends with .backup, or s3://BUCKET/PREFIX', readPlace)
    .option('--list', 'list the backups of the place instead')
    .option('--drill', 'restore the newest backup into a temporary folder, compare it and delete it')
    .option('--identity <file>', 'file with the secret key of age, for --drill with an encrypted backup')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLES)
    .action((place: string | undefined, options: BackupOptions) => backup(host, place, options));
}

export function buildRestoreCommand(host: CommandHost): Command {
  return addConfigOption(new Command('restore'))
    .description('Restores a backup, or a replica, into an empty data folder.')
    .argument('[place]', 'a folder, a file that ends with .backup, or s3://BUCKET/PREFIX', readPlace)
    .option('--backup <id>', 'the backup to restore instead of the newest')
    .option('--identity <file>', 'file with the secret key of age, for an encrypted backup')
    .option('--leave-out-damaged', 'if packages or images are damaged in the backup, restore everything else')
    .option('--from-replica', 'restore the database of replication.target instead, with Litestream')
    .option('--timestamp <time>', 'the moment to restore, for --from-replica; the newest by default', readMoment)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', RESTORE_EXAMPLES)
    .action((place: string | undefined, options: RestoreOptions) => restore(host, place, options));
}

/** The command that a running server starts. Reads the configuration from stdin. */
export function buildRunBackupCommand(host: CommandHost): Command {
  return new Command('run-backup')
    .description('Creates a backup with the configuration from stdin, and prints the result as JSON.')
    .action(async () => {
      host.lowerPriority();
      let text = '';
      for await (const chunk of host.stdin) text += chunk;
      const config = JSON.parse(text) as Config;
      try {
        const { warnings } = await create(host, config, undefined);
        host.print(`${JSON.stringify({ warnings })}\n`);
      } catch (error) {
        const { describeWithCause } = await import('../backup/run.ts');
        host.print(
          `${JSON.stringify({ problem: describeWithCause(error), is_in_use: error instanceof InUseError })}\n`,
        );
      }
    });
}

async function backup(host: CommandHost, given: string | undefined, options: BackupOptions): Promise<void> {
  if (options.list === true && options.drill === true) throw new UsageError('--drill: use either this or --list');
  if (options.identity !== undefined && options.drill !== true) throw new UsageError('--identity is for --drill');
  const config = loadCommandConfig(host, options);
  const place = given ?? config.backup.directory;
  if (options.list === true) return list(host, config, place, options);
  if (options.drill === true) return drill(host, config, place, options);
  host.lowerPriority();
  const owner = place.startsWith('s3://') ? undefined : findOwner(config.server.data_dir, resolve(host.cwd, place));
  // What root writes beside the backups of the server, the server couldn't write.
  if (owner !== undefined) host.becomeAccount(owner);
  const result = await explainBackup(config, () => create(host, config, place));
  const { manifest, warnings, deleted } = result;
  if (options.json === true) host.print(`${JSON.stringify(describeResult(result), null, 2)}\n`);
  else {
    const size = describeSize(manifest.objects.count, result.totalBytes);
    host.print(
      `backup ${manifest.id} created in ${result.place}: ${size}, ${formatBytes(result.addedBytes, 'en')} of it new\n`,
    );
    if (deleted > 0) host.print(`${countOf(deleted, 'older backup')} deleted\n`);
    if (manifest.elsewhere > 0) {
      host.print(`${manifest.elsewhere} objects are in a bucket or in containers, and not part of it\n`);
    }
    if (manifest.secret_key === null) host.print('the secret key is not part of it: keep a copy elsewhere\n');
  }
  for (const warning of warnings) host.say(`${plainText(warning)}\n`);
}

async function create(host: CommandHost, config: Config, place: string | undefined): Promise<RunResult> {
  const { runBackup } = await import('../backup/run.ts');
  const client = openDatabaseForWriting(config);
  const say = createProgressLines(host);
  try {
    refuseEarlierVersion(client);
    return await runBackup({
      config,
      client,
      ...(place === undefined ? {} : { place }),
      cwd: host.cwd,
      now: () => host.now(),
      nativeBinding: addonOf(config),
      onProgress: ({ objects, addedBytes }) => {
        say(() => `${objects} objects, ${formatBytes(addedBytes, 'en')} written`);
      },
    });
  } finally {
    client.close();
  }
}

/** Its database lacks the table that backups are recorded in, or others that are read. Throws Refusal. */
function refuseEarlierVersion(client: Sqlite.Database): void {
  const { length } = migrationStatus(client).waiting;
  if (length === 0) return;
  throw new Refusal(
    `the database has ${countOf(length, 'pending migration')}: create the backup with the version that wrote it, or run "taxiway migrate" first`,
  );
}

function describeResult({ manifest, addedBytes, totalBytes, warnings, deleted, place }: RunResult) {
  return {
    backup: manifest.id,
    place,
    objects: manifest.objects.count,
    total_bytes: totalBytes,
    added_bytes: addedBytes,
    elsewhere: manifest.elsewhere,
    missing: manifest.missing,
    has_secret_key: manifest.secret_key !== null,
    deleted,
    warnings,
  };
}

async function list(host: CommandHost, config: Config, name: string, options: BackupOptions): Promise<void> {
  const [{ openPlaceForReading }, { listBackups, loadManifest }, { backupBytes, BackupDamaged }] = await Promise.all([
    import('../backup/open-place.ts'),
    import('../backup/catalog.ts'),
    import('../backup/format.ts'),
  ]);
  const place = await explainBackup(config, () => openPlaceForReading(name, config, host.cwd));
  const rows: {
    backup: string;
    state: string;
    created_at: string | null;
    taxiway: string | null;
    objects: number | null;
    bytes: number | null;
  }[] = [];
  await explainBackup(config, async () => {
    for (const { id, isComplete } of await listBackups(place)) {
      const nothing = { backup: id, created_at: null, taxiway: null, objects: null, bytes: null };
      try {
        if (!isComplete) rows.push({ ...nothing, state: 'incomplete' });
        else {
          const manifest = await loadManifest(place, id);
          const { created_at, taxiway, objects } = manifest;
          rows.push({
            backup: id,
            state: 'complete',
            created_at,
            taxiway,
            objects: objects.count,
            bytes: backupBytes(manifest),
          });
        }
      } catch (error) {
        if (!(error instanceof BackupDamaged)) throw error;
        rows.push({ ...nothing, state: 'damaged' });
      }
    }
  }).finally(() => place.close());
  if (options.json === true) host.print(`${JSON.stringify(rows, null, 2)}\n`);
  else {
    if (rows.length === 0) host.say('No backups.\n');
    host.print(
      formatTable(
        rows.map(({ backup: id, state, objects, bytes }) =>
          objects === null || bytes === null ? [id, state] : [id, state, describeSize(objects, bytes)],
        ),
      ),
    );
  }
}

async function drill(host: CommandHost, config: Config, name: string, options: BackupOptions): Promise<void> {
  const { drillBackup } = await import('../backup/drill.ts');
  const result = await withRestoreJob(host, config, name, options, drillBackup);
  await printRestored(host, result, options.json === true, 'restored into a temporary folder, compared and deleted');
}

async function restore(host: CommandHost, given: string | undefined, options: RestoreOptions): Promise<void> {
  if (options.fromReplica === true) {
    if (options.leaveOutDamaged === true)
      throw new UsageError('--leave-out-damaged is for a backup, not for a replica');
    return restoreFromReplica(host, given, options);
  }
  if (options.timestamp !== undefined) throw new UsageError('--timestamp is for --from-replica');
  const config = loadCommandConfig(host, options);
  const { restoreBackup } = await import('../backup/restore.ts');
  const result = await withRestoreJob(host, config, given ?? config.backup.directory, options, restoreBackup);
  await printRestored(host, result, options.json === true, `restored into ${config.server.data_dir}`);
  if (result.manifest.elsewhere > 0) {
    host.say(`${result.manifest.elsewhere} objects are in a bucket or in containers: configure them as before\n`);
  }
  if (result.leftOut > 0) {
    host.say(
      `${countOf(result.leftOut, 'object')} damaged in the backup and not restored; "taxiway verify" lists missing packages\n`,
    );
  }
  sayOwner(host, config);
  host.say('run "taxiway check" before starting the server\n');
}

/** Every command describes a backup the same way, so that its size can be compared. */
const describeSize = (objects: number, bytes: number): string => `${objects} objects, ${formatBytes(bytes, 'en')}`;

async function printRestored(
  host: CommandHost,
  { manifest, objects, leftOut }: RestoreResult,
  isJson: boolean,
  done: string,
): Promise<void> {
  const { backupBytes } = await import('../backup/format.ts');
  const bytes = backupBytes(manifest);
  const facts = { backup: manifest.id, created_at: manifest.created_at, objects, bytes, left_out: leftOut };
  if (isJson) host.print(`${JSON.stringify(facts, null, 2)}\n`);
  else host.print(`backup ${manifest.id} ${done}: ${describeSize(objects, bytes)}\n`);
}

async function withRestoreJob(
  host: CommandHost,
  config: Config,
  name: string,
  options: { backup?: string; identity?: string; leaveOutDamaged?: boolean },
  work: (job: RestoreJob) => Promise<RestoreResult>,
): Promise<RestoreResult> {
  const { openPlaceForReading } = await import('../backup/open-place.ts');
  const unseal = await loadIdentities(host, options.identity);
  const place = await explainBackup(config, () => openPlaceForReading(name, config, host.cwd));
  const say = createProgressLines(host);
  try {
    return await explainBackup(config, () =>
      work({
        config,
        place,
        id: options.backup,
        unseal,
        leavesOutDamaged: options.leaveOutDamaged === true,
        nativeBinding: addonOf(config),
        onProgress: (step, files, bytes) => {
          say(() => `${files} files ${step === 'verify' ? 'verified' : 'restored'} (${formatBytes(bytes, 'en')})`);
        },
      }),
    );
  } finally {
    place.close();
  }
}

/** Reads the secret keys of a file; undefined without one. Throws Refusal. */
export async function loadIdentities(host: CommandHost, file: string | undefined): Promise<Unseal | undefined> {
  if (file === undefined) return undefined;
  const { readIdentities } = await import('../backup/encryption.ts');
  const path = resolve(host.cwd, file);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Refusal(describeUnreadable(file, error));
  }
  return readIdentities(path, text);
}

/** Turns errors that an operator can fix into one-line refusals. */
export async function explainBackup<T>(config: Config, work: () => Promise<T>): Promise<T> {
  const [{ BackupDamaged }, { describeWithCause }] = await Promise.all([
    import('../backup/format.ts'),
    import('../backup/run.ts'),
  ]);
  try {
    return await explainFailure(config, work);
  } catch (error) {
    if (error instanceof BackupDamaged || error instanceof StorageError) throw new Refusal(describeWithCause(error));
    throw error;
  }
}
