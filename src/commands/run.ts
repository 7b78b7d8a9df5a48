// Runs a subcommand of `taxiway` and returns its exit code: 0 for success, 1 for failure, 2 for incorrect usage.
import { CATALOG, HIDDEN } from './catalog.ts';
import type { CommandHost } from './host.ts';
import { runProgram } from './program.ts';

const EXAMPLES = `
Examples:
  taxiway serve
  taxiway upload app.apk --project "My App" --channel beta --notes-file notes.md

Run "taxiway COMMAND --help" for details of a command.
`;

/** Runs `taxiway` with the given arguments. Never throws for errors that a user can cause. */
export function runTaxiway(args: readonly string[], host: CommandHost): Promise<number> {
  return runProgram({ catalog: CATALOG, hidden: HIDDEN, examples: EXAMPLES }, args, host);
}
