import type { Collection } from 'mongodb';
import type { Session, SessionStore } from '../../../domain/control-plane/sessions.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import type { CollectionIndexes } from '../indexes.ts';

export interface SessionDocument extends Omit<Session, 'key' | 'expiresAt'> {
  /** The session's key. */
  readonly _id: string;
  /** The server takes away what is older. Whether a session is over is not its to say. */
  readonly expiresAt: Date;
}

export const sessionIndexes: CollectionIndexes = {
  collection: 'sessions',
  indexes: [
    { name: 'user', key: { userId: 1 } },
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

export class MongoSessions implements SessionStore {
  readonly #sessions: Collection<SessionDocument>;

  constructor(database: Database) {
    this.#sessions = sessionCollection(database);
  }

  async add({ key, expiresAt, ...rest }: Session): Promise<void> {
    const document = { _id: key, ...rest, expiresAt: new Date(expiresAt) };
    await translated(() => this.#sessions.insertOne(document));
  }

  async get(key: string): Promise<Session | undefined> {
    const found = await translated(() => this.#sessions.findOne({ _id: key }));
    return found ? sessionOf(found) : undefined;
  }

  async touch(key: string, now: number): Promise<void> {
    await translated(() => this.#sessions.updateOne({ _id: key }, { $max: { lastSeenAt: now } }));
  }

  async remove(key: string): Promise<boolean> {
    return (await translated(() => this.#sessions.deleteOne({ _id: key }))).deletedCount === 1;
  }

  async removeOfUser(userId: string): Promise<number> {
    return (await translated(() => this.#sessions.deleteMany({ userId }))).deletedCount;
  }

  async removeExpired(now: number): Promise<number> {
    const expired = { expiresAt: { $lte: new Date(now) } };
    return (await translated(() => this.#sessions.deleteMany(expired))).deletedCount;
  }
}

export function sessionCollection(database: Database): Collection<SessionDocument> {
  return database.collection<SessionDocument>('sessions');
}

export function sessionOf({ _id, expiresAt, ...rest }: SessionDocument): Session {
  return { key: _id, ...rest, expiresAt: expiresAt.getTime() };
}
