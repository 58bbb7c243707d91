import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { JsonObject } from '../../domain/json/is-object.ts';
import { failUsage } from '../terminal/failure.ts';
import type { StoredLogin } from './token-file.ts';

/** A decoded token without its signature. Nothing is verified. */
export interface DecodedToken {
  /** Undefined if the token is not a JWT. */
  readonly header?: JsonObject;
  readonly claims?: JsonObject;
  /** Undefined if the token has no expiry. */
  readonly expiresAt?: Date;
}

export function decodeToken(token: string): DecodedToken {
  try {
    const claims = decodeJwt(token);
    const expiresAt = new Date((claims.exp ?? Number.NaN) * 1_000);
    return {
      header: { ...decodeProtectedHeader(token) },
      claims,
      ...(!Number.isNaN(expiresAt.getTime()) && { expiresAt }),
    };
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

/** @param token one of the login's tokens. @throws Failure if it has expired. */
export function validBearerOf(login: StoredLogin, url: string, token = bearerOf(login)): string {
  const decoded = decodeToken(token);
  if (!hasExpired(decoded)) return token;
  failUsage(
    `The login at ${url} expired at ${decoded.expiresAt?.toISOString()}. Run "cairn login", or run "cairn logout" to send no token.`,
  );
}
