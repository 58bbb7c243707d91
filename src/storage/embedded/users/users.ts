import type { StatementSync } from 'node:sqlite';
import type { Role } from '../../../domain/control-plane/access.ts';
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
import { nullableText } from '../nullable-text.ts';
import type { Row } from '../statements/statement-rows.ts';
import { TimedRows } from '../timed-rows.ts';

export class EmbeddedUsers implements UserStore {
  readonly #writes: Database['writes'];
  readonly #byId: StatementSync;
  readonly #bySubject: StatementSync;
  readonly #inOrder: TimedRows;

  constructor({ reader, writes }: Database) {
    this.#writes = writes;
    this.#byId = reader.prepare('SELECT * FROM users WHERE id = ?');
    this.#bySubject = reader.prepare('SELECT * FROM users WHERE issuer = ? AND subject = ?');
    this.#inOrder = new TimedRows(reader, {
      name: 'users',
      time: 'created_at',
      order: 'oldest first',
      leading: ['folded_email', 'role', 'disabled'],
    });
  }

  async get(id: string): Promise<User | undefined> {
    const row = this.#byId.get(id);
    return row && userOf(row);
  }

  async bySubject(issuer: string, subject: string): Promise<User | undefined> {
    const row = this.#bySubject.get(issuer, subject);
    return row && userOf(row);
  }

  async logIn(identity: Identity, { newId, now }: { newId: string; now: number }): Promise<User> {
    const row = await this.#writes.run('logInUser', { identity, newId, now });
    if (!row) throw new Error('A login answers the row of its user.');
    return userOf(row);
  }

  async bootstrap(id: string, email: string, now: number): Promise<User | undefined> {
    const row = await this.#writes.run('bootstrapUser', { id, email, now });
    return row && userOf(row);
  }

  async change(id: string, change: UserChange, now: number): Promise<User | 'unknown' | 'last_admin'> {
    const changed = await this.#writes.run('changeUser', { ...change, id, now });
    return typeof changed === 'string' ? changed : userOf(changed);
  }

  async keep(user: User): Promise<boolean> {
    return await this.#writes.run('keepUser', user);
  }

  async list(filter: UserFilter, page: { after: string | null; limit: number }): Promise<UserPage> {
    const { email, role, disabled } = filter;
    const wanted = {
      folded_email: email === null ? null : foldedEmail(email),
      role,
      disabled: disabled === null ? null : Number(disabled),
    };
    const { rows, ...rest } = this.#inOrder.page({ wanted, from: null, until: null }, page);
    return { users: rows.map(userOf), ...rest };
  }
}

export function userOf(row: Row): User {
  return {
    id: String(row.id),
    issuer: String(row.issuer),
    subject: String(row.subject),
    email: nullableText(row.email),
    emailVerified: row.email_verified === 1,
    name: nullableText(row.name),
    nameOverride: nullableText(row.name_override),
    role: String(row.role) as Role,
    roleSource: String(row.role_source) as User['roleSource'],
    bootstrapEmail: nullableText(row.bootstrap_email),
    disabled: row.disabled === 1,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    lastLoginAt: Number(row.last_login_at),
  };
}
