import { contradictions } from './contradictions.ts';
import { controlPlaneProblems } from './control-plane-problems.ts';
import { exposedServices } from './exposed-services.ts';
import { type Setting, writtenFlag } from './setting.ts';
import { type ServedService, type SettingName, type Settings, settingTable } from './setting-table.ts';
import { shownValue } from './shown-value.ts';

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
 * @param services the services to be served.
 * @throws SettingsError with every problem.
 */
export function readSettings(
  environment: Environment,
  flags: Partial<Record<SettingName, string>> = {},
  services: readonly ServedService[] = allServices,
): Settings {
  const names = Object.keys(settingTable) as SettingName[];
  const { settings, problems } = readEach(names, environment, flags);
  const isAuthGiven =
    (flags.authEnabled ?? variableValue(settingTable.authEnabled, environment)) !== undefined;
  problems.push(
    ...contradictions(settings, services),
    ...controlPlaneProblems(settings, isAuthGiven),
    ...exposedServices(settings, services),
  );
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
  const { settings, problems } = readEach(names, environment, flags);
  if (problems.length > 0) throw new SettingsError(problems);
  return settings as Pick<Settings, Name>;
}

function readEach(
  names: readonly SettingName[],
  environment: Environment,
  flags: Partial<Record<SettingName, string>>,
): { readonly settings: Partial<Settings>; readonly problems: string[] } {
  const problems: string[] = [];
  const settings: Partial<Record<SettingName, unknown>> = {};
  for (const name of names) {
    const setting: Setting<unknown> = settingTable[name];
    const written = flags[name] ?? variableValue(setting, environment) ?? setting.default;
    const source = flags[name] === undefined ? setting.variable : writtenFlag(setting);
    try {
      const isEmptied = written === '' && setting.default === null && setting.emptyIsUnset;
      settings[name] = written === null || isEmptied ? null : setting.kind.parse(written);
    } catch (error) {
      const shown = setting.isSecret ? '…' : shownValue(written ?? '', false);
      problems.push(`${source}="${shown}" ${(error as Error).message}.`);
    }
  }
  return { settings: settings as Partial<Settings>, problems };
}

function variableValue(
  { variable, emptyIsUnset }: Setting<unknown>,
  environment: Environment,
): string | undefined {
  const value = environment[variable];
  return value?.trim() === '' && emptyIsUnset ? undefined : value;
}

const prefixes = /^(?:CAIRN|CONTROL_PLANE_AUTH|CONTROL_PLANE_ADAPTER)_/;

/** Variables that look like settings but are not, most likely because they are misspelt. */
export function unknownVariables(environment: Environment): string[] {
  const known = new Set(Object.values(settingTable).map(({ variable }) => variable));
  return Object.keys(environment).filter(
    (name) => prefixes.test(name) && !known.has(name) && !readByClientOrTests.test(name),
  );
}

export interface EffectiveSetting {
  readonly variable: string;
  readonly flag: string | null;
  readonly value: string | null;
  readonly isDefault: boolean;
  readonly about: string;
}

/** The settings that `cairn config` prints. Secrets are masked. */
export function effectiveSettings(
  environment: Environment,
  flags: Partial<Record<SettingName, string>> = {},
): EffectiveSetting[] {
  return Object.entries(settingTable).map(([name, setting]: [string, Setting<unknown>]) => {
    const set = flags[name as SettingName] ?? variableValue(setting, environment);
    const value = set ?? setting.default;
    const shown = value === null ? null : shownValue(value, setting.isSecret ?? false);
    const { variable, about } = setting;
    return { variable, flag: setting.flag ?? null, value: shown, isDefault: set === undefined, about };
  });
}
