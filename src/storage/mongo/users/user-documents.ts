import type { Collection } from 'mongodb';
import { foldedEmail } from '../../../domain/control-plane/emails.ts';
import type { User } from '../../../domain/control-plane/users.ts';
import type { Database } from '../database.ts';
import type { CollectionIndexes } from '../indexes.ts';

export interface UserDocument extends Omit<User, 'id' | 'bootstrapEmail'> {
  /** The user's id. */
  readonly _id: string;
  readonly foldedEmail: string | null;
  /** Of those who have one. */
  readonly bootstrapEmail?: string;
  /** Of an enabled administrator who is about to be none. */
  readonly leaving?: { readonly token: string; readonly since: Date };
}

export const userIndexes: CollectionIndexes = {
  collection: 'users',
  indexes: [
    { name: 'subject', key: { issuer: 1, subject: 1 }, unique: true },
    { name: 'bootstrap', key: { bootstrapEmail: 1 }, unique: true, sparse: true },
    { name: 'creation', key: { createdAt: 1, _id: 1 } },
    { name: 'email', key: { foldedEmail: 1, createdAt: 1, _id: 1 } },
    { name: 'role', key: { role: 1, disabled: 1, createdAt: 1, _id: 1 } },
  ],
};

export function userCollection(database: Database): Collection<UserDocument> {
  return database.collection<UserDocument>('users');
}

export function userDocument({ id, bootstrapEmail, ...rest }: User): UserDocument {
  return {
    _id: id,
    ...rest,
    foldedEmail: rest.email === null ? null : foldedEmail(rest.email),
    ...(bootstrapEmail !== null && { bootstrapEmail }),
  };
}

export function userOf(document: UserDocument): User {
  const { _id, foldedEmail: _folded, bootstrapEmail = null, leaving: _leaving, ...rest } = document;
  return { id: _id, ...rest, bootstrapEmail };
}
