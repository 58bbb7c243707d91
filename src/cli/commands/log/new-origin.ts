import type { Command } from 'commander';
import { readSettings } from '../../../platform/settings/settings.ts';
import { addSettingOptions, type SettingFlags } from '../../setting-options.ts';
import type { Io } from '../../terminal/io.ts';
import { say, writeText } from '../../terminal/output.ts';

const notes = `
Use it only after an older backup was restored and the newer store is lost for good: the service then refuses to sign, because a
log must not have two histories. Under the new origin it is another log, which begins with what the restored store has. What was
lost cannot be proved any more, and the new name says so. Stop all services first. docs/backup.md has the steps.

The printed verifier key is the new one. Give it to witnesses and to those who follow the log.

Example:
  $ cairn log new-origin cairn.example/log/v1/since-2026-11-24`;

export function newOriginCommand(log: Command, io: Io): void {
  const command = log
    .command('new-origin')
    .description('let the log of a restored store go on under a new name, deliberately')
    .argument('<origin>', 'a name that the log never had, without a scheme')
    .addHelpText('after', notes);
  addSettingOptions(command).action(async (origin: string, flags: SettingFlags) => {
    const settings = readSettings(io.env, flags, ['integrity']);
    // Imported here, because it loads most of the program.
    const { takeNewOrigin } = await import('../../../composition/new-origin.ts');
    const { former, vkey, entries } = await takeNewOrigin(settings, origin, (sentence) => say(io, sentence));
    await writeText(io, `${vkey}\n`);
    say(io, `The log was ${former} and goes on as ${origin}, from ${entries.toLocaleString('en')} entries.`);
    if (settings.logHeadFile !== null)
      say(
        io,
        `Move the head file ${settings.logHeadFile} away. It belongs to ${former}, and the next start makes a new one.`,
      );
  });
}
