import { type Identity, newUser } from './logins.ts';
import { assertEnabled, type User, type Users, userBySubject } from './users.ts';

export interface AdmissionPorts {
  readonly users: Users;
  readonly newId: () => string;
  readonly now: () => Date;
}

/**
 * The user whom an accepted bearer token names. The first token of a caller makes them a user, so that they can be
 * disabled. Later tokens write nothing, unless the claims change.
 * @param isAdminByClaim undefined if the token does not tell.
 * @throws ServiceError `forbidden` for a disabled user.
 */
export async function admittedUser(
  { users, newId, now }: AdmissionPorts,
  identity: Identity,
  isAdminByClaim?: boolean,
): Promise<User> {
  const { issuer, subject } = identity;
  const user = (await userBySubject(users, issuer, subject)) ?? (await firstUse());
  assertEnabled(user);
  if (isAdminByClaim === undefined || isAdminByClaim === (user.isAdminByClaim ?? false)) return user;
  return (await users.update(user.id, {}, { isAdminByClaim })) ?? user;

  async function firstUse(): Promise<User> {
    const created = { ...newUser(identity, newId(), now().getTime()), lastLoginAt: null };
    const [isNew] = await users.insert([created]);
    return (isNew ? created : await userBySubject(users, issuer, subject)) ?? created;
  }
}
