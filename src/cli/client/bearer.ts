import { failUsage } from '../terminal/failure.ts';
import { decodeToken, hasExpired } from './decoded-token.ts';
import type { KeptLogin, TokenFile } from './token-file.ts';

/**
 * The token of a login that commands send: the access token where the issuer made it for a service (RFC 9068), the ID
 * token otherwise.
 * @throws Failure when it has expired.
 */
export function keptBearer(file: TokenFile, url: string, now: Date): string | null {
  const login = file.read(url);
  if (!login) return null;
  const token = bearerOf(login);
  const decoded = decodeToken(token);
  if (!hasExpired(decoded, now)) return token;
  failUsage(
    `The login at ${url} expired at ${decoded.expiresAt?.toISOString()}. Run "cairn login", or "cairn logout" to go without.`,
  );
}

export function bearerOf({ id_token, access_token }: KeptLogin): string {
  const typ = decodeToken(access_token).header?.typ;
  const isForServices = typeof typ === 'string' && /^(?:application\/)?at\+jwt$/i.test(typ);
  return isForServices ? access_token : id_token;
}
