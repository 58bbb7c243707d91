import { randomUUID } from 'node:crypto';
import { newUser as firstUser, type Identity } from '../../src/domain/control-plane/logins.ts';
import type { User } from '../../src/domain/control-plane/users.ts';

export const issuer = 'https://issuer.example';

/** Somebody who has never logged in before. */
export function newIdentity(more: Partial<Identity> = {}): Identity {
  const subject = randomUUID();
  return { issuer, subject, email: `${subject}@Example.com`, emailVerified: true, name: 'Ada', ...more };
}

export function newUser(more: Partial<User> = {}): User {
  const email = more.email === undefined ? `${randomUUID()}@Example.com` : more.email;
  return { ...firstUser(newIdentity({ email }), randomUUID(), 5), updatedAt: 6, lastLoginAt: 7, ...more };
}
