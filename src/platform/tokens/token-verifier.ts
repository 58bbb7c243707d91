import { createHash } from 'node:crypto';

export type Claims = Readonly<Record<string, unknown>>;

/** Who a token speaks for, as far as whoever issued it says. */
export interface VerifiedToken {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Claims;
  /** Milliseconds since 1970; null when the token does not say. */
  readonly expiresAt: number | null;
}

const longestName = 1_000;

/** Whether it can name somebody: stores and logs tell it from any other name. */
export function isName(name: unknown): name is string {
  return (
    typeof name === 'string' &&
    name !== '' &&
    name.length <= longestName &&
    name.isWellFormed() &&
    !/\p{Cc}/u.test(name)
  );
}

/** Decides about one kind of bearer token. */
export interface TokenVerifier {
  /** What was found out about a token a moment ago, without asking anybody; undefined when that is not known. */
  known(token: string): VerifiedToken | undefined;
  /** @throws RefusedToken; ServiceError `unavailable` when nobody can tell. */
  verify(token: string): Promise<VerifiedToken>;
}

/** What stands for a token wherever it is remembered: nobody gets a token out of memory that was never kept. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
