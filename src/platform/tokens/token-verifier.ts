import { createHash } from 'node:crypto';

export type Claims = Readonly<Record<string, unknown>>;

/** The bearer of a token, as its issuer describes them. */
export interface VerifiedToken {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Claims;
  /** Milliseconds since 1970; null if the token has no expiry. */
  readonly expiresAt: number | null;
}

const longestName = 1_000;

/** Whether a value can be a name that stores and logs keep unchanged. */
export function isName(name: unknown): name is string {
  return (
    typeof name === 'string' &&
    name !== '' &&
    name.length <= longestName &&
    name.isWellFormed() &&
    !/\p{Cc}/u.test(name)
  );
}

export interface TokenVerifier {
  /** The remembered result for a token that was verified lately, otherwise undefined. */
  known(token: string): VerifiedToken | undefined;
  /** @throws RefusedToken; ServiceError `unavailable` when the token cannot be verified now. */
  verify(token: string): Promise<VerifiedToken>;
}

/** Identifies a token in caches, so that the token itself is not kept in memory. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
