import { BSON, type Document, type FindCursor } from 'mongodb';
import { yieldToEventLoop } from '../../domain/yield-to-event-loop.ts';
import { translatedEach } from './errors.ts';

/** Options of a cursor whose documents `eachDocument` parses. */
export const rawDocuments = (limit: number) =>
  // One batch, if the documents fit into it: a server without ordered indexes sorts again for each batch.
  ({ limit, batchSize: limit + 1, raw: true });

/** Parses the documents of a cursor one by one, so that other work can run in between. */
export async function* eachDocument<Read>(
  found: FindCursor<Buffer>,
): AsyncGenerator<{ readonly document: Read; readonly size: number }, void> {
  for await (const bytes of translatedEach(found)) {
    yield {
      document: BSON.deserialize(bytes, { promoteBuffers: true }) as Document as Read,
      size: bytes.length,
    };
    await yieldToEventLoop();
  }
}

/** Takes at most `limit` documents and about `mostBytes`, but at least one document. */
export async function someDocuments<Read>(
  read: AsyncIterable<{ readonly document: Read; readonly size: number }>,
  limit: number,
  mostBytes: number,
): Promise<{ documents: Read[]; bytes: number; isLonger: boolean }> {
  const documents: Read[] = [];
  let bytes = 0;
  for await (const { document, size } of read) {
    if (documents.length === limit || bytes >= mostBytes) return { documents, bytes, isLonger: true };
    documents.push(document);
    bytes += size;
  }
  return { documents, bytes, isLonger: false };
}
