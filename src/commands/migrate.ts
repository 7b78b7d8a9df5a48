// taxiway migrate: applies database migrations, or shows their status.
import { Command } from 'commander';
import type { Config } from '../config.ts';
import { embeddedMigrations, migrateDatabase, migrationStatus } from '../data/migrate.ts';
import { systemClock } from '../lib/clock.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';
import { explainFailure, openDatabaseForReading, openDatabaseForWriting } from './open-app.ts';

interface MigrateOptions extends ConfigOptions {
  status?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway migrate --status
  taxiway migrate --config /etc/taxiway/config.toml

"taxiway serve" applies migrations automatically. Before the first change, a copy of the database is saved next to it.
`;

export function buildMigrateCommand(host: CommandHost): Command {
  return addConfigOption(new Command('migrate'))
    .description('Applies pending database migrations.')
    .option('--status', 'show applied and pending migrations without applying any')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: MigrateOptions) => {
      const config = loadCommandConfig(host, options);
      return explainFailure(config, () => (options.status === true ? printStatus : migrate)(host, config, options));
    });
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
  for (const [state, names] of Object.entries(status)) {
    for (const name of names) host.print(`${state.padEnd(7)}  ${name}\n`);
  }
}

function migrate(host: CommandHost, config: Config, options: MigrateOptions): void {
  const client = openDatabaseForWriting(config);
  try {
    const applied = migrateDatabase(client, systemClock);
    if (applied.length === 0) host.say('The database is up to date.\n');
    const lines = applied.map((name) => `applied  ${name}\n`).join('');
    host.print(options.json === true ? `${JSON.stringify({ applied }, null, 2)}\n` : lines);
  } finally {
    client.close();
  }
}
