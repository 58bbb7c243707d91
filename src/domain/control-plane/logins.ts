import type { Role } from './access.ts';
import {
  assertAllowedEmail,
  assertEnabled,
  foldedEmail,
  foldedOrNull,
  type ProvenEmail,
  sameEmail,
  type User,
  type Users,
  userBySubject,
} from './users.ts';

/** What a provider states about a user at login. */
export interface Identity extends ProvenEmail {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | null;
}

export interface LoginRules {
  /** Users may log in only with an e-mail of these domains. Empty allows everybody. */
  readonly allowedEmailDomains: readonly string[];
  /** The first user who logs in with this verified e-mail becomes an administrator. */
  readonly bootstrapAdminEmail: string | null;
}

export interface LoginPorts {
  readonly users: Users;
  readonly newId: () => string;
  readonly now: () => Date;
}

/**
 * Logs a user in. The first login creates an enabled member. Concurrent first logins create one user.
 * @throws ServiceError `forbidden` for a disabled user or an e-mail that is not allowed.
 */
export async function logIn(
  { users, newId, now }: LoginPorts,
  identity: Identity,
  rules: LoginRules,
): Promise<User> {
  assertAllowedEmail(identity, rules.allowedEmailDomains);
  const { issuer, subject } = identity;
  const known = await userBySubject(users, issuer, subject);
  assertEnabled(known);
  const time = now().getTime();
  const user = known
    ? await loggedInAgain(users, known, identity, time)
    : await loggedInFirst(users, newUser(identity, newId(), time), time);
  return await bootstrapped(users, user, identity, { adminEmail: rules.bootstrapAdminEmail, now: time });
}

async function loggedInAgain(users: Users, known: User, identity: Identity, now: number): Promise<User> {
  const { email, emailVerified, name } = identity;
  const told = { email, foldedEmail: foldedOrNull(email), emailVerified, name };
  return (await users.update(known.id, {}, { ...told, lastLoginAt: now })) ?? known;
}

async function loggedInFirst(users: Users, user: User, now: number): Promise<User> {
  const [isNew] = await users.insert([user]);
  const known = isNew ? undefined : await userBySubject(users, user.issuer, user.subject);
  return known ? await loggedInAgain(users, known, user, now) : user;
}

export function newUser(identity: Identity, id: string, now: number): User {
  const { issuer, subject, email, emailVerified, name } = identity;
  return {
    id,
    issuer,
    subject,
    email,
    emailVerified,
    foldedEmail: foldedOrNull(email),
    name,
    nameOverride: null,
    role: 'member' satisfies Role,
    roleSource: 'default',
    isAdminByClaim: false,
    bootstrapEmail: null,
    disabled: false,
    roleVersion: 0,
    createdAt: now,
    updatedAt: now,
    lastLoginAt: now,
  };
}

/** Makes the user an administrator if the e-mail is theirs and nobody has chosen their role. */
async function bootstrapped(
  users: Users,
  user: User,
  { email, emailVerified }: ProvenEmail,
  { adminEmail, now }: { readonly adminEmail: string | null; readonly now: number },
): Promise<User> {
  if (adminEmail === null || user.roleSource !== 'default') return user;
  if (!emailVerified || !sameEmail(email, adminEmail)) return user;
  return (await bootstrap(users, user.id, foldedEmail(adminEmail), now)) ?? user;
}

/** @returns the user afterwards. Unchanged if another user is the bootstrap administrator of this address. */
export async function bootstrap(
  users: Users,
  id: string,
  bootstrapEmail: string,
  now: number,
): Promise<User | undefined> {
  const admin = { role: 'admin', roleSource: 'bootstrap', bootstrapEmail, updatedAt: now } as const;
  return (await users.update(id, { roleSource: 'default' }, admin)) ?? (await users.get(id));
}

/**
 * The user whom an accepted bearer token names. The first token of a caller makes them a user, so that they can be
 * disabled. Later tokens write nothing, unless the claims change.
 * @param given `isAdminByClaim` is undefined if the token does not tell.
 * @throws ServiceError `forbidden` for a disabled user.
 */
export async function admittedUser(
  { users, newId, now }: LoginPorts,
  identity: Identity,
  { isAdminByClaim }: { readonly isAdminByClaim?: boolean | undefined } = {},
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
