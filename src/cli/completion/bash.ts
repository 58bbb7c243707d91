import type { CommandWords } from './words.ts';

/**
 * A script for bash. Words after the command lead down the tree of commands; where nothing fits, bash completes files. It also
 * runs in zsh, whose `bashcompinit` gives it the same variables.
 */
export function bashCompletion(commands: readonly CommandWords[]): string {
  const nested = commands.filter(({ path }) => path.length > 0);
  return `_cairn() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} place=cairn word words='' options='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [ "$word" = -- ] && return
    case "$place $word" in
${arm(
  nested.map(({ path }) => placeOf(path)),
  'place="$place $word"',
  6,
)}
    esac
  done
  case "$place $prev" in
${commands.flatMap(optionValues).join('\n')}
  esac
  case "$place" in
${commands.map(wordsOfCommand).join('\n')}
  esac
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
  esac
}
complete -o default -F _cairn cairn
`;
}

const placeOf = (path: readonly string[]) => `'${['cairn', ...path].join(' ')}'`;

function arm(patterns: readonly string[], then: string, indent: number): string {
  return `${' '.repeat(indent)}${patterns.join('|')}) ${then} ;;`;
}

/** After an option with a value: its choices, or files. */
function optionValues({ path, options }: CommandWords): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ flags, choices }) => {
      const patterns = flags.map((flag) => placeOf([...path, flag]));
      const reply = choices.length > 0 ? `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$cur")); ` : '';
      return arm(patterns, `${reply}return`, 4);
    });
}

function wordsOfCommand({ path, commands, options, choices }: CommandWords): string {
  const words = [...commands.map(({ name }) => name), ...choices].join(' ');
  const flags = options.flatMap((option) => option.flags).join(' ');
  return arm([placeOf(path)], `words='${words}' options='${flags}'`, 4);
}
