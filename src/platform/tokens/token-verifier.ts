import { createHash } from 'node:crypto';
import type { ProvenEmail } from '../../domain/control-plane/users.ts';

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

interface Person extends ProvenEmail {
  readonly name: string | null;
}

/** An e-mail is verified only if `email_verified` is exactly true. */
export function personOf(claims: Claims): Person {
  const text = (value: unknown) => (isName(value) ? value : null);
  const email = text(claims.email);
  return { email, emailVerified: email !== null && claims.email_verified === true, name: text(claims.name) };
}
