import { randomUUID } from 'node:crypto';
import type { Identity, User } from '../../src/domain/control-plane/users.ts';

export const issuer = 'https://issuer.example';

/** Somebody who has never logged in before. */
export function newIdentity(more: Partial<Identity> = {}): Identity {
  const subject = randomUUID();
  return { issuer, subject, email: `${subject}@Example.com`, emailVerified: true, name: 'Ada', ...more };
}

export function newUser(more: Partial<User> = {}): User {
  return {
    ...newIdentity(),
    id: randomUUID(),
    nameOverride: null,
    role: 'member',
    roleSource: 'default',
    bootstrapEmail: null,
    disabled: false,
    createdAt: 5,
    updatedAt: 6,
    lastLoginAt: 7,
    ...more,
  };
}
