/** The time format of statements: RFC 3339 in UTC with whole seconds and `Z`. */
export function statementTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/**
 * How far the clock of an issuer may be ahead of the clock that checks. Without it, what one process has just issued would
 * not be valid yet in another.
 */
export const clockSkewMs = 60_000;

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;
/** Every month has as many days. */
const shortestMonth = 28;
/** The calendar repeats after as many years. `Date.UTC` takes years below 100 for those of the last century. */
const calendarYears = 400;

/** Milliseconds since 1970 of an RFC 3339 time; null if the text or the day is invalid. */
export function parseTime(text: string): number | null {
  const [, year, month, day] = rfc3339.exec(text) ?? [];
  if (day === undefined) return null;
  const time = Date.parse(text.toUpperCase());
  if (Number.isNaN(time)) return null;
  const isRealDay =
    Number(day) <= shortestMonth || Number(day) <= daysOf(Number(year) % calendarYears, Number(month));
  return isRealDay ? time : null;
}

/** The first time that RFC 3339 can write in UTC, and the first one after the last. */
export const [earliestTime, timesEnd] = [Date.parse('0000-01-01T00:00:00Z'), Date.UTC(10_000, 0, 1)];

/** Like `parseTime`. Null too for a time that could not be written in UTC again, such as 0000-01-01T00:00:00+01:00. */
export function parseUtcTime(text: string): number | null {
  const time = parseTime(text);
  return time !== null && time >= earliestTime && time < timesEnd ? time : null;
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(5 * calendarYears + year, month, 0)).getUTCDate();
}
