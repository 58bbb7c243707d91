import { ServiceError } from '../domain/errors.ts';
import { timeParameter } from './parameters.ts';

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
