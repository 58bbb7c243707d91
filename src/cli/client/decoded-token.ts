import { decodeJwt, decodeProtectedHeader } from 'jose';

/** A decoded token without its signature. Nothing is verified. */
export interface DecodedToken {
  /** Undefined if the token is not a JWT. */
  readonly header: Readonly<Record<string, unknown>> | undefined;
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  /** Undefined if the token has no expiry. */
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
