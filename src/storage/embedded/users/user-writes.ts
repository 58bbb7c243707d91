import type { DatabaseSync } from 'node:sqlite';
import { foldedEmail } from '../../../domain/control-plane/emails.ts';
import type { Identity, User, UserChange } from '../../../domain/control-plane/users.ts';
import type { Row } from '../statements/statement-rows.ts';

/** Writes of users, for the thread that writes: one after the other, so that what each looks at stays so. */
export function userWrites(database: DatabaseSync) {
  const logIn = database.prepare(
    `INSERT INTO users (id, issuer, subject, email, folded_email, email_verified, name, role, role_source, disabled,
       created_at, updated_at, last_login_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'member', 'default', 0, ?8, ?8, ?8)
     ON CONFLICT (issuer, subject) DO UPDATE SET email = excluded.email, folded_email = excluded.folded_email,
       email_verified = excluded.email_verified, name = excluded.name, last_login_at = excluded.last_login_at
     RETURNING *`,
  );
  const bootstrap = database.prepare(
    `UPDATE OR IGNORE users SET role = 'admin', role_source = 'bootstrap', bootstrap_email = ?2, updated_at = ?3
     WHERE id = ?1 AND role_source = 'default'`,
  );
  const byId = database.prepare('SELECT * FROM users WHERE id = ?');
  const otherAdmin = database.prepare(
    `SELECT 1 FROM users WHERE role = 'admin' AND disabled = 0 AND id <> ? LIMIT 1`,
  );
  const change = database.prepare(
    `UPDATE users SET role = coalesce(?2, role), role_source = iif(?2 IS NULL, role_source, 'override'),
       disabled = coalesce(?3, disabled), name_override = iif(?4, ?5, name_override), updated_at = ?6
     WHERE id = ?1 RETURNING *`,
  );
  const keep = database.prepare(
    `INSERT INTO users (id, issuer, subject, email, folded_email, email_verified, name, name_override, role,
       role_source, bootstrap_email, disabled, created_at, updated_at, last_login_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );

  return {
    logInUser({ identity, newId, now }: Login): Row | undefined {
      const { issuer, subject, email, emailVerified, name } = identity;
      return logIn.get(newId, issuer, subject, email, folded(email), Number(emailVerified), name, now);
    },

    bootstrapUser({ id, email, now }: { id: string; email: string; now: number }): Row | undefined {
      bootstrap.run(id, email, now);
      return byId.get(id);
    },

    changeUser({
      id,
      now,
      ...given
    }: UserChange & { id: string; now: number }): Row | 'unknown' | 'last_admin' {
      const { role = null, disabled, nameOverride } = given;
      const user = byId.get(id);
      if (!user) return 'unknown';
      const isAdmin = user.role === 'admin' && user.disabled === 0;
      const endsThat = role === 'member' || disabled === true;
      if (isAdmin && endsThat && !otherAdmin.get(id)) return 'last_admin';
      const status = disabled === undefined ? null : Number(disabled);
      const isNamed = Number(nameOverride !== undefined);
      return change.get(id, role, status, isNamed, nameOverride ?? null, now) ?? 'unknown';
    },

    keepUser(user: User): boolean {
      const { id, issuer, subject, email, emailVerified, name, nameOverride } = user;
      const { role, roleSource, bootstrapEmail, disabled, createdAt, updatedAt, lastLoginAt } = user;
      const known = [id, issuer, subject, email, folded(email), Number(emailVerified), name, nameOverride];
      const rest = [role, roleSource, bootstrapEmail, Number(disabled), createdAt, updatedAt, lastLoginAt];
      return keep.run(...known, ...rest).changes === 1;
    },
  };
}

function folded(email: string | null): string | null {
  return email === null ? null : foldedEmail(email);
}

interface Login {
  readonly identity: Identity;
  readonly newId: string;
  readonly now: number;
}
