// The completion script for fish.
import { type CompletedCommand, lastWord, listTree } from './tree.ts';

/** Returns the script. */
export function writeFishCompletion(tree: CompletedCommand): string {
  return `# Completion of taxiway for fish.

# Whether the words before the cursor are exactly these.
function __taxiway_is
    set -l words (commandline -opc)
    test "$words[2..-1]" = "$argv"
end

# Whether the words before the cursor begin with these.
function __taxiway_in
    set -l words (commandline -opc)
    set -l last (math 1 + (count $argv))
    test (count $words) -ge $last; and test "$words[2..$last]" = "$argv"
end

complete -c taxiway -f
${listTree(tree).map(writeCommand).join('')}`;
}

function writeCommand(command: CompletedCommand): string {
  const { path, commands, options } = command;
  const place = commands.length === 0 ? ['__taxiway_in', ...path] : ['__taxiway_is', ...path];
  const line = (words: string) => `complete -c taxiway -n ${quote(place.join(' '))} ${words}\n`;
  return [
    ...commands.map((one) => line(`-a ${lastWord(one)} -d ${quote(one.summary)}`)),
    ...command.arguments.map(({ choices }) => line(choices.length === 0 ? '-F' : `-a ${quote(choices.join(' '))}`)),
    ...options.map(({ flags, description, value, choices }) => {
      const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
      const values = value === undefined ? [] : [choices.length === 0 ? '-r -F' : `-x -a ${quote(choices.join(' '))}`];
      return line([...names, ...values, `-d ${quote(description)}`].join(' '));
    }),
  ].join('');
}

const quote = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;
