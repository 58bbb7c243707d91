import { RefusedToken } from './refused-token.ts';

/** Larger ones are refused before anything is done with them. */
const longestToken = 16_384;

const tokenForm = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * The token of an `Authorization` header (RFC 6750, section 2.1); undefined without one. Several values arrive
 * joined by a comma, which no token has.
 * @throws RefusedToken `malformed`, `too_long`.
 */
export function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || !/^bearer(?: |$)/i.test(authorization)) return undefined;
  if (authorization.length > longestToken) throw new RefusedToken('too_long');
  const [, token] = tokenForm.exec(authorization) ?? [];
  if (token === undefined) throw new RefusedToken('malformed');
  return token;
}
