import type { Context } from 'hono';
import { longestWait } from '../contract/values.ts';

/** Whether the caller prefers polling to waiting (RFC 7240, section 4.1). */
export function prefersAsync(context: Context): boolean {
  return context.req.method === 'GET' && preferenceOf(context, /^\s*respond-async\s*(?:;|$)/i) !== null;
}

/** The seconds that the caller wants to wait (RFC 7240, section 4.3). */
export function waitOf(context: Context): number {
  const [, seconds = '0'] = preferenceOf(context, /^\s*wait\s*=\s*(\d{1,9})\s*(?:;|$)/i) ?? [];
  return Math.min(Number(seconds), longestWait);
}

/** The first preference of the caller that has this form; null if there is none. */
function preferenceOf(context: Context, form: RegExp): RegExpExecArray | null {
  const preferences = context.req.header('prefer')?.split(',') ?? [];
  return preferences.map((preference) => form.exec(preference)).find((found) => found !== null) ?? null;
}

/** Ends when the caller has waited long enough or is gone, or when the process is about to end. */
export function endOfWait(context: Context, seconds: number, stopping: AbortSignal): AbortSignal {
  return AbortSignal.any([AbortSignal.timeout(seconds * 1_000), stopping, context.req.raw.signal]);
}
