import { ServiceError } from '../errors.ts';
import type { Caller, Means, Role } from './access.ts';
import { foldedEmail, isAllowedEmail, type ProvenEmail, sameEmail } from './emails.ts';

/** Who has logged in by a browser at least once. Times are milliseconds since 1970. */
export interface User extends ProvenEmail {
  /** A UUID. */
  readonly id: string;
  /** Unique together with the subject. An e-mail names nobody: it changes, and issuers differ in what they prove. */
  readonly issuer: string;
  readonly subject: string;
  /** As the provider told at the last login. */
  readonly name: string | null;
  /** What an administrator calls them instead. */
  readonly nameOverride: string | null;
  readonly role: Role;
  /** `default` until somebody has said which role it is. */
  readonly roleSource: 'default' | 'bootstrap' | 'override';
  /** The address as whose bootstrap administrator they have been made an administrator: nobody else is made that. */
  readonly bootstrapEmail: string | null;
  readonly disabled: boolean;
  readonly createdAt: number;
  /** When their role, status or name here last changed. */
  readonly updatedAt: number;
  readonly lastLoginAt: number;
}

/** What a provider says of somebody at a login. */
export interface Identity extends ProvenEmail {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | null;
}

/** What an administrator changes of a user; what is not named stays. */
export interface UserChange {
  readonly role?: Role;
  readonly disabled?: boolean;
  /** null: what the provider says. */
  readonly nameOverride?: string | null;
}

export interface UserFilter {
  /** Whatever its case. */
  readonly email: string | null;
  readonly role: Role | null;
  readonly disabled: boolean | null;
}

export interface UserPage {
  readonly users: readonly User[];
  /** Pass as `after` for the next page; absent on the last. */
  readonly next?: string;
}

/** Each call is atomic, durable when it resolves, and seen by every process from then on. */
export interface UserStore {
  get(id: string): Promise<User | undefined>;

  bySubject(issuer: string, subject: string): Promise<User | undefined>;

  /**
   * The user of this issuer and subject with what the provider says now: made as an enabled member under `newId` at
   * the first login. Any number of first logins at once make one user.
   */
  logIn(identity: Identity, login: { readonly newId: string; readonly now: number }): Promise<User>;

  /**
   * Makes a user whose role is still `default` the one bootstrap administrator of a folded e-mail address.
   * @returns the user as they are now: unchanged when somebody else is that administrator already.
   */
  bootstrap(id: string, email: string, now: number): Promise<User | undefined>;

  /**
   * `last_admin`: nothing was changed, as no enabled administrator would be left. That holds whatever else is
   * changed at the same time, by any process.
   */
  change(id: string, change: UserChange, now: number): Promise<User | 'unknown' | 'last_admin'>;

  /** Takes in a user of another store as they are there. @returns false, and nothing changes, when there is one like it. */
  keep(user: User): Promise<boolean>;

  /** By the time of their first login. @throws ServiceError `invalid_request` for a cursor that it never gave. */
  list(filter: UserFilter, page: { after: string | null; limit: number }): Promise<UserPage>;
}

export interface LoginRules {
  /** E-mail domains from which users may log in; empty: any, and without an e-mail too. */
  readonly allowedEmailDomains: readonly string[];
  /** Whoever first logs in with it, proven by the provider, becomes an administrator. */
  readonly bootstrapAdminEmail: string | null;
}

interface LoginPorts {
  readonly users: Pick<UserStore, 'bySubject' | 'logIn' | 'bootstrap'>;
  readonly newId: () => string;
  readonly now: () => Date;
}

/**
 * A login by a browser.
 * @throws ServiceError `forbidden` for a disabled user, and an e-mail that is not allowed.
 */
export async function logIn(
  { users, newId, now }: LoginPorts,
  identity: Identity,
  { allowedEmailDomains, bootstrapAdminEmail }: LoginRules,
): Promise<User> {
  if (!isAllowedEmail(identity, allowedEmailDomains)) refuseEmail();
  const { issuer, subject } = identity;
  demandEnabled(await users.bySubject(issuer, subject));
  const time = now().getTime();
  const user = await users.logIn(identity, { newId: newId(), now: time });
  if (bootstrapAdminEmail === null || user.roleSource !== 'default') return user;
  if (!identity.emailVerified || !sameEmail(identity.email, bootstrapAdminEmail)) return user;
  return (await users.bootstrap(user.id, foldedEmail(bootstrapAdminEmail), time)) ?? user;
}

export interface ProvenCaller {
  readonly issuer: string;
  readonly subject: string;
  readonly means: Exclude<Means, 'disabled'>;
  /** What an auth service says of the role. A stored user has the role that is stored. */
  readonly roleHint?: Role;
}

/**
 * Who somebody is who has proved their issuer and subject: with the stored role, except that an OIDC bearer is a
 * member whatever is stored.
 * @param user the stored user of that issuer and subject, read for this request.
 * @throws ServiceError `forbidden` for a disabled user, `unauthorized` for a session without its user.
 */
export function callerOf(
  { issuer, subject, means, roleHint = 'member' }: ProvenCaller,
  user: User | undefined,
): Caller {
  demandEnabled(user);
  if (means === 'session' && !user)
    throw new ServiceError('unauthorized', 'The session is over. Log in again.');
  const role = means === 'oidc_bearer' ? 'member' : (user?.role ?? roleHint);
  return { issuer, subject, role, means, userId: user?.id ?? null };
}

interface ChangePorts {
  readonly users: Pick<UserStore, 'get' | 'change'>;
  readonly sessions: { removeOfUser(userId: string): Promise<number> };
  readonly now: () => Date;
}

/**
 * Changes a user as an administrator asks. Whoever is disabled, or enabled again, has no session from then on.
 * @throws ServiceError `not_found`; `conflict` when no enabled administrator would be left.
 */
export async function changeUser(
  { users, sessions, now }: ChangePorts,
  id: string,
  change: UserChange,
): Promise<User> {
  // A session that was left over does not come alive again; those of whoever is enabled go on.
  if (change.disabled === false && (await users.get(id))?.disabled) await sessions.removeOfUser(id);
  const user = await users.change(id, change, now().getTime());
  if (user === 'unknown') throw new ServiceError('not_found', `There is no user ${id}.`);
  if (user === 'last_admin') refuseLastAdmin();
  if (change.disabled) await sessions.removeOfUser(id);
  return user;
}

function demandEnabled(user: User | undefined): void {
  if (user?.disabled)
    throw new ServiceError('forbidden', 'This user is disabled. An administrator can enable them again.');
}

function refuseEmail(): never {
  throw new ServiceError(
    'forbidden',
    'Users log in here with a verified e-mail address of certain domains alone. Ask an administrator which.',
  );
}

function refuseLastAdmin(): never {
  throw new ServiceError(
    'conflict',
    'This is the last enabled administrator. Make another user an administrator first.',
  );
}
