import { z } from '@hono/zod-openapi';

/** The member of a list's answer that leads to the next page. */
export const nextCursor = z.string().optional().describe('Cursor of the next page; absent on the last');

export function pageRequest({
  cursor,
  limit,
}: {
  readonly cursor?: string | undefined;
  readonly limit: number;
}) {
  return { after: cursor ?? null, limit };
}

export function nextJson({ next }: { readonly next?: string }): { next_cursor?: string } {
  return next === undefined ? {} : { next_cursor: next };
}
