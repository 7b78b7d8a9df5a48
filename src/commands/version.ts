// taxiway version: prints version information.
import { Command } from 'commander';
import { version } from '../lib/version.ts';
import type { CommandHost } from './host.ts';

const EXAMPLES = `
Example:
  taxiway version --json
`;

export function buildVersionCommand(host: CommandHost): Command {
  return new Command('version')
    .description('Prints the version, commit and build time of this program.')
    .option('--json', 'print them as JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: { json?: boolean }) => {
      const { version: number, commit, builtAt } = version;
      const json = `${JSON.stringify({ version: number, commit, built_at: builtAt }, null, 2)}\n`;
      host.print(options.json === true ? json : `taxiway ${number} (${[commit, builtAt ?? []].flat().join(', ')})\n`);
    });
}
