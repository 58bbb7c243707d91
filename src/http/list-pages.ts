import type { Context } from 'hono';
import type { z } from 'zod';
import type { order, paging } from '../contract/paging.ts';
import type { AppEnv } from '../platform/http/app-env.ts';
import { jsonType } from './answers.ts';
import type { Answered } from './ready-answer.ts';
import { slicedText } from './sliced-text.ts';
import { wholeAnswer } from './whole-answer.ts';

interface Paging extends z.output<typeof paging> {
  readonly order?: z.output<typeof order>;
}

export function pageRequest({ cursor, limit, order }: Paging) {
  return { after: cursor ?? null, limit, ...(order === 'desc' && { order: 'descending' as const }) };
}

export interface Next {
  readonly next?: string | undefined;
}

export function nextJson({ next }: Next): { next_cursor?: string } {
  return next === undefined ? {} : { next_cursor: next };
}

declare const record: unique symbol;

/** Pieces of the JSON text of a record. */
export interface JsonPieces<One = unknown> extends Iterable<string | Uint8Array> {
  /** Only for the compiler. */
  readonly [record]?: One;
}

/**
 * Answers a page of records. Its text is made record by record, so that other requests can run meanwhile, and its
 * caller's budget holds it until it is sent.
 * @param member the member of the answer with the records.
 */
export async function listAnswer<Caller>(
  context: Context<AppEnv<Caller>>,
  member: string,
  records: Iterable<JsonPieces>,
  page: Next,
): Promise<Answered> {
  return wholeAnswer(context, await slicedText(listJson(member, records, page)), jsonType);
}

/** The JSON of each record. */
export function* jsonOf<Item, Json extends object>(
  items: Iterable<Item>,
  json: (item: Item) => Json,
): Generator<JsonPieces<Json>> {
  for (const item of items) yield [JSON.stringify(json(item))];
}

function* listJson(
  member: string,
  records: Iterable<JsonPieces>,
  page: Next,
): Generator<string | Uint8Array> {
  let separator = '';
  yield `{${JSON.stringify(member)}:[`;
  for (const pieces of records) {
    yield separator;
    yield* pieces;
    separator = ',';
  }
  yield page.next === undefined ? ']}' : `],"next_cursor":${JSON.stringify(page.next)}}`;
}
