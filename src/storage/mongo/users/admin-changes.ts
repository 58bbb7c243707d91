import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Collection, Filter } from 'mongodb';
import type { UserChange } from '../../../domain/control-plane/users.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Database } from '../database.ts';
import { type UserDocument, userCollection } from './user-documents.ts';

type Users = Collection<UserDocument>;
type Outcome = UserDocument | 'unknown' | 'last_admin';

const attempts = 20;
const pauseMs = 40;
/** Whoever marked an administrator so long ago has ended in the middle. */
const abandonedMs = 60_000;

const isEnabledAdmin: Filter<UserDocument> = { role: 'admin', disabled: false };
const isOther: Filter<UserDocument> = { $or: [{ role: 'member' }, { disabled: true }] };

/**
 * Changes a user so that an enabled administrator is left, without a transaction. Whoever is to be none any more is
 * marked first; only then another one without a mark is looked for; the change itself holds only while the mark is
 * there. Of several who leave at once, the one that was marked last finds none of the others without a mark, so that
 * it needs one who stays.
 */
export async function changeUser(
  database: Database,
  id: string,
  change: UserChange,
  now: number,
): Promise<Outcome> {
  const users = userCollection(database);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const outcome = await attemptChange(users, database.now(), id, { change, now });
    if (outcome !== 'overtaken') return outcome;
    await setTimeout(randomInt(pauseMs));
  }
  throw new ServiceError('unavailable', 'Others are changing administrators at the same time; try again.', {
    retryAfter: 1,
  });
}

async function attemptChange(
  users: Users,
  serverTime: Date,
  id: string,
  { change, now }: { readonly change: UserChange; readonly now: number },
): Promise<Outcome | 'overtaken'> {
  const user = await users.findOne({ _id: id });
  if (!user) return 'unknown';
  const $set = { ...fieldsOf(change), updatedAt: now };
  const endsThat = change.role === 'member' || change.disabled === true;
  const after = { returnDocument: 'after' } as const;
  if (!endsThat) return (await users.findOneAndUpdate({ _id: id }, { $set }, after)) ?? 'unknown';
  if (user.role !== 'admin' || user.disabled)
    return (await users.findOneAndUpdate({ _id: id, ...isOther }, { $set }, after)) ?? 'overtaken';
  const token = randomUUID();
  const marked = await users.updateOne(
    { _id: id, ...isEnabledAdmin },
    { $set: { leaving: { token, since: serverTime } } },
  );
  if (marked.matchedCount === 0) return 'overtaken';
  const mine = { _id: id, 'leaving.token': token };
  const others = await otherAdmins(users, id, serverTime);
  if (others === 'stay')
    return (await users.findOneAndUpdate(mine, { $set, $unset: { leaving: 1 } }, after)) ?? 'overtaken';
  await users.updateOne(mine, { $unset: { leaving: 1 } });
  return others === 'leave' ? 'overtaken' : 'last_admin';
}

/** Whether there is another administrator who stays, or some who may. */
async function otherAdmins(users: Users, id: string, serverTime: Date): Promise<'stay' | 'leave' | 'none'> {
  const others = { ...isEnabledAdmin, _id: { $ne: id } };
  if (await users.findOne({ ...others, leaving: { $exists: false } })) return 'stay';
  const leaving = await users.findOne(others);
  if (!leaving) return 'none';
  const abandoned = new Date(serverTime.getTime() - abandonedMs);
  if (leaving.leaving && leaving.leaving.since < abandoned) {
    const { token } = leaving.leaving;
    await users.updateOne({ _id: leaving._id, 'leaving.token': token }, { $unset: { leaving: 1 } });
  }
  return 'leave';
}

function fieldsOf({ role, disabled, nameOverride }: UserChange): Partial<UserDocument> {
  return {
    ...(role !== undefined && { role, roleSource: 'override' as const }),
    ...(disabled !== undefined && { disabled }),
    ...(nameOverride !== undefined && { nameOverride }),
  };
}
