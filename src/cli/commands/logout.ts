import type { Command } from 'commander';
import { readClientSettings } from '../client/client-settings.ts';
import type { Io } from '../terminal/io.ts';
import { say } from '../terminal/output.ts';

const notes = `
Copies of the token stay valid until it expires.

Examples:
  $ cairn logout
  $ CAIRN_URL=https://cairn.example cairn logout`;

export function logoutCommand(program: Command, io: Io): void {
  program
    .command('logout')
    .description('remove the token of "cairn login" for this service')
    .addHelpText('after', notes)
    .action(() => logout(io));
}

function logout(io: Io): void {
  const settings = readClientSettings(io);
  const wasStored = settings.tokenFile.remove();
  const sentence = wasStored ? 'Removed the token' : 'There was no token';
  say(io, `${sentence} for ${settings.url}.`);
  if (settings.token !== null) say(io, 'CAIRN_TOKEN is set, so commands keep sending that token.');
}
