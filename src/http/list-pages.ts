import { z } from '@hono/zod-openapi';
import { wholeNumber } from './query-parameters.ts';

/** The query of lists that are read page by page. */
export const paging = z.object({
  limit: wholeNumber({ least: 1, most: 1_000, usual: 100 }),
  cursor: z.string().max(1_500).optional().describe('next_cursor of the previous page'),
});

/** The member of a list's answer that leads to the next page. */
export const nextCursor = z.string().optional().describe('Cursor of the next page; absent on the last');

export function pageRequest({ cursor, limit }: z.output<typeof paging>) {
  return { after: cursor ?? null, limit };
}

export function nextJson({ next }: { readonly next?: string | undefined }): { next_cursor?: string } {
  return next === undefined ? {} : { next_cursor: next };
}
