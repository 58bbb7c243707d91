import { z } from 'zod';

/** @param minBytes minimum length in UTF-8. */
export function secret(minBytes: number) {
  const problem = minBytes === 1 ? 'must not be empty' : `must be at least ${minBytes} bytes long`;
  return z
    .string()
    .refine((value) => value.trim() !== '' && Buffer.byteLength(value) >= minBytes, problem)
    .describe('secret');
}

/** Scopes of OAuth 2.0 (RFC 6749, section 3.3), separated by commas or spaces. */
export const scopes = z
  .string()
  .transform((value) => [...new Set(listOf(value))])
  .refine(
    (names) => names.every((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name)),
    'must be scopes separated by commas, such as openid,profile,email',
  )
  .describe('scopes, separated by commas');

/** Reads an empty text, which Helm charts pass for an unset value, as `meaning`. */
export function emptyMeans<Value>(meaning: string, kind: z.ZodType<Value>) {
  return z.preprocess((value) => (value === '' ? meaning : value), kind).describe(kind.description ?? '');
}

/** In lower case. */
export const emailDomains = z
  .string()
  .transform((value) => listOf(value.toLowerCase()))
  .refine(
    (domains) => domains.length > 0 && domains.every(isDomain),
    'must be domains separated by commas, such as example.com,example.org',
  )
  .describe('domains, separated by commas');

/** In lower case. */
export const emailAddress = z
  .string()
  .toLowerCase()
  .refine(
    (value) => isDomain(/^[^\s@,;<>"]{1,64}@([^@]+)$/.exec(value)?.[1] ?? ''),
    'must be one e-mail address, such as ada@example.com',
  )
  .describe('e-mail address');

/** Drops the leading dot that RFC 2109 asked for. */
export const cookieDomain = z
  .string()
  .transform((value) => value.toLowerCase().replace(/^\./, ''))
  .refine(
    (domain) => isDomain(domain) && !/^[\d.]+$/.test(domain),
    'must be a domain alone, such as example.com',
  )
  .describe('domain');

function listOf(value: string): string[] {
  return value.split(/[\s,]+/).filter((item) => item !== '');
}

function isDomain(name: string): boolean {
  return (
    name.length <= 253 &&
    /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/.test(name)
  );
}
