import { readCursor, throwBadCursor, writeCursor } from '../../cursors.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { Page } from '../ports.ts';
import type { ListedPage, ListedStatement, StatementList, StatementRows } from './rows.ts';

const rowsAtOnce = 200;
const rowsLooked = 5_000;
const bytesAnswered = 8 << 20;

/** What still fits into an answer. It ends early when many rows are skipped or statements are large. */
export interface Room {
  taken: number;
  entries: number;
  looks: number;
  bytes: number;
}

/** A list, and the number of entries of the answer for each row. */
export interface Source {
  /** Known to have no rows. */
  readonly isEmpty?: boolean;
  page(after: string | null, limit: number): Promise<ListedPage>;
  entries(row: ListedStatement): number;
}

export function sourceOf(
  rows: Pick<StatementRows, 'page'>,
  list: StatementList,
  accepts: (row: ListedStatement) => boolean,
): Source {
  return { page: (after, limit) => rows.page(list, after, limit), entries: (row) => (accepts(row) ? 1 : 0) };
}

interface Part {
  readonly found: readonly ListedStatement[];
  readonly rest?: { readonly after: string | null };
}

export async function readList(
  { page, entries }: Source,
  from: string | null,
  room: Room,
  atOnce = rowsAtOnce,
): Promise<Part> {
  const found: ListedStatement[] = [];
  const isFull = () => room.entries <= 0 || room.looks <= 0 || room.bytes <= 0;
  let after = from;
  // One row more than there is room for tells whether the list goes on.
  for (let limit = room.entries + 1; ; limit *= 4) {
    const { rows, next } = await page(after, Math.max(1, Math.min(limit, atOnce)));
    for (const row of rows) {
      const count = isFull() ? 0 : entries(row);
      if (isFull() || (count > room.entries && room.taken > 0)) return { found, rest: { after } };
      room.looks -= 1;
      if (count > 0) {
        found.push(row);
        room.taken += count;
        room.entries -= count;
        room.bytes -= row.jcs.length;
      }
      after = row.mark;
    }
    if (next === null) return { found };
    after = next;
    await yieldToEventLoop();
  }
}

/** Reads lists one after the other, from the end of the previous page. */
export async function readLists<Of extends Source>(
  sources: readonly Of[],
  { after, limit }: Page,
  question: unknown,
): Promise<{ found: { row: ListedStatement; source: Of }[]; next?: string }> {
  const [first, mark] = after === null ? [0, null] : positionIn(after, question);
  const room = { taken: 0, entries: limit, looks: rowsLooked, bytes: bytesAnswered };
  const found: { row: ListedStatement; source: Of }[] = [];
  for (const [at, source] of sources.entries()) {
    if (at < first || source.isEmpty) continue;
    const part = await readList(source, at === first ? mark : null, room);
    for (const row of part.found) found.push({ row, source });
    if (part.rest) return { found, next: writeCursor([at, part.rest.after], question) };
  }
  return { found };
}

/** @throws ServiceError `invalid_request`. */
function positionIn(cursor: string, question: unknown): [source: number, mark: string | null] {
  const position = readCursor(cursor, question);
  if (!Array.isArray(position)) throwBadCursor();
  const [source, mark] = position;
  return Number.isInteger(source) && (mark === null || typeof mark === 'string')
    ? [source, mark]
    : throwBadCursor();
}
