import { type Identity, newUser } from './logins.ts';
import { demandEnabled, type User, type Users, userBySubject } from './users.ts';

export interface AdmissionPorts {
  readonly users: Users;
  readonly newId: () => string;
  readonly now: () => Date;
}

/**
 * The user whom an accepted bearer token names. The first token of a caller makes them a user, so that they can be
 * disabled. Later tokens write nothing.
 * @throws ServiceError `forbidden` for a disabled user.
 */
export async function admittedUser({ users, newId, now }: AdmissionPorts, identity: Identity): Promise<User> {
  const { issuer, subject } = identity;
  const user = (await userBySubject(users, issuer, subject)) ?? (await firstUse());
  demandEnabled(user);
  return user;

  async function firstUse(): Promise<User> {
    const created = { ...newUser(identity, newId(), now().getTime()), lastLoginAt: null };
    const [isNew] = await users.insert([created]);
    return (isNew ? created : await userBySubject(users, issuer, subject)) ?? created;
  }
}
