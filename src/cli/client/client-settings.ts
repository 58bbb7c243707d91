import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { httpUrl } from '../../platform/settings/kinds.ts';
import { placeSettingTable } from '../../platform/settings/place.ts';
import { optionalSecret, required } from '../../platform/settings/setting.ts';
import { type Environment, readTable } from '../../platform/settings/settings.ts';
import type { Io } from '../terminal/io.ts';
import { validBearerOf } from './bearer.ts';
import { TokenFile } from './token-file.ts';

export interface ClientSettings {
  /** Address of the service, without a trailing slash. */
  readonly url: string;
  readonly token: string | null;
  /** The bearer token to send: CAIRN_TOKEN, or the stored token. @throws Failure if the stored token has expired. */
  readonly bearer: () => string | null;
  /** The same for the control plane, which takes the ID token of a login. */
  readonly idBearer: () => string | null;
  readonly tokenFile: TokenFile;
  /** Trusted context documents for offline verification. */
  readonly contextsDir: string | null;
  readonly stateDir: string;
}

const bearerToken = z.string().regex(/^[\w.~+/=-]+$/, 'must be a token of letters, digits and ._~+/=-');

export const clientSettingTable = {
  url: required(
    'CAIRN_URL',
    httpUrl,
    'http://127.0.0.1:3050',
    'Address of the service that the client commands call.',
  ),
  token: optionalSecret(
    'CAIRN_TOKEN',
    bearerToken,
    'Bearer token that the client commands send. Default: the token of "cairn login" for that address.',
  ),
};

/** @throws SettingsError with every problem. */
export function readClientSettings(io: Pick<Io, 'env' | 'stderr'>): ClientSettings {
  const { env } = io;
  const { contextsDir } = placeSettingTable;
  const settings = readTable({ ...clientSettingTable, contextsDir }, withoutEmpty(env));
  const { url, token } = settings;
  const home = env.HOME || homedir();
  const configDir = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'cairn');
  const tokenFile = new TokenFile(configDir, url, io);
  return {
    ...settings,
    bearer: () => {
      const login = token === null ? tokenFile.read() : undefined;
      return login ? validBearerOf(login, url) : token;
    },
    idBearer: () => {
      const login = token === null ? tokenFile.read() : undefined;
      return login ? validBearerOf(login, url, login.id_token) : token;
    },
    tokenFile,
    stateDir: join(env.XDG_STATE_HOME || join(home, '.local', 'state'), 'cairn'),
  };
}

/** For client commands, an empty variable counts as unset. */
export function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
}
