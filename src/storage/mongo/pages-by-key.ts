import type { Collection, Document, Filter, FindOptions, WithId } from 'mongodb';
import { translated } from './errors.ts';

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
    const page = (await translated(() =>
      collection
        .find(after, { ...options, promoteBuffers: true })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    )) as unknown as WithId<Content>[];
    if (page.length === 0) return;
    yield page;
    last = page.at(-1)?._id;
  }
}
