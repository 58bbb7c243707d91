import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { deviceConfig } from '../../contract/control-plane/authentication.ts';
import { isSafeUrl } from '../../platform/http/addresses.ts';
import { httpUrl } from '../../platform/settings/kinds.ts';
import { ApiRefusal, answerJson, openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { failNo } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { say } from '../terminal/output.ts';
import type { DeviceConfig, IssuedTokens, UserCode } from './login/device-login.ts';

const notes = `
The command asks the service for its token issuer. You enter a code there in a browser, on this or another machine. The
tokens are stored for CAIRN_URL in a file below $XDG_CONFIG_HOME/cairn/tokens (default ~/.config), which only you can
read. Other commands send them only to that address. CAIRN_TOKEN takes precedence if it is set.

Examples:
  $ CAIRN_URL=https://cairn.example cairn login
  $ CAIRN_URL=https://integrity.example cairn login --issuer-from https://control.example`;

export function loginCommand(program: Command, io: Io): void {
  program
    .command('login')
    .description('log in with a browser and store the token')
    .option('--issuer-from <url>', 'ask this control plane for the token issuer', address)
    .addHelpText('after', notes)
    .action(async ({ issuerFrom }: { issuerFrom?: string }) => await login(io, issuerFrom));
}

function address(text: string): string {
  const { data, error } = httpUrl.safeParse(text);
  if (data === undefined) throw new InvalidArgumentError(`It ${error?.issues[0]?.message}.`);
  return data;
}

async function login(io: Io, issuerFrom: string | undefined): Promise<void> {
  const settings = readClientSettings(io);
  // Fails before the user enters a code if the file cannot be used.
  settings.tokenFile.read();
  const config = await readDeviceConfig(issuerFrom ?? settings.url);
  // Imported here, because only this command needs OAuth.
  const { deviceLogin } = await import('./login/device-login.ts');
  const tokens = await deviceLogin(config, {
    show: (code) => say(io, instructions(code)),
    wait: async (milliseconds, signal) => await delay(milliseconds, undefined, { signal }),
    clock: () => performance.now(),
    stop: io.stopSignal(),
  });
  settings.tokenFile.store({
    issuer: config.issuer.href,
    client_id: config.clientId,
    id_token: tokens.idToken,
    access_token: tokens.accessToken,
  });
  say(io, `Logged in at ${settings.url} as ${nameOf(tokens)}. "cairn token" shows the tokens.`);
  if (!isSafeUrl(new URL(settings.url)))
    say(io, `${settings.url} has no https, so others on the network can read the token when it is sent.`);
  if (settings.token !== null) say(io, 'CAIRN_TOKEN is set, so commands keep sending that token.');
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

/** Asks a control plane. @throws Failure if it offers no login for tools, or its issuer has no https. */
async function readDeviceConfig(url: string): Promise<DeviceConfig> {
  const response = await openClient({ url, bearer: () => null })
    .send('GET', '/v1/auth/device-config')
    .catch((error: unknown) => {
      if (!(error instanceof ApiRefusal) || error.status !== 404 || error.code === '') throw error;
      failNo(
        `The service at ${url} offers no login for tools: ${error.message} If authentication is enabled, set CAIRN_TOKEN or name the control plane with --issuer-from.`,
      );
    });
  const { issuer, client_id, scopes, audience } = await answerJson(response, deviceConfig);
  const address = new URL(issuer);
  if (!isSafeUrl(address))
    failNo(`The service at ${url} names the issuer ${issuer}, which has no https. Nothing was sent to it.`);
  return { issuer: address, clientId: client_id, scopes, audience };
}
