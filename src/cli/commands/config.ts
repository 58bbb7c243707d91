import type { Command } from 'commander';
import { startNotices } from '../../platform/settings/rules.ts';
import type { Served } from '../../platform/settings/setting-table.ts';
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

type ConfigFlags = SettingFlags & { readonly json?: true };

export function configCommand(program: Command, io: Io): void {
  const command = program
    .command('config')
    .description('print the effective settings, with secrets masked')
    .addArgument(serviceArgument('check the settings for this service of "cairn serve"'))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ cairn config\n  $ CAIRN_PORT=8080 cairn config --json');
  addSettingOptions(command).action(async (serving: Serving, flags: ConfigFlags) => {
    await printConfig(io, flags, servedBy[serving]);
  });
}

async function printConfig(io: Io, { json, ...flags }: ConfigFlags, services: readonly Served[]) {
  const { env } = io;
  const { folderFile, variables } = clientVariables(io);
  const own = effectiveSettings(variables, {}, clientSettingTable);
  const settings = [...effectiveSettings(env, flags), ...own];
  const rows = settings.map((one) => [
    one.variable,
    one.value ?? '-',
    one.isDefault ? 'default' : 'set',
    one.about,
  ]);
  await writeText(io, json ? indented(settings) : table([['SETTING', 'VALUE', 'FROM', 'ABOUT'], ...rows]));
  if (folderFile) {
    const isUrlUsed = folderFile.url !== undefined && !env.CAIRN_URL;
    say(io, `${folderFile.path} sets the graph ${folderFile.graph}${isUrlUsed ? ' and CAIRN_URL' : ''}.`);
  }
  for (const name of unknownVariables(env)) say(io, `${name} is not a setting. Check its spelling.`);
  const problems = new Set([
    ...problemsOf(() => {
      for (const sentence of startNotices(readSettings(env, flags, services), services)) say(io, sentence);
    }),
    ...problemsOf(() => readClientSettings(io)),
  ]);
  if (problems.size > 0) throw new SettingsError([...problems]);
}

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}
