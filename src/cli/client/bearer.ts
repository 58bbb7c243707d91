import { failUsage } from '../terminal/failure.ts';
import { decodeToken, hasExpired } from './decoded-token.ts';
import type { StoredLogin, TokenFile } from './token-file.ts';

/**
 * The token of "cairn login" that commands send: the access token if it is a JWT for services (RFC 9068), otherwise the
 * ID token.
 * @throws Failure if it has expired.
 */
export function storedBearer(file: TokenFile, url: string, now: Date): string | null {
  const login = file.read(url);
  if (!login) return null;
  const token = bearerOf(login);
  const decoded = decodeToken(token);
  if (!hasExpired(decoded, now)) return token;
  failUsage(
    `The login at ${url} expired at ${decoded.expiresAt?.toISOString()}. Run "cairn login", or run "cairn logout" to send no token.`,
  );
}

export function bearerOf({ id_token, access_token }: StoredLogin): string {
  const typ = decodeToken(access_token).header?.typ;
  const isForServices = typeof typ === 'string' && /^(?:application\/)?at\+jwt$/i.test(typ);
  return isForServices ? access_token : id_token;
}
