import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { publicUrl } from '../../platform/settings/kinds.ts';
import { placeSettingTable } from '../../platform/settings/service.ts';
import { optionalSecret, required } from '../../platform/settings/setting.ts';
import { type Environment, readTable } from '../../platform/settings/settings.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { type FolderFile, findFolderFile } from './folder-file.ts';
import { bearerOf, type StoredLogin, TokenFile, validToken } from './token-file.ts';

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
  /** The file of `cairn init` for this folder. */
  readonly folderFile: FolderFile | undefined;
}

const bearerToken = z.string().regex(/^[\w.~+/=-]+$/, 'must be a token of letters, digits and ._~+/=-');

export const clientSettingTable = {
  url: required('CAIRN_URL', publicUrl, 'http://127.0.0.1:3050').about(
    'Address of the service that the client commands call.',
  ),
  token: optionalSecret('CAIRN_TOKEN', bearerToken).about(
    'Bearer token that the client commands send. Default: the token of "cairn login" for that address.',
  ),
};

/** @throws SettingsError with every problem; Failure (usage) for a folder file that cannot be used. */
export function readClientSettings(io: Pick<Io, 'env' | 'cwd' | 'stderr'>): ClientSettings {
  const { env } = io;
  const { contextsDir } = placeSettingTable;
  const { folderFile, variables } = clientVariables(io);
  const settings = readTable({ ...clientSettingTable, contextsDir }, variables);
  const { url, token } = settings;
  const tokenFile = new TokenFile(configFolder(env), url, io);
  const bearer = (choose: (login: StoredLogin) => string) => {
    const login = token === null ? tokenFile.read() : undefined;
    return login ? validToken(choose(login), url) : token;
  };
  return {
    ...settings,
    folderFile,
    bearer: () => bearer(bearerOf),
    idBearer: () => bearer(({ id_token }) => id_token),
    tokenFile,
    stateDir: join(env.XDG_STATE_HOME || join(homeOf(env), '.local', 'state'), 'cairn'),
  };
}

/** Where the keys and tokens of this person are kept. */
export function configFolder(env: Environment): string {
  return join(env.XDG_CONFIG_HOME || join(homeOf(env), '.config'), 'cairn');
}

function homeOf(env: Environment): string {
  return env.HOME || homedir();
}

/**
 * The variables of the environment and of cairn.json.
 * @throws Failure (usage) for a folder file that cannot be used.
 */
export function clientVariables({ env, cwd }: Pick<Io, 'env' | 'cwd'>) {
  const folderFile = findFolderFile(cwd);
  return { folderFile, variables: { ...urlOf(folderFile, env), ...withoutEmpty(env) } };
}

/** Somebody else may have written the file, so a token for another service is never sent to its address. */
function urlOf(file: FolderFile | undefined, env: Environment): Environment {
  if (file?.url === undefined || env.CAIRN_URL) return {};
  if (env.CAIRN_TOKEN)
    failUsage(
      `CAIRN_TOKEN is set without CAIRN_URL, and ${file.path} names the service ${file.url}. To send the token there, set CAIRN_URL=${file.url}.`,
    );
  return { CAIRN_URL: file.url };
}

/** For client commands, an empty variable counts as unset. */
export function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
}
