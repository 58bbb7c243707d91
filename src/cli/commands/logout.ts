import type { Command } from 'commander';
import { readClientSettings } from '../client/client-settings.ts';
import { openTokenFile } from '../client/token-file.ts';
import type { Io } from '../terminal/io.ts';

const notes = `
The token itself stays valid until it expires, wherever a copy of it may be.

Examples:
  $ cairn logout
  $ CAIRN_URL=https://cairn.example cairn logout`;

export function logoutCommand(program: Command, io: Io): void {
  program
    .command('logout')
    .description('forget the token of "cairn login" for this service')
    .addHelpText('after', notes)
    .action(() => logout(io));
}

function logout(io: Io): void {
  const settings = readClientSettings(io);
  const wasKept = openTokenFile(settings.configDir, io).remove(settings.url);
  const sentence = wasKept ? 'The token is forgotten' : 'There was no token';
  io.stderr.write(`${sentence} for ${settings.url}.\n`);
  if (settings.token !== null) io.stderr.write('CAIRN_TOKEN is set: commands go on sending that one.\n');
}
