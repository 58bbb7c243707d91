import type { Command } from 'commander';
import { startNotices } from '../../platform/settings/rules.ts';
import type { ServedService } from '../../platform/settings/setting-table.ts';
import {
  effectiveSettings,
  readSettings,
  SettingsError,
  unknownVariables,
} from '../../platform/settings/settings.ts';
import { clientSettingTable, clientVariables, readClientSettings } from '../client/client-settings.ts';
import {
  addSettingOptions,
  type Serving,
  type SettingFlags,
  servedBy,
  serviceArgument,
} from '../setting-options.ts';
import type { Io } from '../terminal/io.ts';
import { indented, say, table, writeText } from '../terminal/output.ts';

export function configCommand(program: Command, io: Io): void {
  const command = program
    .command('config')
    .description('print the effective settings, with secrets masked')
    .addArgument(serviceArgument('check the settings for this service of "cairn serve"'))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ cairn config\n  $ CAIRN_PORT=8080 cairn config --json');
  addSettingOptions(command);
  command.action(async (serving: Serving, { json, ...flags }: SettingFlags & { json?: true }) => {
    await printConfig(io, flags, servedBy[serving], { json });
  });
}

async function printConfig(
  io: Io,
  flags: SettingFlags,
  services: readonly ServedService[],
  { json }: { readonly json?: true | undefined },
) {
  const { env: environment } = io;
  const { folderFile, variables } = clientVariables(io);
  const settings = [
    ...effectiveSettings(environment, flags),
    ...effectiveSettings(variables, {}, clientSettingTable),
  ];
  const rows = settings.map(({ variable, value, isDefault, about }) => [
    variable,
    value ?? '-',
    isDefault ? 'default' : 'set',
    about,
  ]);
  const text = json ? indented(settings) : table([['SETTING', 'VALUE', 'FROM', 'ABOUT'], ...rows]);
  await writeText(io, text);
  if (folderFile) {
    const isUrlUsed = folderFile.url !== undefined && !environment.CAIRN_URL;
    say(io, `${folderFile.path} sets the graph ${folderFile.graph}${isUrlUsed ? ' and CAIRN_URL' : ''}.`);
  }
  for (const name of unknownVariables(environment)) say(io, `${name} is not a setting. Check its spelling.`);
  const problems = new Set<string>();
  const collect = (error: unknown) => {
    if (!(error instanceof SettingsError)) throw error;
    for (const problem of error.problems) problems.add(problem);
  };
  try {
    for (const sentence of startNotices(readSettings(environment, flags, services), services))
      say(io, sentence);
  } catch (error) {
    collect(error);
  }
  try {
    readClientSettings(io);
  } catch (error) {
    collect(error);
  }
  if (problems.size > 0) throw new SettingsError([...problems]);
}
