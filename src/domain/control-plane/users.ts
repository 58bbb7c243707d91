import { z } from 'zod';
import { collection, type RecordsOf } from '../collections/collection.ts';
import { filteredPage } from '../collections/filtered-page.ts';
import { firstRecord, type Page } from '../collections/records.ts';
import { ServiceError } from '../errors.ts';
import type { Role } from './access.ts';
import { foldedEmail } from './emails.ts';

const time = z.int();

/** A caller who has logged in with a browser, or whose bearer token was accepted. Users are never removed. */
export const users = collection('users', {
  shape: z
    .object({
      id: z.uuid(),
      /**
       * Unique together with the subject. An e-mail does not identify a user, because it can change and may be
       * unverified.
       */
      issuer: z.string().min(1),
      subject: z.string().min(1),
      /** E-mail and name come from the provider at the last login, or from the first bearer token. */
      email: z.string().nullable(),
      emailVerified: z.boolean(),
      foldedEmail: z.string().nullable(),
      name: z.string().nullable(),
      /** The name that an administrator chose. */
      nameOverride: z.string().nullable(),
      role: z.enum(['admin', 'member']),
      /** `default` until somebody chooses the role. */
      roleSource: z.enum(['default', 'bootstrap', 'override']),
      /** Whether their last token of the auth service made them an administrator. Earlier records do not have it. */
      isAdminByClaim: z.boolean().default(false),
      /** The folded e-mail for which this user became the bootstrap administrator. */
      bootstrapEmail: z.string().nullable(),
      disabled: z.boolean(),
      /** See `administrators.ts`. */
      roleVersion: z.int(),
      createdAt: time,
      /** The last change of role, status or name override. */
      updatedAt: time,
      /** The last login with a browser. */
      lastLoginAt: time.nullable(),
    })
    .refine((user) => user.foldedEmail === foldedOrNull(user.email), 'foldedEmail is of another e-mail'),
  key: 'id',
  unique: { bySubject: ['issuer', 'subject'], byBootstrapEmail: ['bootstrapEmail'] },
  indexes: {
    byCreation: ['createdAt'],
    byEmail: ['foldedEmail', 'createdAt'],
    byRole: ['role', 'createdAt'],
    byStatus: ['disabled', 'createdAt'],
  },
});

export type User = Readonly<z.output<typeof users.shape>>;
export type Users = RecordsOf<typeof users>;

export function foldedOrNull(email: string | null): string | null {
  return email === null ? null : foldedEmail(email);
}

/** Null matches any value. */
export interface UserFilter {
  /** Case-insensitive. */
  readonly email: string | null;
  readonly role: Role | null;
  readonly disabled: boolean | null;
}

export async function userBySubject(
  records: Pick<Users, 'page'>,
  issuer: string,
  subject: string,
): Promise<User | undefined> {
  return await firstRecord(records, 'bySubject', [issuer, subject]);
}

/** Users by the time of their first login. @throws ServiceError `invalid_request` for a cursor of another list. */
export async function listUsers(
  records: Users,
  { email, role, disabled }: UserFilter,
  request: { readonly after: string | null; readonly limit: number },
): Promise<Page<User>> {
  const wanted = { foldedEmail: foldedOrNull(email), role, disabled };
  const leading = { foldedEmail: 'byEmail', role: 'byRole', disabled: 'byStatus' } as const;
  return await filteredPage(records, { leading, otherwise: 'byCreation' }, wanted, request);
}

export function assertEnabled(user: Pick<User, 'disabled'> | undefined): void {
  if (user?.disabled)
    throw new ServiceError('forbidden', 'This user is disabled. An administrator can enable them again.');
}
