import {
  BSON,
  type Collection,
  type Document,
  type Filter,
  type FindCursor,
  type FindOptions,
  type WithId,
} from 'mongodb';
import { yieldToEventLoop } from '../../domain/yield-to-event-loop.ts';
import { translated, translatedEach } from './errors.ts';

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

/**
 * All documents of a collection, page by page in the order of their keys: those that are added meanwhile come or not,
 * and nothing waits on the server for a reader who takes a long time.
 */
export async function* pagesByKey<Content extends Document>(
  collection: Collection<Content>,
  { first, limit, ...options }: FindOptions & { readonly first: unknown; readonly limit: number },
): AsyncGenerator<WithId<Content>[]> {
  for (let last = first; ; ) {
    const after = { _id: { $gt: last } } as Filter<Content>;
    const found = collection.find(after, { ...options, promoteBuffers: true, sort: { _id: 1 }, limit });
    const page = (await translated(() => found.toArray())) as unknown as WithId<Content>[];
    if (page.length === 0) return;
    yield page;
    last = page.at(-1)?._id;
  }
}
