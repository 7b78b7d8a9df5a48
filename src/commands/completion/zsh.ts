// The completion script for zsh: a function for each command, of the forms that `_arguments` and `_describe` read.
import { type CompletedCommand, type CompletedOption, lastWord, listTree } from './tree.ts';

/** Returns the script. It can be sourced, or be a file named _taxiway in a folder of $fpath. */
export function writeZshCompletion(tree: CompletedCommand): string {
  return `#compdef taxiway
# Completion of taxiway for zsh.

${listTree(tree).map(writeFunction).join('\n')}
if [ "$funcstack[1]" = _taxiway ]; then
  _taxiway "$@"
else
  compdef _taxiway taxiway
fi
`;
}

const nameOf = ({ path }: CompletedCommand): string => ['_taxiway', ...path].join('_').replaceAll('-', '_');

function writeFunction(command: CompletedCommand): string {
  const specs = [
    ...command.options.flatMap(writeOption),
    ...(command.commands.length === 0
      ? command.arguments.map(({ name, choices, isVariadic }) =>
          quote(`${isVariadic ? '*' : ''}:${colons(name)}:${action(choices)}`),
        )
      : ["': :->command'", "'*:: :->rest'"]),
  ];
  const parse = `_arguments -s -S ${command.commands.length === 0 ? '' : '-C '}\\\n    ${specs.join(' \\\n    ')}`;
  if (command.commands.length === 0) return `${nameOf(command)}() {\n  ${parse}\n}\n`;
  const listed = command.commands.map((one) => quote(`${lastWord(one)}:${one.summary}`));
  const cases = command.commands.map((one) => `        ${lastWord(one)}) ${nameOf(one)} ;;\n`);
  return `${nameOf(command)}() {
  local context state state_descr line
  typeset -A opt_args
  ${parse}
  case $state in
    command)
      local -a commands=(
        ${listed.join('\n        ')}
      )
      _describe command commands
      ;;
    rest)
      case $line[1] in
${cases.join('')}      esac
      ;;
  esac
}
`;
}

/** Options with a value can be repeated, because some are. */
function writeOption({ flags, description, value, choices }: CompletedOption): string[] {
  const text = `[${description.replace(/[[\]:\\]/g, '\\$&')}]`;
  const rest = value === undefined ? text : `${text}:${colons(value)}:${action(choices)}`;
  const before = value === undefined ? `(${flags.join(' ')})` : '*';
  return flags.map((flag) => quote(`${before}${flag}${rest}`));
}

const action = (choices: readonly string[]): string => (choices.length === 0 ? '_files' : `(${choices.join(' ')})`);
const colons = (text: string): string => text.replace(/[:\\]/g, '\\$&');
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
