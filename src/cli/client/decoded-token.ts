import { decodeJwt, decodeProtectedHeader } from 'jose';

/** A token as anybody can read it; nothing of it is verified, and its signature is left out. */
export interface DecodedToken {
  /** undefined when the token is no JWT: then only its issuer can read it. */
  readonly header: Readonly<Record<string, unknown>> | undefined;
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  /** undefined when it does not say. */
  readonly expiresAt: Date | undefined;
}

export function decodeToken(token: string): DecodedToken {
  try {
    const claims = decodeJwt(token);
    const { exp } = claims;
    const at = typeof exp === 'number' ? new Date(exp * 1_000) : undefined;
    const expiresAt = at && Number.isNaN(at.getTime()) ? undefined : at;
    return { header: { ...decodeProtectedHeader(token) }, claims, expiresAt };
  } catch {
    return { header: undefined, claims: undefined, expiresAt: undefined };
  }
}

export function hasExpired({ expiresAt }: DecodedToken, now: Date): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}
