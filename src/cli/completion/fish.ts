import type { CommandWords, OptionWords } from './words.ts';

/** A script for fish. Arguments without a choice are files. */
export function fishCompletion(commands: readonly CommandWords[]): string {
  return `${commands.flatMap(linesOf).join('\n')}\n`;
}

function linesOf({ path, commands, options, choices }: CommandWords): string[] {
  const here = placeCondition(
    path,
    commands.map(({ name }) => name),
  );
  const line = (words: string) => `complete -c cairn -n ${quoted(here)} ${words}`;
  return [
    ...commands.map(({ name, about }) => line(`-f -a ${quoted(name)} -d ${quoted(firstClause(about))}`)),
    ...choices.map((choice) => line(`-f -a ${quoted(choice)}`)),
    ...options.map((option) => line(optionWords(option))),
  ];
}

/** All commands of the path were given, and none below them. */
function placeCondition(path: readonly string[], below: readonly string[]): string {
  if (path.length === 0) return '__fish_use_subcommand';
  const seen = path.map((name) => `__fish_seen_subcommand_from ${name}`);
  return [...seen, ...(below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(' ')}`] : [])].join(
    '; and ',
  );
}

function optionWords({ flags, about, takesValue, choices }: OptionWords): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : takesValue ? ' -r' : '';
  return `${names.join(' ')}${value} -d ${quoted(firstClause(about))}`;
}

/** Descriptions of settings are paragraphs. */
function firstClause(about: string): string {
  return about.split(/[.:;] /)[0]?.slice(0, 80) ?? '';
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
