// taxiway sweep: runs one clean-up now, or lists them.
import { Command } from 'commander';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { UsageError } from './failure.ts';
import type { CommandHost } from './host.ts';
import { withApp } from './opening.ts';
import { formatTable } from './table.ts';

interface SweepOptions extends ConfigOptions {
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway sweep
  taxiway sweep pending-uploads --json

A running server sweeps by itself; running one by hand beside it does no harm.
`;

export function buildSweepCommand(host: CommandHost): Command {
  return addConfigOption(new Command('sweep'))
    .description('Runs one clean-up now; without a name it lists them with their schedules.')
    .argument('[name]', 'which clean-up')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLES)
    .action((name: string | undefined, options: SweepOptions) => sweep(host, name, options));
}

async function sweep(host: CommandHost, name: string | undefined, options: SweepOptions): Promise<void> {
  const [{ sweeps }, { runSweep }] = await Promise.all([import('../sweeps.ts'), import('../platform/sweeps.ts')]);
  if (name === undefined) {
    const rows = sweeps.map((one) => ({ name: one.name, schedule: one.schedule }));
    const table = formatTable(rows.map((row) => [row.name, row.schedule]));
    host.print(options.json === true ? `${JSON.stringify(rows, null, 2)}\n` : table);
    return;
  }
  const chosen = sweeps.find((one) => one.name === name);
  if (chosen === undefined) {
    throw new UsageError(`there is no sweep "${name}"; there are: ${sweeps.map((one) => one.name).join(', ')}`);
  }
  const removed = await withApp(loadCommandConfig(host, options), ({ app }) => runSweep(app, chosen));
  host.print(
    options.json === true ? `${JSON.stringify({ name, removed }, null, 2)}\n` : `${name}: ${removed} removed\n`,
  );
}
