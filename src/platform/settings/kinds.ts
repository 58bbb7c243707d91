import { z } from 'zod';
import { messageOf } from '../../domain/errors.ts';
import { isSafeUrl, parseAddressList } from '../http/addresses.ts';
export const text = z
  .string()
  .refine((value) => value.trim() !== '', 'must not be empty')
  .describe('text');

/** In the spellings of Go's `strconv.ParseBool`. */
export const flag = z
  .stringbool({
    truthy: ['true', '1', 't', 'T', 'TRUE', 'True'],
    falsy: ['false', '0', 'f', 'F', 'FALSE', 'False'],
    case: 'sensitive',
    error: 'must be true or false',
  })
  .describe('true or false');

export function integer(min: number, max: number) {
  const name = `integer from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, `must be an ${name}`)
    .transform(Number)
    .refine((number) => number >= min && number <= max, `must be an ${name}`)
    .describe(name);
}

const byteUnits: Record<string, number> = { '': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

export const bytes = z
  .string()
  .transform((value) => {
    const [, amount, unit = ''] = /^(\d{1,12})(KiB|MiB|GiB)?$/.exec(value) ?? [];
    return Number(amount) * (byteUnits[unit] ?? Number.NaN);
  })
  .refine(
    (size) => size >= 1 && Number.isSafeInteger(size),
    'must be a number of bytes above 0, such as 1048576, 512KiB, 32MiB or 5GiB',
  )
  .describe('size, such as 512KiB or 5GiB');

const durationUnits: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Durations as Go writes them: `90s`, `12h`, `1h30m`, `1.5h`. The value is in milliseconds. */
export const duration = z
  .string()
  .transform((value) => {
    const parts = [...value.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h)/g)];
    if (parts.map(([part]) => part).join('') !== value) return 0;
    const ms = ([, amount, unit = '']: RegExpExecArray) => Number(amount) * (durationUnits[unit] ?? 0);
    return Math.floor(parts.reduce((sum, part) => sum + ms(part), 0));
  })
  .refine((ms) => ms > 0, 'must be a duration above 0, such as 500ms, 90s, 1h30m or 12h')
  .describe('duration, such as 90s or 1h30m');

/** A duration for a timer. Timers fire at once above 24 days. */
export const wait = duration
  .refine((ms) => ms <= 86_400_000, 'must be at most 24h')
  .describe('duration, such as 90s or 1h30m');

export function choice<const Option extends string>(...options: Option[]) {
  const names = options.join(', ');
  return z.enum(options, `must be one of ${names}`).describe(names);
}

/** Trailing slashes are dropped. */
export const httpUrl = z
  .url({ protocol: /^https?$/, normalize: true, error: 'must be an http or https URL' })
  .transform((url) => url.replace(/\/+$/, ''))
  .describe('URL');

const safeUrlProblem =
  'must be an https URL (http only for this machine) without user, password, query and fragment';

/** The URL of a server that receives secrets: https, or this machine. Trailing slashes are dropped. */
export const safeHttpUrl = httpUrl.refine(isPlainSafeUrl, safeUrlProblem).describe('https URL');

/** Like `safeHttpUrl`, but `authServiceProblems` decides about plain http. Trailing slashes are dropped. */
export const authServiceUrl = httpUrl
  .refine(isPlainUrl, 'must be an https URL without user, password, query and fragment')
  .describe('https URL');

/** The URL at which others see this service. Trailing slashes are dropped. */
export const publicUrl = httpUrl
  .refine(isPlainUrl, 'must be an http or https URL without user, password, query and fragment')
  .describe('URL');

/** Kept as written, because issuers are compared as text (OpenID Connect Discovery 1.0, section 4.3). */
export const issuerUrl = z.string().refine(isPlainSafeUrl, safeUrlProblem).describe('https URL');

function isPlainSafeUrl(value: string): boolean {
  return isPlainUrl(value) && isSafeUrl(new URL(value));
}

function isPlainUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && !url.username && !url.password && !/[?#\s]/.test(value);
}

/** Trailing slashes are dropped. */
export const claimNamespace = z
  .string()
  .regex(/^[\x21-\x7e]*[^/\s]\/*$/, 'must be a prefix of claim names, such as https://example.org')
  .transform((value) => value.replace(/\/+$/, ''))
  .describe('URI');

export const addressList = z
  .string()
  .transform((value, context) => {
    try {
      return parseAddressList(value);
    } catch (error) {
      context.addIssue(messageOf(error));
      return z.NEVER;
    }
  })
  .describe('addresses and networks, separated by commas');

const rateProblem = 'must be a number and a period of 1s to 24h, such as 30/1m';

export const rate = z
  .string()
  .regex(/^[1-9]\d{0,5}\/[^/]+$/, rateProblem)
  .transform((value) => {
    const [points, period] = value.split('/');
    return { points: Number(points), perMs: wait.safeParse(period).data ?? 0 };
  })
  .refine(({ perMs }) => perMs >= 1_000, rateProblem)
  .describe('count per period, such as 30/1m');

export const redisUrl = z
  .url({
    protocol: /^rediss?$/,
    error: 'must be a URL such as redis://host:6379 or rediss://user:password@host:6379/0',
  })
  .refine(
    (value) => /^\/?\d{0,5}$/.test(URL.parse(value)?.pathname ?? ''),
    'must end with a database number, such as /0',
  )
  .describe('redis:// or rediss:// URL');

/** No colon, which ends the prefix, and no braces, which select a slot of a Redis cluster. */
export const keyPrefix = z
  .string()
  .regex(/^[\w.-]{1,100}$/, 'must be up to 100 letters, digits, -, _ or .')
  .describe('letters, digits, hyphen, underscore and dot');

export const mongodbUrl = z
  .string()
  .regex(
    /^mongodb(?:\+srv)?:\/\/[^/\s]/,
    'must be a MongoDB connection string, such as mongodb://user:password@host:27017/',
  )
  .describe('MongoDB connection string');

/** MongoDB compares database names without regard to case. */
const systemDatabases = ['admin', 'config', 'local'];

export const databaseName = z
  .string()
  .regex(/^[\w-]{1,63}$/, 'must be 1 to 63 letters, digits, "_" or "-"')
  .refine(
    (name) => !systemDatabases.includes(name.toLowerCase()),
    'is a system database of MongoDB; choose another name',
  )
  .describe('database name');

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

/** Names of services, each with the id of its agent. */
export const agentsOfServices = z
  .string()
  .transform((value) => listOf(value).map((pair) => pair.split('=')))
  .refine(
    (pairs) => pairs.every(([service, agent, ...more]) => service && agent && more.length === 0),
    'must be pairs of a service and its agent separated by commas, such as support-bot=agent_…,coder=agent_…',
  )
  .transform((pairs) => new Map(pairs as [string, string][]))
  .describe('service=agent, separated by commas');

/** Starts of image names. */
export const imagePrefixes = z
  .string()
  .transform(listOf)
  .refine(
    (prefixes) => prefixes.every((prefix) => /^[\w./:@-]+$/.test(prefix)),
    'must be images or the start of their names, separated by commas, such as registry.k8s.io/,docker.io/istio/proxyv2',
  )
  .describe('images, separated by commas');

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

/** Some of these names, separated by commas, or none of them. */
export function someOf<const Option extends string>(...options: Option[]) {
  const names = options.join(', ');
  const isOption = (name: string): name is Option => (options as string[]).includes(name);
  return z
    .string()
    .transform((value) => (value === 'none' ? [] : value.split(',').map((name) => name.trim())))
    .refine((list): list is Option[] => list.every(isOption), `must be some of ${names}, or none`)
    .describe(`some of ${names}, separated by commas, or none`);
}
