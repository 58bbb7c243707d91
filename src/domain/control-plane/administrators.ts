import { z } from 'zod';
import { collection, type RecordsOf } from '../collections/collection.ts';
import { eachRecord } from '../collections/records.ts';
import { ServiceError } from '../errors.ts';
import type { Role } from './access.ts';
import { endSessionsOf, type Sessions } from './sessions.ts';
import { foldedEmail, type User, type Users } from './users.ts';

/**
 * One record, the keeper: it names an administrator who stays. An enabled administrator is always left, because this
 * holds at any time: *the user whom the keeper names is an enabled administrator.*
 * - Nobody is demoted while the keeper names them. It moves to another administrator first.
 * - Before a user is demoted, the keeper's `version` rises: a move to this user that has begun fails.
 * - Before the keeper moves to a user, their `roleVersion` rises: a demotion of this user that has begun fails.
 * Each step is one conditional update, so a process may stop after any of them. A keeper that is missing, or names
 * somebody else after a restore, is chosen again.
 */
export const administrators = collection('administrators', {
  shape: z.object({ name: z.literal('keeper'), userId: z.uuid(), version: z.int() }),
  key: 'name',
});

/** A change of a user by an administrator. Missing members stay as they are. */
export interface UserChange {
  readonly role?: Role;
  readonly disabled?: boolean;
  /** Null restores the name from the provider. */
  readonly nameOverride?: string | null;
}

interface AdministratorPorts {
  readonly users: Users;
  readonly administrators: RecordsOf<typeof administrators>;
}

export interface UserAdministration extends AdministratorPorts {
  readonly sessions: Sessions;
  readonly now: () => Date;
}

const attempts = 20;
const pauseMs = 40;

/**
 * Changes a user. Disabling and enabling a user ends all sessions of that user.
 * @throws ServiceError `not_found`; `conflict` if no enabled administrator would be left; `unavailable` if too many
 * others change administrators at the same time.
 */
export async function changeUser(ports: UserAdministration, id: string, change: UserChange): Promise<User> {
  const { users, sessions, now } = ports;
  // Sessions that were left over do not come alive again; those of an enabled user go on.
  if (change.disabled === false && (await users.get(id))?.disabled) await endSessionsOf(sessions, id);
  const user = await changed(ports, id, change, now().getTime());
  if (user === 'unknown') throw new ServiceError('not_found', `There is no user ${id}.`);
  if (user === 'last_admin')
    throw new ServiceError(
      'conflict',
      'This is the last enabled administrator. Make another user an administrator first.',
    );
  if (change.disabled) await endSessionsOf(sessions, id);
  return user;
}

/**
 * Makes an administrator of the user who has signed in last with a verified e-mail, on the word of the operator. So one gets back
 * in after the provider has changed, when everybody is a new user.
 * @throws ServiceError `not_found` if nobody has signed in with it; otherwise as `changeUser`.
 */
export async function appointAdministrator(ports: UserAdministration, email: string): Promise<User> {
  let latest: User | undefined;
  const where = { emailVerified: true };
  for await (const user of eachRecord(ports.users, 'byEmail', [foldedEmail(email)], { where }))
    if ((user.lastLoginAt ?? -1) > (latest?.lastLoginAt ?? -1)) latest = user;
  if (latest) return await changeUser(ports, latest.id, { role: 'admin', disabled: false });
  throw new ServiceError(
    'not_found',
    `Nobody with the verified e-mail "${email}" has signed in by browser. Sign in once, and repeat the command.`,
  );
}

async function changed(ports: AdministratorPorts, id: string, change: UserChange, now: number) {
  const fields = {
    ...change,
    ...(change.role !== undefined && { roleSource: 'override' as const }),
    updatedAt: now,
  };
  const endsThat = change.role === 'member' || change.disabled === true;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const user = await ports.users.get(id);
    if (!user) return 'unknown';
    const { role, disabled } = user;
    const outcome =
      endsThat && isEnabledAdmin(user)
        ? await demoted(ports, user, fields)
        : await ports.users.update(id, { role, disabled }, fields);
    if (outcome) return outcome;
    await new Promise((resume) => setTimeout(resume, Math.random() * pauseMs));
  }
  throw new ServiceError('unavailable', 'Others are changing administrators at the same time; try again.', {
    retryAfter: 1,
  });
}

/** @param user read before the keeper. @returns undefined if it must be tried again. */
async function demoted({ users, administrators }: AdministratorPorts, user: User, fields: Partial<User>) {
  const keeper = await administrators.get('keeper');
  const kept = keeper && (await users.get(keeper.userId));
  if (!keeper || !kept || kept.id === user.id || !isEnabledAdmin(kept)) {
    const other = await otherAdministrator(users, user.id);
    return other ? await moveKeeper({ users, administrators }, keeper?.version, other) : 'last_admin';
  }
  const { version } = keeper;
  if (!(await administrators.update('keeper', { version }, { version: version + 1 }))) return undefined;
  const { id, roleVersion } = user;
  const expected = { role: 'admin', disabled: false, roleVersion } as const;
  return await users.update(id, expected, { ...fields, roleVersion: roleVersion + 1 });
}

async function otherAdministrator(users: Users, id: string): Promise<User | undefined> {
  for await (const other of eachRecord(users, 'byRole', ['admin'], { where: { disabled: false } }))
    if (other.id !== id) return other;
  return undefined;
}

/** @param version of the keeper as it was read; undefined if there is none. */
async function moveKeeper(
  { users, administrators }: AdministratorPorts,
  version: number | undefined,
  { id: userId, roleVersion }: User,
): Promise<undefined> {
  const expected = { role: 'admin', disabled: false, roleVersion } as const;
  if (!(await users.update(userId, expected, { roleVersion: roleVersion + 1 }))) return;
  if (version === undefined) await administrators.insert([{ name: 'keeper', userId, version: 1 }]);
  else await administrators.update('keeper', { version }, { userId, version: version + 1 });
}

function isEnabledAdmin({ role, disabled }: User): boolean {
  return role === 'admin' && !disabled;
}
