import type { Context } from 'hono';
import type { AppEnv } from '../platform/http/app-env.ts';
import { streamBody } from './byte-answer.ts';
import { type Answered, readyAnswer } from './ready-answer.ts';

/** Smaller answers fit into the buffers of a connection. */
const pieceBytes = 1 << 16;

/** Answers 200 with bytes that are in memory. Their caller's budget holds them until they are sent. HEAD sends none. */
export function wholeAnswer<Caller>(
  context: Context<AppEnv<Caller>>,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
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
