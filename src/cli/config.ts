import type { Command } from 'commander';
import {
  effectiveSettings,
  readSettings,
  type ServedService,
  type SettingName,
  SettingsError,
  unknownVariables,
} from '../platform/settings.ts';
import { effectiveClientSettings, readClientSettings } from './client-settings.ts';
import { servedBy, servingOf } from './served.ts';
import { addSettingOptions } from './setting-options.ts';
import { table } from './table.ts';

export function configCommand(program: Command): void {
  const command = program
    .command('config')
    .description('print the settings in effect, secrets masked')
    .argument('[service]', 'as of "cairn serve": whose settings have to agree with each other', 'all')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ cairn config\n  $ CAIRN_PORT=8080 cairn config --json');
  addSettingOptions(command);
  command.action((name: string, { json, ...flags }: Flags & { json?: true }) => {
    printConfig(process.env, flags, servedBy[servingOf(name)], json ?? false);
  });
}

type Flags = Partial<Record<SettingName, string>>;

function printConfig(
  environment: NodeJS.ProcessEnv,
  flags: Flags,
  services: readonly ServedService[],
  asJson: boolean,
): void {
  const settings = [...effectiveSettings(environment, flags), ...effectiveClientSettings(environment)];
  if (asJson) {
    process.stdout.write(`${JSON.stringify(settings, null, 2)}\n`);
  } else {
    const rows = settings.map(({ variable, value, isDefault, about }) => [
      variable,
      value ?? '-',
      isDefault ? 'default' : 'set',
      about,
    ]);
    process.stdout.write(table([['SETTING', 'VALUE', 'FROM', 'ABOUT'], ...rows]));
  }
  for (const name of unknownVariables(environment))
    process.stderr.write(`${name} is no setting; is it misspelt?\n`);
  const faults = [
    ...faultsOf(() => readSettings(environment, flags, services)),
    ...faultsOf(() => readClientSettings(environment)),
  ];
  if (faults.length > 0) throw new SettingsError([...new Set(faults)]);
}

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
}
