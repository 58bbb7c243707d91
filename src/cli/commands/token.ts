import { type Command, Option } from 'commander';
import { type ClientSettings, readClientSettings } from '../client/client-settings.ts';
import { bearerOf, decodeToken, hasExpired } from '../client/token-file.ts';
import { failNo } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { indented, writeText } from '../terminal/output.ts';

const notes = `
Header and claims are printed unverified and without the signature, so the output cannot be used as a token. --raw
prints a whole token for scripts. Keep it secret: its holder can act as you until it expires.

The exit code is 1 if there is no token or the token that commands send has expired.

Examples:
  $ cairn token
  $ curl -H "Authorization: Bearer $(cairn token --raw id)" https://cairn.example/v1/me`;

interface TokenFlags {
  readonly json?: true;
  readonly raw?: 'id' | 'access';
}

export function tokenCommand(program: Command, io: Io): void {
  const raw = new Option('--raw <kind>', 'print one whole token of the login');
  program
    .command('token')
    .description('print the decoded token that commands send to this service')
    .option('--json', 'print JSON')
    .addOption(raw.choices(['id', 'access']).conflicts('json'))
    .addHelpText('after', notes)
    .action(async (flags: TokenFlags) => await printTokens(io, flags));
}

interface HeldToken {
  readonly kind: 'CAIRN_TOKEN' | 'id_token' | 'access_token';
  readonly token: string;
  readonly isSent: boolean;
}

async function printTokens(io: Io, { json, raw }: TokenFlags): Promise<void> {
  const settings = readClientSettings(io);
  const { url } = settings;
  const wanted = raw && ['CAIRN_TOKEN', `${raw}_token`];
  const held = heldTokens(settings).filter(({ kind }) => !wanted || wanted.includes(kind));
  const [first] = held;
  if (!first) failNo(`There is no token for ${url}. Run "cairn login", or set CAIRN_TOKEN.`);
  if (raw) return await writeText(io, `${first.token}\n`);
  const text = json ? indented({ url, tokens: held.map(jsonOf) }) : held.map(textOf).join('\n');
  await writeText(io, text);
  if (held.some(({ isSent, token }) => isSent && hasExpired(decodeToken(token))))
    failNo('The token that commands send has expired. Run "cairn login".');
}

function heldTokens({ token, tokenFile }: ClientSettings): readonly HeldToken[] {
  if (token !== null) return [{ kind: 'CAIRN_TOKEN', token, isSent: true }];
  const login = tokenFile.read();
  if (!login) return [];
  const sent = bearerOf(login);
  const kinds = ['id_token', 'access_token'] as const;
  return kinds.map((kind) => ({ kind, token: login[kind], isSent: login[kind] === sent }));
}

function jsonOf({ kind, token, isSent }: HeldToken) {
  const decoded = decodeToken(token);
  const { header = null, claims = null, expiresAt } = decoded;
  const expiry = expiresAt?.toISOString() ?? null;
  return { kind, sent: isSent, expires_at: expiry, expired: hasExpired(decoded), header, claims };
}

function textOf({ kind, token, isSent }: HeldToken): string {
  const { header, claims, expiresAt } = decodeToken(token);
  const title = `${kind}${isSent ? ', which commands send' : ''}: ${expiryOf(expiresAt)}\n`;
  if (!header) return `${title}not a JWT: only its issuer can read it\n`;
  return `${title}header ${JSON.stringify(header, null, 2)}\nclaims ${JSON.stringify(claims, null, 2)}\n`;
}

function expiryOf(expiresAt: Date | undefined): string {
  if (expiresAt === undefined) return 'has no expiry';
  const minutes = Math.floor((expiresAt.getTime() - Date.now()) / 60_000);
  if (minutes < 0) return `expired at ${expiresAt.toISOString()}`;
  const left = minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
  return `expires at ${expiresAt.toISOString()}, in ${left}`;
}
