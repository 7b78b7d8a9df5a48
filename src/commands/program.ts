// Runs a subcommand of a catalog and returns its exit code: 0 for success, 1 for failure, 2 for incorrect usage.
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config/problem.ts';
import { describeFailure, Refusal, UsageError } from '../lib/failure.ts';
import { withProgramName } from '../lib/program-name.ts';
import type { CatalogEntry } from './client-catalog.ts';
import { type CommandHost, changeHost } from './host.ts';

export interface Program {
  /** The commands in the order of the help. */
  catalog: readonly CatalogEntry[];
  /** Commands that the help doesn't list. */
  hidden: readonly CatalogEntry[];
  examples: string;
}

/** Runs a program with the given arguments. Never throws for errors that a user can cause. */
export async function runProgram(
  definition: Program,
  args: readonly string[],
  processHost: CommandHost,
): Promise<number> {
  const { catalog, hidden } = definition;
  const [first, second, ...rest] = args;
  if (first === 'help') {
    const described = second === undefined ? [] : [second, ...rest];
    return runProgram(definition, [...described, '--help'], processHost);
  }
  if (first === '--version' || first === '-V') return runProgram(definition, ['version'], processHost);
  // Messages show commands as the user has to type them; data isn't changed.
  const host = changeHost(processHost, {
    say: (text) => processHost.say(withProgramName(text, processHost.program)),
  });
  /** The command that is run, with its subcommand. */
  let called = first ?? '';
  const entry = [...catalog, ...hidden].find((candidate) => candidate.name === first);
  try {
    const program = entry === undefined ? buildOverview(definition, host) : await buildProgram(entry, host);
    if (first === undefined) {
      program.outputHelp({ error: true });
      return 2;
    }
    program.hook('preAction', (_, command) => {
      called = fullName(command);
    });
    // The help of an unknown command would be that of the program.
    const isUnknown = entry === undefined && !first.startsWith('-');
    await program.parseAsync(isUnknown ? [first] : [...args], { from: 'user' });
    return 0;
  } catch (error) {
    return explainEnd(error, called, host);
  }
}

async function buildProgram(entry: CatalogEntry, host: CommandHost): Promise<Command> {
  const command = await entry.build(host);
  command.summary(entry.summary);
  const program = prepare(new Command('taxiway'), host).addCommand(command);
  for (const one of listCommands(command)) prepare(one, host);
  return program;
}

function listCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(listCommands)];
}

function buildOverview({ catalog, examples }: Program, host: CommandHost): Command {
  const program = prepare(new Command('taxiway'), host)
    .description('Self-hosted distribution of mobile test builds.')
    .addHelpText('after', examples);
  for (const { name, summary } of catalog) program.command(name).summary(summary);
  return program;
}

function prepare(command: Command, host: CommandHost): Command {
  return command
    .exitOverride()
    .helpCommand(false)
    .showHelpAfterError(`(see "taxiway${command.name() === 'taxiway' ? '' : ` ${fullName(command)}`} --help")`)
    .configureOutput({
      writeOut: (text) => host.print(withProgramName(text, host.program)),
      writeErr: (text) => host.say(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'taxiway: ')),
    });
}

function fullName(command: Command): string {
  const parent = command.parent;
  return parent === null || parent.name() === 'taxiway' ? command.name() : `${fullName(parent)} ${command.name()}`;
}

function explainEnd(error: unknown, name: string, host: CommandHost): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError) {
    host.say(`taxiway: ${error.message}\n(see "taxiway ${name} --help")\n`);
    return 2;
  }
  if (error instanceof Refusal || error instanceof ConfigError) {
    host.say(`${error.message.replace(/^/gm, 'taxiway: ')}\n`);
    return 1;
  }
  host.say(
    `taxiway: unexpected: ${error instanceof Error ? (error.stack ?? error.message) : describeFailure(error)}\n`,
  );
  return 1;
}
