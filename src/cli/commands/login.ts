import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { isSafeUrl } from '../../platform/http/loopback.ts';
import { httpUrl } from '../../platform/settings/kinds.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { openTokenFile } from '../client/token-file.ts';
import type { Io } from '../terminal/io.ts';
import { printable } from '../terminal/printable.ts';
import { readDeviceConfig } from './login/device-config.ts';
import type { IssuedTokens, UserCode } from './login/device-login.ts';

const notes = `
The service says who issues its tokens; you enter a code there in a browser, on this machine or any other. The
tokens are kept for CAIRN_URL in $XDG_CONFIG_HOME/cairn/tokens.json (~/.config/cairn), which nobody else can read;
other commands send them to that address alone. CAIRN_TOKEN, where it is set, comes first.

Examples:
  $ CAIRN_URL=https://cairn.example cairn login
  $ CAIRN_URL=https://integrity.example cairn login --issuer-from https://control.example`;

export function loginCommand(program: Command, io: Io): void {
  program
    .command('login')
    .description('log in with a browser, and keep the token')
    .option('--issuer-from <url>', 'ask this control plane who issues the tokens', address)
    .addHelpText('after', notes)
    .action(async ({ issuerFrom }: { issuerFrom?: string }) => await login(io, issuerFrom));
}

function address(text: string): string {
  try {
    return httpUrl.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}.`);
  }
}

async function login(io: Io, issuerFrom: string | undefined): Promise<void> {
  const say = (sentence: string) => void io.stderr.write(`${printable(sentence)}\n`);
  const settings = readClientSettings(io);
  const file = openTokenFile(settings.configDir, io);
  // A file that cannot be used is told before anybody enters a code.
  file.read(settings.url);
  const config = await readDeviceConfig(issuerFrom ?? settings.url);
  // OAuth is for this command alone, and others start without it.
  const { deviceLogin } = await import('./login/device-login.ts');
  const tokens = await deviceLogin(config, {
    show: (code) => say(instructions(code)),
    wait: async (milliseconds, signal) => await delay(milliseconds, undefined, { signal }),
    clock: () => performance.now(),
    stop: io.stopSignal(),
  });
  file.keep(settings.url, {
    issuer: config.issuer.href,
    client_id: config.clientId,
    id_token: tokens.idToken,
    access_token: tokens.accessToken,
  });
  say(`Logged in at ${settings.url} as ${nameOf(tokens)}. "cairn token" shows what is kept.`);
  if (!isSafeUrl(new URL(settings.url)))
    say(`${settings.url} has no https: whoever is on the way there can read the token when it is sent.`);
  if (settings.token !== null) say('CAIRN_TOKEN is set: commands go on sending that one.');
}

function instructions({ code, address, completeAddress, expiresInSeconds }: UserCode): string {
  const minutes = Math.max(1, Math.round(expiresInSeconds / 60));
  const complete = completeAddress ? `, or open ${completeAddress} and compare the code` : '';
  return `Open ${address}\nand enter the code ${code}${complete}.\nWaiting for up to ${minutes} min; Ctrl-C stops.`;
}

function nameOf({ claims }: IssuedTokens): string {
  const { email, name, sub } = claims;
  return [email, name].find((value) => typeof value === 'string' && value !== '')?.toString() ?? sub;
}
