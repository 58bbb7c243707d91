import { z } from 'zod';
import { wholeNumber } from './parameters.ts';

/** The query of lists that are read page by page. */
export const paging = z.object({
  limit: wholeNumber({ least: 1, most: 1_000, usual: 100 }),
  cursor: z.string().max(1_500).optional().describe('next_cursor of the previous page'),
});

/** From which end a list is read. */
export const order = z.enum(['asc', 'desc']).optional();

/** The query of lists that can be read from either end. */
export const orderedPaging = paging.extend({
  order: order.meta({
    description: 'desc: the newest first. A cursor belongs to the order of its list. Default: asc',
  }),
});

/** A page of a list. */
export function pageOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({ ...shape, next_cursor: nextCursor });
}

/** The member of a list's answer that leads to the next page. */
export const nextCursor = z.string().optional().describe('Cursor of the next page; absent on the last');
