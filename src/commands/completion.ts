// taxiway completion: prints a script that completes commands in a shell.
import { Argument, Command } from 'commander';
import type { CatalogEntry } from './client-catalog.ts';
import { writeBashCompletion } from './completion/bash.ts';
import { writeFishCompletion } from './completion/fish.ts';
import { buildCompletionTree } from './completion/tree.ts';
import { writeZshCompletion } from './completion/zsh.ts';
import type { CommandHost } from './host.ts';

const writers = { bash: writeBashCompletion, zsh: writeZshCompletion, fish: writeFishCompletion };

export type Shell = keyof typeof writers;

const EXAMPLES = `
Examples:
  taxiway completion bash > ~/.local/share/bash-completion/completions/taxiway
  taxiway completion zsh > ~/.zfunc/_taxiway
  taxiway completion fish > ~/.config/fish/completions/taxiway.fish

With zsh, the folder must be in $fpath before compinit is called.
`;

export function buildCompletionCommand(host: CommandHost, catalog: readonly CatalogEntry[]): Command {
  return new Command('completion')
    .description(
      'Prints a script that completes commands, options and their values in a shell. Print it again after an upgrade.',
    )
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(writers)))
    .addHelpText('after', EXAMPLES)
    .action(async (shell: Shell) => host.print(await writeCompletion(shell, host, catalog)));
}

/** Returns the script for a shell. */
export async function writeCompletion(
  shell: Shell,
  host: CommandHost,
  catalog: readonly CatalogEntry[],
): Promise<string> {
  return writers[shell](await buildCompletionTree(catalog, host));
}
