import type { DatabaseSync } from 'node:sqlite';
import type { AuditRecord } from '../../../domain/audit-log/audit-log.ts';
import { foldedEmail } from '../../../domain/control-plane/emails.ts';
import type { Session } from '../../../domain/control-plane/sessions.ts';
import type { User } from '../../../domain/control-plane/users.ts';
import type { StoreContents, Unreadable } from '../../../domain/maintenance/fsck/ports.ts';
import { recordOf } from '../audit-log/audit-log.ts';
import { sessionOf } from '../sessions/sessions.ts';
import type { Row } from '../statements/statement-rows.ts';
import { userOf } from '../users/users.ts';

const pageRows = 500;

/** Every user, as they stand. */
export function* readUsers(reader: DatabaseSync): Generator<readonly (User | Unreadable)[]> {
  const page = reader.prepare(`SELECT * FROM users WHERE id > ? ORDER BY id LIMIT ${pageRows}`);
  for (let rows = page.all(''); rows.length > 0; rows = page.all(String(rows.at(-1)?.id)))
    yield rows.map(readUser);
}

function readUser(row: Row): User | Unreadable {
  const user = userOf(row);
  const folded = user.email === null ? null : foldedEmail(user.email);
  return row.folded_email === folded
    ? user
    : { id: user.id, problem: 'Its e-mail is indexed as another one' };
}

export function userReading(reader: DatabaseSync): StoreContents['hasUser'] {
  const byId = reader.prepare('SELECT 1 FROM users WHERE id = ?');
  return async (id) => byId.get(id) !== undefined;
}

/** Every session, as it stands. */
export function* readSessions(reader: DatabaseSync): Generator<readonly Session[]> {
  const page = reader.prepare(`SELECT * FROM sessions WHERE key > ? ORDER BY key LIMIT ${pageRows}`);
  for (let rows = page.all(''); rows.length > 0; rows = page.all(String(rows.at(-1)?.key)))
    yield rows.map(sessionOf);
}

/** Every audit record, oldest first. */
export function* readAuditLog(reader: DatabaseSync): Generator<readonly (AuditRecord | Unreadable)[]> {
  const page = reader.prepare(
    `SELECT * FROM audit_log WHERE (at, id) > (?, ?) ORDER BY at, id LIMIT ${pageRows}`,
  );
  let rows = page.all(Number.MIN_SAFE_INTEGER, '');
  for (let last = rows.at(-1); last; last = rows.at(-1)) {
    yield rows.map(readRecord);
    rows = page.all(Number(last.at), String(last.id));
  }
}

function readRecord(row: Row): AuditRecord | Unreadable {
  try {
    return recordOf(row);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { id: String(row.id), problem: 'Its details are no JSON' };
  }
}
