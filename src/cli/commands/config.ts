import type { Command } from 'commander';
import { idleSettings } from '../../platform/settings/modes.ts';
import type { ServedService, SettingName } from '../../platform/settings/setting-table.ts';
import {
  effectiveSettings,
  readSettings,
  SettingsError,
  unknownVariables,
} from '../../platform/settings/settings.ts';
import { clientSettingTable, readClientSettings, withoutEmpty } from '../client/client-settings.ts';
import { addSettingOptions } from '../setting-options.ts';
import type { Io } from '../terminal/io.ts';
import { printable } from '../terminal/printable.ts';
import { table } from '../terminal/table.ts';
import { writeText } from '../terminal/write-out.ts';
import { servedBy, servingOf } from './serve/served.ts';

export function configCommand(program: Command, io: Io): void {
  const command = program
    .command('config')
    .description('print the effective settings, with secrets masked')
    .argument('[service]', 'check the settings for this service of "cairn serve"', 'all')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ cairn config\n  $ CAIRN_PORT=8080 cairn config --json');
  addSettingOptions(command);
  command.action(async (name: string, { json, ...flags }: Flags & { json?: true }) => {
    await printConfig(io, flags, servedBy[servingOf(name)], json ?? false);
  });
}

type Flags = Partial<Record<SettingName, string>>;

async function printConfig(
  io: Io,
  flags: Flags,
  services: readonly ServedService[],
  asJson: boolean,
): Promise<void> {
  const { env: environment } = io;
  const settings = [
    ...effectiveSettings(environment, flags),
    ...effectiveSettings(withoutEmpty(environment), {}, clientSettingTable),
  ];
  if (asJson) {
    await writeText(io, `${JSON.stringify(settings, null, 2)}\n`);
  } else {
    const rows = settings.map(({ variable, value, isDefault, about }) => [
      variable,
      value ?? '-',
      isDefault ? 'default' : 'set',
      about,
    ]);
    await writeText(io, table([['SETTING', 'VALUE', 'FROM', 'ABOUT'], ...rows]));
  }
  for (const name of unknownVariables(environment))
    io.stderr.write(printable(`${name} is not a setting. Check its spelling.\n`));
  const problems = [
    ...problemsOf(() => readSettings(environment, flags, services)),
    ...problemsOf(() => readClientSettings(io)),
  ];
  if (problems.length > 0) throw new SettingsError([...new Set(problems)]);
  for (const sentence of idleSettings(readSettings(environment, flags, services), services))
    io.stderr.write(printable(`${sentence}\n`));
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
