import { ServiceError } from '../../errors.ts';
import { parseTime } from '../identifiers/timestamp.ts';

const dateTime = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:)(\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const date = /^\d{4}-\d\d-\d\d$/;

/**
 * Reads an RFC 3339 date-time and cuts it to whole seconds. A leap second counts as the second before it.
 * @throws ServiceError `invalid_request`.
 */
export function momentIn(text: string, name: string): Date {
  const time = readMoment(text);
  if (time !== undefined) return time;
  fail(text, name, 'an RFC 3339 date-time, such as 2026-01-31T12:00:00Z');
}

/**
 * Reads an expiry: a date-time, or a date, which means its last second in UTC.
 * @throws ServiceError `invalid_request` also if it is not in the future.
 */
export function expiryIn(text: string, name: string, now: Date): Date {
  const time = readMoment(date.test(text) ? `${text}T23:59:59Z` : text);
  if (time === undefined)
    fail(text, name, 'an RFC 3339 date-time or a date, such as 2027-01-31T12:00:00Z or 2027-01-31');
  if (time > now) return time;
  throw new ServiceError('invalid_request', `${name} ${shown(text)} is in the past. Choose a later one.`);
}

function readMoment(text: string): Date | undefined {
  const [, start, second, zone] = dateTime.exec(text) ?? [];
  if (second === undefined) return undefined;
  const isLeap = second === '60';
  const time = parseTime(`${start}${isLeap ? '59' : second}${zone}`);
  if (time === null) return undefined;
  const moment = new Date(time);
  // Leap seconds exist only at the end of a day in UTC.
  if (isLeap && !moment.toISOString().includes('T23:59:59')) return undefined;
  const year = moment.getUTCFullYear();
  return year >= 0 && year <= 9999 ? moment : undefined;
}

function fail(text: string, name: string, form: string): never {
  throw new ServiceError('invalid_request', `${name} ${shown(text)} is not ${form}.`);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
