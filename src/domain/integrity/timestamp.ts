/** A time as statements write it: RFC 3339, UTC, whole seconds, `Z`. */
export function statementTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
