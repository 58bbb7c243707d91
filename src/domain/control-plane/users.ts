import { z } from 'zod';
import { collection, type RecordsOf } from '../collections/collection.ts';
import { filteredPage } from '../collections/filtered-page.ts';
import { firstRecord, type Page, type PageRequest } from '../collections/records.ts';
import { ServiceError } from '../errors.ts';
import type { Role } from './access.ts';

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
  request: PageRequest,
): Promise<Page<User>> {
  const wanted = { foldedEmail: foldedOrNull(email), role, disabled };
  const leading = { foldedEmail: 'byEmail', role: 'byRole', disabled: 'byStatus' } as const;
  return await filteredPage(records, { leading, otherwise: 'byCreation' }, wanted, request);
}

export function assertEnabled(user: Pick<User, 'disabled'> | undefined): void {
  if (user?.disabled)
    throw new ServiceError('forbidden', 'This user is disabled. An administrator can enable them again.');
}

/** An e-mail address, and whether the provider has verified that it belongs to the user. */
export interface ProvenEmail {
  readonly email: string | null;
  readonly emailVerified: boolean;
}

/**
 * Without domains everybody may log in; otherwise a verified e-mail of one of them is needed.
 * @throws ServiceError `forbidden`.
 */
export function assertAllowedEmail(email: ProvenEmail, domains: readonly string[]): void {
  if (isAllowedEmail(email, domains)) return;
  throw new ServiceError(
    'forbidden',
    'Only users with a verified e-mail address of certain domains may log in. Ask an administrator which.',
  );
}

function isAllowedEmail({ email, emailVerified }: ProvenEmail, domains: readonly string[]): boolean {
  if (domains.length === 0) return true;
  if (email === null || !emailVerified) return false;
  const domain = domainOf(email);
  return domain !== undefined && domains.some((allowed) => allowed.toLowerCase() === domain);
}

export function sameEmail(email: string | null, other: string): boolean {
  return email !== null && foldedEmail(email) === foldedEmail(other);
}

/**
 * The form in which e-mails are compared. Only ASCII letters are lowered, because lowering other letters can turn one
 * address into another (the Kelvin sign becomes a k).
 */
export function foldedEmail(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The domain of a simple address: no blanks, no quotes, one `@`. */
function domainOf(email: string): string | undefined {
  return /^[^\s"@]+@([^\s"@]+)$/.exec(foldedEmail(email))?.[1];
}
