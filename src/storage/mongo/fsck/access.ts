import type { AuditRecord } from '../../../domain/audit-log/audit-log.ts';
import { foldedEmail } from '../../../domain/control-plane/emails.ts';
import type { Session } from '../../../domain/control-plane/sessions.ts';
import type { User } from '../../../domain/control-plane/users.ts';
import type { Unreadable } from '../../../domain/maintenance/fsck/ports.ts';
import { auditLogCollection, recordOf } from '../audit-log/audit-log.ts';
import type { Database } from '../database.ts';
import { type SessionDocument, sessionCollection, sessionOf } from '../sessions/sessions.ts';
import { type UserDocument, userCollection, userOf } from '../users/user-documents.ts';
import { pagesByKey } from './pages.ts';

const pageDocuments = 500;
const pages = { first: '', limit: pageDocuments };

/** Every user, as they stand. */
export async function* readUsers(database: Database): AsyncGenerator<readonly (User | Unreadable)[]> {
  for await (const page of pagesByKey(userCollection(database), pages)) yield page.map(readUser);
}

function readUser(document: UserDocument): User | Unreadable {
  const { _id: id, email, foldedEmail: indexed } = document;
  const folded = typeof email === 'string' ? foldedEmail(email) : null;
  return indexed === folded ? userOf(document) : { id, problem: 'Its e-mail is indexed as another one' };
}

/** Every session, as it stands. One that the server would not take away either has no end. */
export async function* readSessions(database: Database): AsyncGenerator<readonly Session[]> {
  for await (const page of pagesByKey(sessionCollection(database), pages)) yield page.map(readSession);
}

function readSession(document: SessionDocument): Session {
  const { _id: key, expiresAt, ...rest } = document;
  return expiresAt instanceof Date ? sessionOf(document) : { key, ...rest, expiresAt: Number.NaN };
}

/** Every audit record, as it stands. */
export async function* readAuditLog(
  database: Database,
): AsyncGenerator<readonly (AuditRecord | Unreadable)[]> {
  for await (const page of pagesByKey(auditLogCollection(database), pages)) yield page.map(recordOf);
}
