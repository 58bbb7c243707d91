import { problemsBetween } from './rules.ts';
import { type Setting, type SettingTable, type ValuesOf, writtenFlag } from './setting.ts';
import {
  type Served,
  type ServedService,
  type SettingName,
  type Settings,
  settingTable,
} from './setting-table.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
const allServices: readonly ServedService[] = ['integrity', 'control-plane'];

/** All problems of a configuration at once, each a sentence. */
export class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

const readByClientOrTests = /^CAIRN_(?:URL|TOKEN|TEST_.*|SERVICES_DIR)$/;

/**
 * Reads the settings: a flag wins over a variable, a variable over the default.
 * @param services the services to be served. @throws SettingsError with every problem.
 */
export function readSettings(
  environment: Environment,
  flags: Partial<Record<SettingName, string>> = {},
  services: readonly Served[] = allServices,
): Settings {
  const { settings, problems } = readEach(settingTable, environment, flags);
  const isAuthGiven =
    (flags.authEnabled ?? variableValue(settingTable.authEnabled, environment)) !== undefined;
  problems.push(...problemsBetween(settings, { services, isAuthGiven }));
  if (problems.length > 0) throw new SettingsError(problems);
  return settings as Settings;
}

/**
 * Reads the settings that a command needs, without checking whether a service could start with them.
 * @throws SettingsError with every problem.
 */
export function readSomeSettings<Name extends SettingName>(
  names: readonly Name[],
  environment: Environment,
  flags: Partial<Record<Name, string>> = {},
): Pick<Settings, Name> {
  const table = Object.fromEntries(names.map((name) => [name, settingTable[name]]));
  return readTable(table, environment, flags) as Pick<Settings, Name>;
}

/** @throws SettingsError with every problem. */
export function readTable<Table extends SettingTable>(
  table: Table,
  environment: Environment,
  flags: Partial<Record<keyof Table, string>> = {},
): ValuesOf<Table> {
  const { settings, problems } = readEach(table, environment, flags);
  if (problems.length > 0) throw new SettingsError(problems);
  return settings as ValuesOf<Table>;
}

function readEach<Table extends SettingTable>(
  table: Table,
  environment: Environment,
  flags: Partial<Record<keyof Table, string>>,
): { readonly settings: Partial<ValuesOf<Table>>; readonly problems: string[] } {
  const problems: string[] = [];
  const settings: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(table)) {
    const written =
      flags[name] ?? variableValue(setting, environment) ?? defaultOf(setting, table, environment, flags);
    if (written === null || (written === '' && setting.default === null && setting.hasGoFlag)) {
      settings[name] = null;
      continue;
    }
    const source = flags[name] === undefined ? setting.variable : writtenFlag(setting);
    if (written.trim() === '' && !setting.hasGoFlag) {
      problems.push(`${source} is empty. Give it a value, or leave it out.`);
      continue;
    }
    const { success, data, error } = setting.kind.safeParse(written);
    if (success) settings[name] = data;
    else {
      const shown = setting.isSecret ? '…' : withoutPassword(written);
      problems.push(`${source}="${shown}" ${error.issues[0]?.message}.`);
    }
  }
  return { settings: settings as Partial<ValuesOf<Table>>, problems };
}

/** As an operator would write it. */
function defaultOf(
  { default: usual, defaultAtMost = '', kind }: Setting<unknown>,
  table: SettingTable,
  environment: Environment,
  flags: Partial<Record<string, string>>,
): string | null {
  const limiting = table[defaultAtMost];
  const limit = limiting && (flags[defaultAtMost] ?? variableValue(limiting, environment));
  const isLess = Number(kind.safeParse(limit).data) < Number(kind.safeParse(usual).data);
  return limit !== undefined && isLess ? limit : usual;
}

function variableValue({ variable, hasGoFlag }: Setting<unknown>, environment: Environment) {
  const value = environment[variable];
  return value?.trim() === '' && hasGoFlag ? undefined : value;
}

const mask = '••••••';

/** Masks the user and password in a URL. */
function withoutPassword(value: string): string {
  return value.replace(/^(\s*[a-z][a-z\d+.-]*:[/\\]*).*@/is, `$1${mask}@`);
}

const prefixes = /^(?:CAIRN|CONTROL_PLANE_AUTH|CONTROL_PLANE_ADAPTER)_/;

/** Variables that look like settings but are not, most likely because they are misspelt. */
export function unknownVariables(environment: Environment): string[] {
  const known = new Set(Object.values(settingTable).map(({ variable }) => variable));
  return Object.keys(environment).filter(
    (name) => prefixes.test(name) && !known.has(name) && !readByClientOrTests.test(name),
  );
}

/** The settings that `cairn config` prints. Secrets are masked. */
export function effectiveSettings(
  environment: Environment,
  flags: Partial<Record<string, string>> = {},
  table: SettingTable = settingTable,
) {
  return Object.entries(table).map(([name, setting]) => {
    const { variable, flag = null, about, isSecret } = setting;
    const set = flags[name] ?? variableValue(setting, environment);
    const value = set ?? defaultOf(setting, table, environment, flags);
    const shown = isSecret ? mask : withoutPassword(value ?? '');
    return { variable, flag, value: value === null ? null : shown, isDefault: set === undefined, about };
  });
}
