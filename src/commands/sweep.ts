// taxiway sweep: runs a cleanup job, or lists all jobs.

import type Sqlite from 'better-sqlite3';
import { Command } from 'commander';
import { type CleanupJobName, cleanupJobs } from '../cleanup-jobs.ts';
import type { Config } from '../config.ts';
import type { Sweep } from '../core/context.ts';
import { hasTable } from '../data/has-table.ts';
import { Refusal, UsageError } from '../lib/failure.ts';
import { describeHold } from '../runtime/clock-guard.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { type CommandHost, plainText } from './host.ts';
import { explainFailure, openDatabaseForReading, withApp } from './open-app.ts';
import { formatTable } from './table.ts';

interface SweepOptions extends ConfigOptions {
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway sweep
  taxiway sweep pending-uploads --json

A running server runs cleanup jobs automatically. You can safely run them manually at the same time.
`;

export function buildSweepCommand(host: CommandHost): Command {
  return addConfigOption(new Command('sweep'))
    .description('Runs a cleanup job. Without a name, lists all jobs with their schedules and last runs.')
    .argument('[name]', 'name of the job')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLES)
    .action((name: string | undefined, options: SweepOptions) => sweep(host, name, options));
}

async function sweep(host: CommandHost, name: string | undefined, options: SweepOptions): Promise<void> {
  const [{ listSweeps, sweeps }, { runSweep }] = await Promise.all([
    import('../sweeps.ts'),
    import('../core/sweeps.ts'),
  ]);
  if (name === undefined) {
    const config = loadCommandConfig(host, options);
    const rows = await describeRuns(config, listSweeps(config));
    host.print(options.json === true ? `${JSON.stringify(rows, null, 2)}\n` : formatTable(rows.map(toCells)));
    return;
  }
  const chosen = sweeps.find((one) => one.name === name);
  if (chosen === undefined) {
    throw new UsageError(`there is no cleanup job "${name}"; use one of: ${sweeps.map((one) => one.name).join(', ')}`);
  }
  const removed = await withApp(loadCommandConfig(host, options), ({ app }) => {
    const hold = chosen.deletesByAge === true ? app.clockGuard.observe() : undefined;
    if (hold !== undefined) throw new Refusal(`${name} was not run: ${describeHold(hold)}`);
    return runSweep(app, chosen);
  });
  host.print(
    options.json === true
      ? `${JSON.stringify({ name, removed }, null, 2)}\n`
      : `${name}: ${describeCount(chosen.name, removed)}\n`,
  );
}

interface SweepRow {
  name: CleanupJobName;
  schedule: string;
  last_run: { started_at: string; duration_ms: number; removed: number; error: string | null } | null;
}

type Run = NonNullable<SweepRow['last_run']> & { name: string };

/** Reads only. Without a database, nothing has run yet. */
function describeRuns(config: Config, sweeps: readonly Sweep[]): Promise<SweepRow[]> {
  return explainFailure(config, () => {
    const client = openDatabaseForReading(config);
    try {
      const runs = client === undefined ? [] : readRuns(client);
      return sweeps.map(({ name, schedule }) => {
        const { name: _, ...run } = runs.find((one) => one.name === name) ?? { name };
        return { name, schedule, last_run: 'started_at' in run ? run : null };
      });
    } finally {
      client?.close();
    }
  });
}

function readRuns(client: Sqlite.Database): Run[] {
  if (!hasTable(client, 'sweep_runs')) return [];
  const rows = client.prepare<[], Omit<Run, 'started_at'> & { started_at: number }>('SELECT * FROM sweep_runs').all();
  return rows.map((row) => ({ ...row, started_at: new Date(row.started_at).toISOString() }));
}

function describeCount(name: CleanupJobName, count: number): string {
  return `${count} ${cleanupJobs[name].result ?? 'removed'}`;
}

function toCells({ name, schedule, last_run: run }: SweepRow): string[] {
  if (run === null) return [name, schedule, 'never'];
  const outcome = run.error === null ? describeCount(name, run.removed) : `failed: ${plainText(run.error)}`;
  return [name, schedule, run.started_at, `${run.duration_ms} ms`, outcome];
}
