/** The time format of statements: RFC 3339 in UTC with whole seconds and `Z`. */
export function statementTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/** Milliseconds since 1970 of an RFC 3339 time; null if the text or the day is invalid. */
export function parseTime(text: string): number | null {
  const [, year, month, day] = rfc3339.exec(text) ?? [];
  const time = Date.parse(text.toUpperCase());
  if (day === undefined || Number.isNaN(time)) return null;
  const isRealDay = Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return isRealDay ? time : null;
}
