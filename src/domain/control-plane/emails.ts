/** An e-mail address, and whether the provider says that it is who it belongs to. */
export interface ProvenEmail {
  readonly email: string | null;
  readonly emailVerified: boolean;
}

/** Whether somebody may log in: with any e-mail and none where no domain is named, else with a verified one of these. */
export function isAllowedEmail({ email, emailVerified }: ProvenEmail, domains: readonly string[]): boolean {
  if (domains.length === 0) return true;
  if (email === null || !emailVerified) return false;
  const domain = domainOf(email);
  return domain !== undefined && domains.some((allowed) => allowed.toLowerCase() === domain);
}

/** Addresses differ in more than case as far as anybody but their own server knows. */
export function sameEmail(email: string | null, other: string): boolean {
  return email !== null && foldedEmail(email) === foldedEmail(other);
}

/**
 * The spelling under which addresses are compared. Letters beyond ASCII stay as they are: some become those of others
 * in lower case, as the Kelvin sign becomes a k.
 */
export function foldedEmail(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Of one that can be told apart into two parts: no blanks, no quotes, one `@`. */
function domainOf(email: string): string | undefined {
  return /^[^\s"@]+@([^\s"@]+)$/.exec(foldedEmail(email))?.[1];
}
