import { type Command, Option } from 'commander';
import { bearerOf } from '../client/bearer.ts';
import { type ClientSettings, readClientSettings } from '../client/client-settings.ts';
import { type DecodedToken, decodeToken, hasExpired } from '../client/decoded-token.ts';
import { openTokenFile } from '../client/token-file.ts';
import { exitCodes, Failure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { writeText } from '../terminal/write-out.ts';

const notes = `
Header and claims are printed as they stand in the token, unverified and without its signature: what is printed
lets nobody in. --raw prints a token itself, for scripts; whoever has it is you until it expires.

The exit code is 1 when there is no token, or the one that commands send has expired.

Examples:
  $ cairn token
  $ curl -H "Authorization: Bearer $(cairn token --raw id)" https://cairn.example/v1/me`;

type RawKind = 'id' | 'access';

interface TokenFlags {
  readonly json?: true;
  readonly raw?: RawKind;
}

export function tokenCommand(program: Command, io: Io): void {
  program
    .command('token')
    .description('print the token that commands send to this service, decoded')
    .option('--json', 'print JSON')
    .addOption(
      new Option('--raw <kind>', 'print one token of the login as it is')
        .choices(['id', 'access'])
        .conflicts('json'),
    )
    .addHelpText('after', notes)
    .action(async (flags: TokenFlags) => await printTokens(io, flags));
}

interface HeldToken {
  readonly kind: 'CAIRN_TOKEN' | 'id_token' | 'access_token';
  readonly token: string;
  /** Whether commands send this one. */
  readonly isSent: boolean;
}

async function printTokens(io: Io, { json, raw }: TokenFlags): Promise<void> {
  const settings = readClientSettings(io);
  const held = heldTokens(io, settings);
  if (raw !== undefined) return await writeText(io, `${rawToken(held, raw, settings.url)}\n`);
  if (held.length === 0) noToken(settings.url);
  const now = new Date();
  const shown = held.map(({ token, ...rest }) => ({ ...rest, ...decodeToken(token) }));
  await writeText(
    io,
    json
      ? `${JSON.stringify({ url: settings.url, tokens: shown.map((token) => jsonOf(token, now)) }, null, 2)}\n`
      : shown.map((token) => textOf(token, now)).join('\n'),
  );
  if (shown.some((token) => token.isSent && hasExpired(token, now)))
    throw new Failure(exitCodes.no, 'The token that commands send has expired. Run "cairn login".');
}

function heldTokens(io: Io, { url, token, configDir }: ClientSettings): readonly HeldToken[] {
  if (token !== null) return [{ kind: 'CAIRN_TOKEN', token, isSent: true }];
  const login = openTokenFile(configDir, io).read(url);
  if (!login) return [];
  const sent = bearerOf(login);
  return (['id_token', 'access_token'] as const).map((kind) => ({
    kind,
    token: login[kind],
    isSent: login[kind] === sent,
  }));
}

function rawToken(held: readonly HeldToken[], kind: RawKind, url: string): string {
  return (
    held.find((token) => token.kind === 'CAIRN_TOKEN' || token.kind === `${kind}_token`)?.token ??
    noToken(url)
  );
}

function noToken(url: string): never {
  throw new Failure(exitCodes.no, `There is no token for ${url}. Run "cairn login", or set CAIRN_TOKEN.`);
}

type ShownToken = Omit<HeldToken, 'token'> & DecodedToken;

function jsonOf({ kind, isSent, header, claims, expiresAt, ...rest }: ShownToken, now: Date) {
  const expiry = expiresAt?.toISOString() ?? null;
  const expired = hasExpired({ header, claims, expiresAt, ...rest }, now);
  return { kind, sent: isSent, expires_at: expiry, expired, header: header ?? null, claims: claims ?? null };
}

function textOf(token: ShownToken, now: Date): string {
  const { kind, isSent, header, claims } = token;
  const title = `${kind}${isSent ? ', which commands send' : ''}: ${expiryOf(token, now)}\n`;
  if (!header) return `${title}no JWT: only its issuer can read it\n`;
  return `${title}header ${JSON.stringify(header, null, 2)}\nclaims ${JSON.stringify(claims, null, 2)}\n`;
}

function expiryOf({ expiresAt }: DecodedToken, now: Date): string {
  if (expiresAt === undefined) return 'does not say when it expires';
  const minutes = Math.floor((expiresAt.getTime() - now.getTime()) / 60_000);
  if (minutes < 0) return `expired at ${expiresAt.toISOString()}`;
  const left = minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
  return `expires at ${expiresAt.toISOString()}, in ${left}`;
}
