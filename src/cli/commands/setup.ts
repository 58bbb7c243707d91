import type { Command } from 'commander';
import { openLog } from '../../platform/log.ts';
import { readSettings } from '../../platform/settings/settings.ts';
import { addSettingOptions, type SettingFlags } from '../setting-options.ts';
import type { Io } from '../terminal/io.ts';
import { writeText } from '../terminal/output.ts';

const notes = `
Run it before an upgrade, so that the new version finds its indexes and its data. Services that are running are not
disturbed, and a repeat changes nothing. "cairn serve" does the same at its start.

Exit codes: 0 everything is ready; 2 a setting, a password or the version of the data is wrong; 3 a server did not
answer within CAIRN_START_WAIT.

Examples:
  $ cairn setup
  $ CAIRN_MONGODB_URL=… CAIRN_REDIS_URL=… cairn setup`;

export function setupCommand(program: Command, io: Io): void {
  const command = program
    .command('setup')
    .description('create collections and indexes, bring the data up to date, and check the servers')
    .addHelpText('after', notes);
  addSettingOptions(command).action(async (flags: SettingFlags) => await setup(io, flags));
}

async function setup(io: Io, flags: SettingFlags): Promise<void> {
  const settings = readSettings(io.env, flags, ['integrity', 'control-plane']);
  // Imported here, because it loads most of the program.
  const { setUp } = await import('../../composition/setup.ts');
  for await (const { name, found } of setUp(settings, openLog(settings.logLevel, io.stderr)))
    await writeText(io, `${name.padEnd(6)} ready  ${found}\n`);
}
