// The completion script for bash. It also works with the bash 3.2 of macOS, and without the package bash-completion.
import { type CompletedCommand, lastWord, listTree } from './tree.ts';

/** More arguments than any command has. */
const ANY_NUMBER = 99;

/** Returns the script. All words in it are names of commands, options and values, which need no quotes inside. */
export function writeBashCompletion(tree: CompletedCommand): string {
  const commands = listTree(tree);
  return `# Completion of taxiway for bash.

# Sets what can follow the words of a command.
_taxiway_at() {
  commands='' options='' valued='' arguments=0
  case $1 in
${commands.map(writeCommand).join('')}  esac
}

# Sets the values of an option of a command, or of its argument at a position.
_taxiway_choices() {
  choices=''
  case $1 in
${commands.flatMap(listChoices).join('')}  esac
}

_taxiway() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' option='' position=0 found='' any='' i word
  local commands options valued arguments choices
  _taxiway_at ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    # "--option=value" is three words.
    if [[ $word == '=' ]]; then
      continue
    elif [[ -n $option ]]; then
      option=''
    elif [[ $word == -* ]]; then
      if [[ " $valued " == *" $word "* ]]; then option=$word; fi
    elif [[ " $commands " == *" $word "* ]]; then
      path=\${path:+$path }$word
      _taxiway_at "$path"
    else
      position=$((position + 1))
    fi
  done
  if [[ $current == '=' ]]; then current=''; fi
  if [[ -n $option ]]; then
    _taxiway_choices "$path $option"
    found=$choices
    any=\${choices:-any}
  elif [[ $current == -* ]]; then
    found=$options
  elif [[ -n $commands ]]; then
    found=$commands
  elif ((position < arguments)); then
    _taxiway_choices "$path $position"
    found=$choices
    any=\${choices:-any}
  fi
  COMPREPLY=()
  # File names are the default of the completion. Bash before 4 can't turn it off.
  if [[ $any == any ]]; then return; fi
  compopt +o bashdefault +o default 2>/dev/null
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}

complete -o bashdefault -o default -F _taxiway taxiway
`;
}

function writeCommand(command: CompletedCommand): string {
  const { path, commands, options } = command;
  const flags = options.flatMap((option) => option.flags);
  const valued = options.flatMap((option) => (option.value === undefined ? [] : option.flags));
  const most = command.arguments.some(({ isVariadic }) => isVariadic) ? ANY_NUMBER : command.arguments.length;
  const values = [
    ...(commands.length === 0 ? [] : [`commands='${commands.map(lastWord).join(' ')}'`]),
    `options='${flags.join(' ')}'`,
    ...(valued.length === 0 ? [] : [`valued='${valued.join(' ')}'`]),
    ...(most === 0 ? [] : [`arguments=${most}`]),
  ];
  return `    '${path.join(' ')}') ${values.join(' ')} ;;\n`;
}

function listChoices({ path, options, arguments: all }: CompletedCommand): string[] {
  const write = (word: string, choices: readonly string[]) =>
    choices.length === 0 ? [] : [`    '${path.join(' ')} ${word}') choices='${choices.join(' ')}' ;;\n`];
  return [
    ...options.flatMap(({ flags, choices }) => flags.flatMap((flag) => write(flag, choices))),
    ...all.flatMap(({ choices }, position) => write(String(position), choices)),
  ];
}
