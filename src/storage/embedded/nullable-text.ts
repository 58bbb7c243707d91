import type { SQLOutputValue } from 'node:sqlite';

/** Of a column that may be null. */
export function nullableText(value: SQLOutputValue | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
