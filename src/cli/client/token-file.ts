import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { z } from 'zod';
import type { JsonObject } from '../../domain/json/is-object.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { say } from '../terminal/output.ts';

const text = z.string();
const login = z.object({ issuer: text, client_id: text, id_token: text, access_token: text });

export type StoredLogin = z.output<typeof login>;

/** The tokens for one service, in a file of their own that only its owner can read. */
export class TokenFile {
  readonly #path: string;
  readonly #warn: (sentence: string) => void;

  constructor(configDir: string, url: string, io: Pick<Io, 'stderr'>) {
    this.#path = join(configDir, 'tokens', `${encodeURIComponent(url)}.json`);
    this.#warn = (sentence) => say(io, sentence);
  }

  /** @throws Failure if the file is damaged. */
  read(): StoredLogin | undefined {
    try {
      const content = readFileSync(this.#path, 'utf8');
      this.#restrict(dirname(this.#path), 0o700);
      this.#restrict(this.#path, 0o600);
      return login.parse(JSON.parse(content));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      if (error instanceof SyntaxError || error instanceof z.ZodError)
        failUsage(`${this.#path} is damaged. Remove it, then run "cairn login" again.`);
      throw error;
    }
  }

  store(stored: StoredLogin): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    this.#restrict(dirname(this.#path), 0o700);
    const staged = `${this.#path}.${process.pid}`;
    rmSync(staged, { force: true });
    writeFileSync(staged, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(staged, this.#path);
  }

  /** @returns whether there was a login. */
  remove(): boolean {
    const wasStored = this.read() !== undefined;
    rmSync(this.#path, { force: true });
    return wasStored;
  }

  /** Removes the permissions of group and others. */
  #restrict(path: string, mode: number): void {
    if (process.platform === 'win32' || (statSync(path).mode & 0o077) === 0) return;
    chmodSync(path, mode);
    this.#warn(
      `${path} was accessible to others. Its mode is now ${mode.toString(8)}. If somebody may have read it, log out at the issuer.`,
    );
  }
}

/** A decoded token without its signature. Nothing is verified. */
interface DecodedToken {
  /** Undefined if the token is not a JWT. */
  readonly header?: JsonObject;
  readonly claims?: JsonObject;
  /** Undefined if the token has no expiry. */
  readonly expiresAt?: Date;
}

export function decodeToken(token: string): DecodedToken {
  try {
    const claims = decodeJwt(token);
    const header = { ...decodeProtectedHeader(token) };
    const expiresAt = new Date((claims.exp ?? Number.NaN) * 1_000);
    return { header, claims, ...(!Number.isNaN(expiresAt.getTime()) && { expiresAt }) };
  } catch {
    return {};
  }
}

export function hasExpired({ expiresAt }: DecodedToken): boolean {
  return expiresAt !== undefined && expiresAt.getTime() <= Date.now();
}

/** The token of a login that commands send: the access token if it is a JWT for services (RFC 9068), else the ID token. */
export function bearerOf({ id_token, access_token }: StoredLogin): string {
  const typ = decodeToken(access_token).header?.typ;
  const isForServices = typeof typ === 'string' && /^(?:application\/)?at\+jwt$/i.test(typ);
  return isForServices ? access_token : id_token;
}

/** @throws Failure if the token of a login has expired. */
export function validToken(token: string, url: string): string {
  const decoded = decodeToken(token);
  if (!hasExpired(decoded)) return token;
  failUsage(
    `The login at ${url} expired at ${decoded.expiresAt?.toISOString()}. Run "cairn login", or run "cairn logout" to send no token.`,
  );
}
