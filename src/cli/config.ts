import type { Command } from 'commander';
import { effectiveSettings, readSettings, SettingsError, unknownVariables } from '../platform/settings.ts';
import { effectiveClientSettings, readClientSettings } from './client-settings.ts';
import { table } from './table.ts';

export function configCommand(program: Command): void {
  program
    .command('config')
    .description('print the settings in effect, secrets masked')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ cairn config\n  $ CAIRN_PORT=8080 cairn config --json')
    .action(({ json }: { json?: true }) => printConfig(process.env, json ?? false));
}

function printConfig(environment: NodeJS.ProcessEnv, asJson: boolean): void {
  const settings = [...effectiveSettings(environment), ...effectiveClientSettings(environment)];
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
    ...faultsOf(() => readSettings(environment)),
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
