// taxiway migrate: applies database migrations, tries them on a copy, goes back, or shows their status.
import { realpathSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command, Option } from 'commander';
import { headFileOf } from '../audit/chain-heads.ts';
import type { Config } from '../config.ts';
import { addonOf } from '../data/addon.ts';
import { openDatabase } from '../data/database.ts';
import { completeDowngrade, countLosses, DowngradeError, findSavedCopy, restoreSavedCopy } from '../data/downgrade.ts';
import { embeddedMigrations, migrateDatabase, migrationStatus } from '../data/migrate.ts';
import { NoRoomError, type Rehearsal, rehearseUpgrade } from '../data/rehearsal.ts';
import { systemClock, timestamp } from '../lib/clock.ts';
import { Refusal, UsageError } from '../lib/failure.ts';
import { formatBytes } from '../lib/formats.ts';
import { acquireLocks } from '../runtime/lock.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';
import {
  databaseOptionsOf,
  explainFailure,
  openDatabaseForReading,
  openDatabaseForWriting,
  openOrCreateDatabase,
  requireDatabase,
} from './open-app.ts';

interface MigrateOptions extends ConfigOptions {
  status?: boolean;
  check?: boolean;
  undo?: boolean;
  yes?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway migrate --status
  taxiway migrate --check
  taxiway migrate --config /etc/taxiway/config.toml
  taxiway migrate --undo --yes

"taxiway serve" applies migrations automatically. Before the first change, a copy of the database is saved next to it.

--check migrates a copy of the database and deletes it. It works while the server of the previous version runs, and prints how long
the upgrade takes on this machine and how much disk space it needs.

--undo goes back to the copy that was saved before the last upgrade, for the previous version. What the database has and the copy
doesn't is lost; without --yes, it is only listed. The server has to be stopped.
`;

export function buildMigrateCommand(host: CommandHost): Command {
  return addConfigOption(new Command('migrate'))
    .description('Applies pending database migrations.')
    .addOption(new Option('--status', 'show applied and pending migrations without applying any'))
    .addOption(new Option('--check', 'try the pending migrations on a copy of the database').conflicts(['status']))
    .addOption(new Option('--undo', 'go back to the copy saved before the last upgrade').conflicts(['status', 'check']))
    .option('--yes', 'confirm --undo')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: MigrateOptions) => {
      const config = loadCommandConfig(host, options);
      if (options.yes === true && options.undo !== true) throw new UsageError('--yes is only for --undo');
      return explainFailure(config, () => actionOf(options)(host, config, options));
    });
}

function actionOf({ status, check, undo }: MigrateOptions) {
  if (status === true) return printStatus;
  if (check === true) return rehearse;
  return undo === true ? goBack : migrate;
}

function printStatus(host: CommandHost, config: Config, options: MigrateOptions): void {
  const client = openDatabaseForReading(config);
  const waiting = embeddedMigrations().map((migration) => migration.name);
  const status = client === undefined ? { applied: [], waiting, unknown: [] } : migrationStatus(client);
  client?.close();
  if (options.json === true) {
    host.print(`${JSON.stringify(status, null, 2)}\n`);
    return;
  }
  const { applied, waiting: pending, unknown } = status;
  for (const [state, names] of Object.entries({ applied, pending, unknown })) {
    for (const name of names) host.print(`${state.padEnd(7)}  ${name}\n`);
  }
}

function migrate(host: CommandHost, config: Config, options: MigrateOptions): void {
  const client = openOrCreateDatabase(config);
  try {
    const applied = migrateDatabase(client, systemClock);
    if (applied.length === 0) host.say('The database is up to date.\n');
    const lines = applied.map((name) => `applied  ${name}\n`).join('');
    host.print(options.json === true ? `${JSON.stringify({ applied }, null, 2)}\n` : lines);
  } finally {
    client.close();
  }
}

function rehearse(host: CommandHost, config: Config, options: MigrateOptions): void {
  requireDatabase(config);
  const client = openDatabaseForReading(config);
  if (client === undefined) throw new Refusal(`there is no database ${config.database.file}`);
  let result: Rehearsal | undefined;
  const { file } = config.database;
  const lock = {
    lockFile: `${file}.rehearsal.lock`,
    name: file,
    refusal: 'another "taxiway migrate --check" is running',
  };
  const release = acquireLocks([lock], addonOf(config));
  try {
    result = rehearseUpgrade({
      client,
      open: (file) => openDatabase({ ...databaseOptionsOf(config), file }),
      clock: systemClock,
      elapsed: () => performance.now(),
    });
  } catch (error) {
    if (error instanceof NoRoomError) throw new Refusal(error.message);
    throw error;
  } finally {
    client.close();
    release();
    rmSync(lock.lockFile, { force: true });
  }
  if (options.json === true) {
    host.print(`${JSON.stringify(describeRehearsal(result), null, 2)}\n`);
  } else if (result === undefined) {
    host.say('The database is up to date.\n');
  } else {
    for (const name of result.migrations) host.print(`tried  ${name}\n`);
    const [copy, changes] = [result.copyMs, result.migrateMs].map((ms) => `${(ms / 1000).toFixed(1)} s`);
    const [needed, free] = [result.neededBytes, result.freeBytes].map((bytes) => formatBytes(bytes, 'en'));
    host.print(`The upgrade takes about ${copy} for the copy of the database and ${changes} for the migrations.\n`);
    if (result.backgroundRows > 0) {
      const rows = result.backgroundRows.toLocaleString('en');
      host.print(`Then the server counts ${rows} earlier rows while it runs. "taxiway check" shows how far it is.\n`);
    }
    host.print(`It needs ${needed} of disk space in ${dirname(config.database.file)}, and ${free} are free.\n`);
  }
  if (result !== undefined && result.neededBytes > result.freeBytes) {
    throw new Refusal('the upgrade needs more disk space than is free');
  }
}

function describeRehearsal(result: Rehearsal | undefined) {
  return {
    migrations: result?.migrations ?? [],
    copy_ms: Math.round(result?.copyMs ?? 0),
    migrate_ms: Math.round(result?.migrateMs ?? 0),
    background_rows: result?.backgroundRows ?? 0,
    needed_bytes: result?.neededBytes ?? 0,
    free_bytes: result?.freeBytes ?? null,
  };
}

function goBack(host: CommandHost, config: Config, options: MigrateOptions): void {
  const { file } = config.database;
  const isConfirmed = options.yes === true;
  const lock = { lockFile: `${file}.lock`, name: file, refusal: 'the server is running; stop it first' };
  const release = isConfirmed ? acquireLocks([lock], addonOf(config)) : () => undefined;
  const client = openDatabaseForWriting(config);
  try {
    const copy = findSavedCopy(client);
    if (copy === undefined) throw new Refusal(`there is no copy of ${file} from before an upgrade`);
    const losses = countLosses(client, copy);
    const undone = isConfirmed ? restoreSavedCopy(client, copy, [headFileOf('')]) : null;
    const savedAt = timestamp(copy.savedAt);
    if (options.json === true) {
      const lost = Object.fromEntries(losses.map(({ table, count }) => [table, count]));
      host.print(`${JSON.stringify({ copy: copy.file, saved_at: savedAt, lost, undone_file: undone }, null, 2)}\n`);
      return;
    }
    for (const { what, count } of losses) {
      if (count > 0) host.print(`${isConfirmed ? 'lost' : 'would be lost'}  ${count} ${what}\n`);
    }
    if (undone === null) {
      if (losses.every(({ count }) => count === 0)) host.print('Nothing was added since, so no rows would be lost.\n');
      host.say(`${copy.file} was saved at ${savedAt}. Changes of existing rows since then would be lost, too.\n`);
      host.say('To go back to it, stop the server and run the command again with --yes.\n');
      return;
    }
    host.print(`${file} is the copy saved at ${savedAt}\n`);
    host.say(`The upgraded database is ${undone}. Start the previous version of Taxiway.\n`);
  } catch (error) {
    if (!(error instanceof DowngradeError)) throw error;
    if (isConfirmed && completeDowngrade(realpathSync(file), [headFileOf('')])) {
      host.say('An interrupted "migrate --undo" is complete now. Start the previous version of Taxiway.\n');
      return;
    }
    throw new Refusal(error.message);
  } finally {
    client.close();
    release();
  }
}
