import { homedir } from 'node:os';
import { join } from 'node:path';
import { httpUrl, type SettingKind, text } from '../../platform/settings/kinds.ts';
import { type EffectiveSetting, type Environment, SettingsError } from '../../platform/settings/settings.ts';
import { shownValue } from '../../platform/settings/shown-value.ts';
import type { Io } from '../terminal/io.ts';
import { keptBearer } from './bearer.ts';
import { openTokenFile } from './token-file.ts';

export interface ClientSettings {
  /** Address of the service, without a slash at its end. */
  readonly url: string;
  /** CAIRN_TOKEN. */
  readonly token: string | null;
  /** What is sent as bearer: CAIRN_TOKEN, else the token of a login. @throws Failure when that has expired. */
  readonly bearer: () => string | null;
  /** Where logins are kept. */
  readonly configDir: string;
  /** Trusted context documents for verifying offline. */
  readonly contextsDir: string | null;
  /** Where interrupted work is remembered. */
  readonly stateDir: string;
}

const bearer: SettingKind<string> = {
  name: 'token',
  parse(value) {
    if (/^[\w.~+/=-]+$/.test(value)) return value;
    throw new Error('must be a token: letters, digits and ._~+/=- alone');
  },
};

const url = {
  variable: 'CAIRN_URL',
  kind: httpUrl,
  default: 'http://127.0.0.1:3050',
  about: 'Address of the service that the client commands call.',
};
const token = {
  variable: 'CAIRN_TOKEN',
  kind: bearer,
  default: null,
  about: 'Bearer token that the client commands send. Default: the token of "cairn login" for that address.',
};

/** @throws SettingsError with every problem. */
export function readClientSettings(io: Pick<Io, 'env' | 'stderr'>): ClientSettings {
  const { env: environment } = io;
  const home = environment.HOME || homedir();
  const problems: string[] = [];
  const read = <Value>(variable: string, kind: SettingKind<Value>, isSecret: boolean): Value | null => {
    const written = environment[variable];
    if (!written) return null;
    try {
      return kind.parse(written);
    } catch (error) {
      const shown = isSecret ? '…' : shownValue(written, false);
      problems.push(`${variable}="${shown}" ${(error as Error).message}.`);
      return null;
    }
  };
  const address = read(url.variable, url.kind, false) ?? url.default;
  const given = read(token.variable, token.kind, true);
  const configDir = join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'cairn');
  const settings = {
    url: address,
    token: given,
    bearer: () => given ?? keptBearer(openTokenFile(configDir, io), address, new Date()),
    configDir,
    contextsDir: read('CAIRN_CONTEXTS_DIR', text, false),
    stateDir: join(environment.XDG_STATE_HOME || join(home, '.local', 'state'), 'cairn'),
  };
  if (problems.length > 0) throw new SettingsError(problems);
  return settings;
}

/** What `cairn config` prints about them; the token is masked. */
export function effectiveClientSettings(environment: Environment): EffectiveSetting[] {
  const address = environment[url.variable];
  const hasToken = Boolean(environment[token.variable]);
  return [
    {
      variable: url.variable,
      flag: null,
      value: shownValue(address || url.default, false),
      isDefault: !address,
      about: url.about,
    },
    {
      variable: token.variable,
      flag: null,
      value: hasToken ? shownValue('', true) : null,
      isDefault: !hasToken,
      about: token.about,
    },
  ];
}
