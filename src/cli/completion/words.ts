import type { Command, Option } from 'commander';

/** What may follow a command. */
export interface CommandWords {
  /** The names after `cairn`; empty for `cairn` itself. */
  readonly path: readonly string[];
  readonly commands: readonly NamedWord[];
  readonly options: readonly OptionWords[];
  /** The values of arguments that have a choice. */
  readonly choices: readonly string[];
}

interface NamedWord {
  readonly name: string;
  readonly about: string;
}

export interface OptionWords {
  /** With their dashes. */
  readonly flags: readonly string[];
  readonly about: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

const help: OptionWords = { flags: ['-h', '--help'], about: 'display help', takesValue: false, choices: [] };

/** The words of a command and of all below it. */
export function wordsOf(command: Command, path: readonly string[] = []): CommandWords[] {
  const own = {
    path,
    commands: command.commands.map((one) => ({ name: one.name(), about: one.description() })),
    options: [...command.options.filter(({ hidden }) => !hidden).map(optionWords), help],
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
  return [own, ...command.commands.flatMap((one) => wordsOf(one, [...path, one.name()]))];
}

function optionWords({ short, long, description, required, optional, argChoices }: Option): OptionWords {
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    about: description,
    takesValue: required || optional,
    choices: argChoices ?? [],
  };
}
