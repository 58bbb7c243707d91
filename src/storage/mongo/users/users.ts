import type { Collection } from 'mongodb';
import { foldedEmail } from '../../../domain/control-plane/emails.ts';
import type {
  Identity,
  User,
  UserChange,
  UserFilter,
  UserPage,
  UserStore,
} from '../../../domain/control-plane/users.ts';
import type { Database } from '../database.ts';
import { isDuplicate, translated } from '../errors.ts';
import { timedPage } from '../timed-documents.ts';
import { writeUnique } from '../unique-writes.ts';
import { changeUser } from './admin-changes.ts';
import { type UserDocument, userCollection, userDocument, userOf } from './user-documents.ts';

export class MongoUsers implements UserStore {
  readonly #database: Database;
  readonly #users: Collection<UserDocument>;

  constructor(database: Database) {
    this.#database = database;
    this.#users = userCollection(database);
  }

  async get(id: string): Promise<User | undefined> {
    const found = await translated(() => this.#users.findOne({ _id: id }));
    return found ? userOf(found) : undefined;
  }

  async bySubject(issuer: string, subject: string): Promise<User | undefined> {
    const found = await translated(() => this.#users.findOne({ issuer, subject }));
    return found ? userOf(found) : undefined;
  }

  async logIn(identity: Identity, { newId, now }: { newId: string; now: number }): Promise<User> {
    const { issuer, subject, email, emailVerified, name } = identity;
    const told = { email, foldedEmail: email === null ? null : foldedEmail(email), emailVerified, name };
    const known = () =>
      this.#users.findOneAndUpdate(
        { issuer, subject },
        { $set: { ...told, lastLoginAt: now } },
        { returnDocument: 'after' },
      );
    const first: User = {
      ...identity,
      id: newId,
      nameOverride: null,
      role: 'member',
      roleSource: 'default',
      bootstrapEmail: null,
      disabled: false,
      createdAt: now,
      updatedAt: now,
      lastLoginAt: now,
    };
    return await translated(async () => {
      const user = (await known()) ?? ((await this.#insert(first)) ? undefined : await known());
      return user ? userOf(user) : first;
    });
  }

  async keep(user: User): Promise<boolean> {
    return await translated(() => this.#insert(user));
  }

  /** @returns whether nobody was in the way. */
  async #insert(user: User): Promise<boolean> {
    try {
      await writeUnique(`user ${user.issuer} ${user.subject}`, () =>
        this.#users.insertOne(userDocument(user)),
      );
      return true;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return false;
    }
  }

  async bootstrap(id: string, email: string, now: number): Promise<User | undefined> {
    const admin = { role: 'admin', roleSource: 'bootstrap', bootstrapEmail: email, updatedAt: now } as const;
    await translated(() =>
      writeUnique(`bootstrap ${email}`, () =>
        this.#users.updateOne({ _id: id, roleSource: 'default' }, { $set: admin }),
      ).catch((error: unknown) => {
        if (!isDuplicate(error)) throw error;
      }),
    );
    return await this.get(id);
  }

  async change(id: string, change: UserChange, now: number): Promise<User | 'unknown' | 'last_admin'> {
    const changed = await translated(() => changeUser(this.#database, id, change, now));
    return typeof changed === 'string' ? changed : userOf(changed);
  }

  async list(filter: UserFilter, page: { after: string | null; limit: number }): Promise<UserPage> {
    const { email, role, disabled } = filter;
    const wanted = { foldedEmail: email === null ? null : foldedEmail(email), role, disabled };
    const question = { wanted, from: null, until: null };
    const order = { time: 'createdAt', order: 'oldest first' } as const;
    const { documents, ...rest } = await timedPage(this.#users, order, question, page);
    return { users: documents.map(userOf), ...rest };
  }
}
