import type { Context } from 'hono';

/** Whether the caller says that they have what this entity tag names, quotes included (RFC 9110, 13.1.2). */
export function isNotModified(context: Context, etag: string): boolean {
  const header = context.req.header('if-none-match');
  return (
    header?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*') ?? false
  );
}
