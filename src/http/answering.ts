import type { RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { z } from 'zod';
import type { order, paging } from '../contract/paging.ts';
import { messageOf } from '../domain/errors.ts';
import { yieldToEventLoop } from '../domain/yield-to-event-loop.ts';
import type { AppEnv } from '../platform/http/app-env.ts';
import { streamedBody } from '../platform/http/sending.ts';
import { jsonType } from './answers.ts';
/** The declared answers of an operation, by their status. */
export type Answers = RouteConfig['responses'];

/** The ways in which an operation answers JSON. The compiler compares it with what is declared for the status. */
export interface Answering<Declared extends Answers> {
  answer<Status extends StatusOf<Declared>>(
    status: Status,
    ...given: GivenFor<JsonOf<Declared[Status]>>
  ): Answered;
  /**
   * Answers 200 with a page of records. Its text is made record by record, so that other requests can run meanwhile, and
   * its caller's budget holds it until it is sent. `member` of the answer has the records.
   */
  answerList<Member extends MemberOf<Declared>>(
    member: Member,
    records: Iterable<JsonPieces<RecordOf<Declared, Member>>>,
    page: Next,
  ): Promise<Answered>;
}

type StatusOf<Declared> = Extract<keyof Declared, number>;
type JsonOf<One> = One extends { readonly content: infer Content }
  ? Content extends { readonly 'application/json': { readonly schema: infer Schema extends z.ZodType } }
    ? Sent<z.output<Schema>>
    : never
  : undefined;
type Headers = Readonly<Record<string, string>>;
type GivenFor<Body> = [Body] extends [undefined]
  ? [body?: undefined, headers?: Headers]
  : [body: Body, headers?: Headers];
type ListOf<Declared> = Declared extends { readonly 200: infer One } ? JsonOf<One> : never;
type MemberOf<Declared> = Extract<keyof ListOf<Declared>, string>;
type RecordOf<Declared, Member> =
  ListOf<Declared> extends infer List
    ? Member extends keyof List
      ? List[Member] extends readonly (infer One)[]
        ? One
        : never
      : never
    : never;

/** What is sent is only read. */
type Sent<T> = T extends readonly (infer One)[]
  ? readonly Sent<One>[]
  : T extends object
    ? { readonly [Member in keyof T]: Sent<T[Member]> }
    : T;

/** How an operation answers one request. */
export function answering<Caller, Declared extends Answers>(
  context: Context<AppEnv<Caller>>,
): Answering<Declared> {
  return {
    answer: (status, ...given) => {
      const [body, headers] = given as [body?: object, headers?: Headers];
      return readyAnswer(
        body === undefined
          ? context.body(null, status as 204, headers)
          : (context.json(body, status as 200, headers) as Response),
      );
    },
    answerList: async (member, records, page) =>
      wholeAnswer(context, await slicedText(listJson(member, records, page)), jsonType),
  };
}

declare const isAnswer: unique symbol;

/** The answer of an operation. */
export type Answered = Response & { readonly [isAnswer]: true };

/**
 * For answers that are not JSON, or JSON that is text or bytes already, which no compiler can compare with what is
 * declared. The tests do.
 */
export function readyAnswer(response: Response): Answered {
  return response as Answered;
}

interface Paging extends z.output<typeof paging> {
  readonly order?: z.output<typeof order>;
}

export function pageRequest({ cursor, limit, order }: Paging) {
  return { after: cursor ?? null, limit, ...(order === 'desc' && { order: 'descending' as const }) };
}

interface Next {
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

/** Smaller answers fit into the buffers of a connection. */
const pieceBytes = 1 << 16;

/** Answers 200 with bytes that are in memory. Their caller's budget holds them until they are sent. HEAD sends none. */
export function wholeAnswer<Caller>(
  context: Context<AppEnv<Caller>>,
  body: string | Uint8Array,
  headers: Headers,
): Answered {
  const bytes =
    typeof body === 'string' ? Buffer.from(body) : new Uint8Array(body.buffer, body.byteOffset, body.length);
  if (bytes.length <= pieceBytes)
    return readyAnswer(context.body(bytes as Uint8Array<ArrayBuffer>, 200, headers));
  const withLength = { ...headers, 'content-length': String(bytes.length) };
  if (context.req.method === 'HEAD') return readyAnswer(context.body(null, 200, withLength));
  const account = context.get('account').another();
  account.take(bytes.length);
  const holder = { [Symbol.asyncDispose]: async () => account[Symbol.dispose]() };
  return readyAnswer(context.body(streamBody(context, pieces(bytes), holder), 200, withLength));
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Answers GET with a body that is made while it is read, and HEAD without it. Afterwards the holder is disposed. */
export async function streamAnswer(
  context: Context,
  bytes: AsyncIterable<Uint8Array>,
  holder: AsyncDisposable,
  init: ResponseInit,
): Promise<Answered> {
  if (context.req.method !== 'HEAD')
    return readyAnswer(new Response(streamBody(context, bytes, holder), init));
  await holder[Symbol.asyncDispose]();
  return readyAnswer(new Response(null, init));
}

/** A body that is made while it is read. An error resets the connection, so that nobody takes the answer for complete. */
export function streamBody(
  context: Context,
  bytes: AsyncIterable<Uint8Array>,
  holder: AsyncDisposable,
): ReadableStream<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]();
  return streamedBody({
    async next() {
      try {
        const { done, value } = await chunks.next();
        return done ? undefined : value;
      } catch (error) {
        context.get('log').error({ err: error }, `An answer broke off: ${messageOf(error)}`);
        throw error;
      }
    },
    async close() {
      await chunks.return?.();
      await holder[Symbol.asyncDispose]();
    },
  });
}

const chunkLength = 1 << 16;
const utf8 = new TextEncoder();

/** The UTF-8 of a long text. It is made piece by piece, so that other requests can run meanwhile. */
export async function slicedText(pieces: Iterable<string | Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let text = '';
  const flush = () => {
    chunks.push(utf8.encode(text));
    text = '';
  };
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece;
      if (text.length >= chunkLength) flush();
    } else {
      flush();
      chunks.push(piece);
    }
    await yieldToEventLoop();
  }
  flush();
  return Buffer.concat(chunks);
}
