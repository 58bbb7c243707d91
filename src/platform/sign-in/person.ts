import type { ProvenEmail } from '../../domain/control-plane/users.ts';
import { type Claims, isName } from '../tokens/token-verifier.ts';

export interface Person extends ProvenEmail {
  readonly name: string | null;
}

/** An e-mail is verified only if `email_verified` is exactly true. */
export function personOf(claims: Claims): Person {
  const text = (value: unknown) => (isName(value) ? value : null);
  const email = text(claims.email);
  return { email, emailVerified: email !== null && claims.email_verified === true, name: text(claims.name) };
}
