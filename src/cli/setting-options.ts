import { Argument, type Command, Option } from 'commander';
import { flag as boolean } from '../platform/settings/kinds.ts';
import { type Setting, writtenFlag } from '../platform/settings/setting.ts';
import { type Served, type SettingName, settingTable } from '../platform/settings/setting-table.ts';
import { failUsage } from './terminal/failure.ts';

/** The arguments of `cairn serve`, and the services that they start. */
export const servedBy = {
  all: ['integrity', 'control-plane'],
  integrity: ['integrity'],
  'control-plane': ['control-plane'],
  jobs: [],
  admission: ['admission'],
} as const satisfies Readonly<Record<string, readonly Served[]>>;

export type Serving = keyof typeof servedBy;

export function serviceArgument(description: string): Argument {
  return new Argument('[service]', description).choices(Object.keys(servedBy)).default('all');
}

export type SettingFlags = Partial<Record<SettingName, string>>;

const settings: readonly Setting<unknown>[] = Object.values(settingTable);
const withFlag = settings.filter(({ flag }) => flag !== undefined);

export function addSettingOptions(command: Command): Command {
  for (const setting of withFlag) {
    const option = new Option(`--${setting.flag} <value>`, `${setting.about} (${setting.variable})`);
    const spelling = 'Options of the control plane, with one dash or two:';
    command.addOption(setting.hasGoFlag ? option.helpGroup(spelling) : option);
  }
  return command;
}

const goFlags = new Map(withFlag.filter((one) => one.hasGoFlag).map((setting) => [setting.flag, setting]));

/**
 * Translates Go flags for commander: one dash or two, a value after `=` or as the next argument, and a boolean without a
 * value means "true". Other arguments stay unchanged.
 * @throws Failure if the value of a boolean is a separate argument, which Go does not accept.
 */
export function withGoFlags(args: readonly string[]): string[] {
  const [written = '', ...others] = args;
  if (written === '') return args.length === 0 ? [] : ['', ...withGoFlags(others)];
  if (written === '--') return [...args];
  const [, name, value] = /^--?([a-z][a-z-]*)(?:=(.*))?$/s.exec(written) ?? [];
  const setting = goFlags.get(name);
  if (setting === undefined) return [written, ...withGoFlags(others)];
  if (value !== undefined) return [`--${name}=${value}`, ...withGoFlags(others)];
  const [next, ...rest] = others;
  if (setting.kind === boolean) {
    if (/^(?:true|false)$/i.test(next ?? ''))
      failUsage(`Write ${writtenFlag(setting)}=${next}, with an equals sign and without a space.`);
    return [`--${name}=true`, ...withGoFlags(others)];
  }
  return next === undefined ? [`--${name}`] : [`--${name}=${next}`, ...withGoFlags(rest)];
}
