import { ServiceError } from '../errors.ts';

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
