import { z } from 'zod';
import { ServiceError } from '../domain/errors.ts';
import { parseUtcTime } from '../domain/integrity/identifiers/timestamp.ts';
import { patterns } from './patterns.ts';

interface Range {
  readonly least: number;
  readonly most: number;
}

/** A whole number in decimal digits. */
export function wholeNumber({ usual, ...range }: Range & { readonly usual: number }) {
  return decimalDigits(range)
    .default(usual)
    .meta({ type: 'integer', minimum: range.least, maximum: range.most, default: usual });
}

export function optionalWholeNumber({ least, most }: Range) {
  return decimalDigits({ least, most }).optional().meta({ type: 'integer', minimum: least, maximum: most });
}

function decimalDigits({ least, most }: Range) {
  const error = `must be a whole number from ${least} to ${most}`;
  const isIn = (text: string) => /^\d{1,16}$/.test(text) && Number(text) >= least && Number(text) <= most;
  return z.string({ error }).refine(isIn, { error }).transform(Number);
}

export const booleanParameter = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .meta({ type: 'boolean', enum: undefined });

/** A time in RFC 3339 form, read as milliseconds since 1970. */
const timeParameter = (description: string) =>
  z
    .string()
    .max(100)
    .meta({ format: 'date-time', pattern: patterns.dateTime, description, example: '2026-01-31T12:00:00Z' })
    .transform(readTime)
    .optional();

function readTime(text: string): number {
  const time = parseUtcTime(text);
  if (time !== null) return time;
  throw new ServiceError(
    'invalid_request',
    `"${text}" is not a time in RFC 3339 form, such as 2026-01-31T12:00:00Z, of the years 0000 to 9999 in UTC. In a query, write + as %2B.`,
  );
}

/** The query parameters of a time range, the same in lists and in series. */
export const timeRange = {
  after: timeParameter('From this time on (RFC 3339)'),
  before: timeParameter('Earlier than this time (RFC 3339)'),
  from: timeParameter('The same as "after"'),
  to: timeParameter('The same as "before"'),
};

type TimeRange = { readonly [Name in keyof typeof timeRange]?: number | undefined };

/** @returns milliseconds since 1970; null for an open end. @throws ServiceError `invalid_request`. */
export function rangeOf({ after, before, from, to }: TimeRange) {
  return { from: oneOf('after', after, 'from', from), until: oneOf('before', before, 'to', to) };
}

function oneOf(name: string, time: number | undefined, alias: string, other: number | undefined) {
  if (time !== undefined && other !== undefined && time !== other)
    throw new ServiceError('invalid_request', `"${name}" and "${alias}" mean the same. Give one of them.`);
  return time ?? other ?? null;
}
