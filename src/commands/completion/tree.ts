// What the completion scripts know: the commands with their subcommands, options and arguments.
import type { Command, Option } from 'commander';
import type { CatalogEntry } from '../client-catalog.ts';
import type { CommandHost } from '../host.ts';

export interface CompletedOption {
  /** `-h` and `--help`, or one of them. */
  flags: string[];
  description: string;
  /** The name of its value; undefined if it has none. */
  value: string | undefined;
  /** Its possible values; empty for any text, which is completed with file names. */
  choices: readonly string[];
}

interface CompletedArgument {
  name: string;
  choices: readonly string[];
  /** Whether it can be repeated. */
  isVariadic: boolean;
}

export interface CompletedCommand {
  /** The words that call it, without the program: `audit export`. Empty for the program itself. */
  path: readonly string[];
  summary: string;
  commands: CompletedCommand[];
  options: CompletedOption[];
  arguments: CompletedArgument[];
}

const HELP: CompletedOption = { flags: ['-h', '--help'], description: 'show help', value: undefined, choices: [] };
const VERSION: CompletedOption = { ...HELP, flags: ['-V', '--version'], description: 'show the version' };

/** Returns the tree of a catalog. */
export async function buildCompletionTree(
  catalog: readonly CatalogEntry[],
  host: CommandHost,
): Promise<CompletedCommand> {
  const commands: CompletedCommand[] = [];
  for (const entry of catalog) commands.push(describe(await entry.build(host), [], entry.summary));
  return { path: [], summary: '', commands, options: [HELP, VERSION], arguments: [] };
}

/** Returns a command with all commands below it. */
export function listTree(command: CompletedCommand): CompletedCommand[] {
  return [command, ...command.commands.flatMap(listTree)];
}

/** Returns the last word of a command. */
export function lastWord({ path }: CompletedCommand): string {
  return path.at(-1) ?? '';
}

function describe(
  command: Command,
  above: readonly string[],
  summary = firstSentence(command.description()),
): CompletedCommand {
  const path = [...above, command.name()];
  const help = command.helpCommand(false).createHelp();
  return {
    path,
    summary,
    commands: help.visibleCommands(command).map((one) => describe(one as Command, path)),
    options: help.visibleOptions(command).map(describeOption),
    arguments: command.registeredArguments.map((one) => ({
      name: one.name(),
      choices: one.argChoices ?? [],
      isVariadic: one.variadic,
    })),
  };
}

function describeOption(option: Option): CompletedOption {
  const hasValue = option.required || option.optional;
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    description: option.description,
    value: hasValue ? (/[<[]([^\]>]+)/.exec(option.flags)?.[1] ?? 'value') : undefined,
    choices: option.argChoices ?? [],
  };
}

function firstSentence(text: string): string {
  return text.split(/\.(?: |$)/)[0] ?? text;
}
