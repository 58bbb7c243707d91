import type { LogNameAnswer } from '../contract/integrity/log-name.ts';
import { toBase64 } from '../domain/base64.ts';
import { ServiceError } from '../domain/errors.ts';
import { parseTilePath } from '../domain/log/merkle/tiles.ts';
import { blindedName } from '../domain/log/names.ts';
import { type PublishedLogs, publishedTile } from '../domain/log/published.ts';
import { type Answered, readyAnswer } from './answering.ts';
import { errorAnswer } from './answers.ts';

const text = 'text/plain; charset=utf-8';
const bytes = 'application/octet-stream';

export const noteAnswers = {
  200: { description: 'The text', content: { 'text/plain': { schema: { type: 'string' } } } },
  404: errorAnswer('Nothing is published yet, or the caller may not see the log'),
} as const;

export const tileAnswers = {
  200: {
    description: 'Hashes of 32 bytes; of entries each after its length in two bytes',
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  },
  404: errorAnswer('It is beyond the published tree, or the caller may not see the log'),
} as const;

/** A checkpoint changes, so caches ask each time. */
export function noteAnswer(note: string): Answered {
  return readyAnswer(new Response(note, { headers: { 'content-type': text, 'cache-control': 'no-cache' } }));
}

/** Tiles never change. */
export async function tileAnswer(
  logs: Pick<PublishedLogs, 'reading'>,
  log: string,
  path: string,
  { isPublic }: { readonly isPublic: boolean },
): Promise<Answered> {
  const tile = await publishedTile(logs, log, tileAt(path));
  const caching = `${isPublic ? 'public' : 'private'}, max-age=31536000, immutable`;
  return readyAnswer(
    new Response(new Uint8Array(tile), { headers: { 'content-type': bytes, 'cache-control': caching } }),
  );
}

/** @throws ServiceError `not_found`, because a path that is no tile's is nothing. */
function tileAt(path: string) {
  try {
    return parseTilePath(path);
  } catch (cause) {
    throw new ServiceError('not_found', `There is no tile ${JSON.stringify(path)}.`, { cause });
  }
}

/** How the service log names a log. @throws ServiceError `not_found` */
export async function nameOfLog(
  { reading }: Pick<PublishedLogs, 'reading'>,
  name: string,
): Promise<LogNameAnswer> {
  const nonce = await reading.nonceOf(name);
  if (!nonce) throw new ServiceError('not_found', 'This log has no entries yet.');
  return { name, nonce: toBase64(nonce), blinded_name: toBase64(blindedName(name, nonce)) };
}
