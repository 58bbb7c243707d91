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

--administrator makes an administrator of the user who has signed in last with that verified e-mail, for example after
the provider has changed and everybody is a new user. With the embedded store, stop the service first.

Examples:
  $ cairn setup
  $ cairn setup --administrator ada@example.com
  $ CAIRN_MONGODB_URL=… CAIRN_REDIS_URL=… cairn setup`;

export function setupCommand(program: Command, io: Io): void {
  const command = program
    .command('setup')
    .description('create collections and indexes, bring the data up to date, and check the servers')
    .option('--administrator <email>', 'make this user an administrator')
    .addHelpText('after', notes);
  addSettingOptions(command).action(async (flags: SetupFlags) => await setup(io, flags));
}

type SetupFlags = SettingFlags & { readonly administrator?: string };

async function setup(io: Io, { administrator, ...flags }: SetupFlags): Promise<void> {
  const settings = readSettings(io.env, flags, ['integrity', 'control-plane']);
  // Imported here, because it loads most of the program.
  const { setUp } = await import('../../composition/setup.ts');
  for await (const { name, found } of setUp(settings, openLog(settings, io.stderr), administrator ?? null))
    await writeText(io, `${name.padEnd(6)} ready  ${found}\n`);
}
