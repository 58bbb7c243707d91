import type { Db, Document, IndexDescription } from 'mongodb';

interface Collection {
  readonly name: string;
  readonly batchSize: number;
  readonly inFlight: number;
}

/** Inserts the documents of a collection into another database, with the same indexes. @returns documents per second. */
export async function bareInsertMany(
  from: Db,
  to: Db,
  { name, batchSize, inFlight }: Collection,
): Promise<number> {
  const [source, target] = [from.collection(name), to.collection(name)];
  const indexes = (await source.indexes()).filter(({ name }) => name !== '_id_');
  await target.createIndexes(indexes.map(({ v: _, ...index }) => index) as IndexDescription[]);
  const documents = await source.find().toArray();
  const parts: Document[][] = [];
  for (let at = 0; at < documents.length; at += batchSize) parts.push(documents.slice(at, at + batchSize));
  const startedAt = performance.now();
  const sender = async () => {
    for (let part = parts.shift(); part; part = parts.shift())
      await target.insertMany(part, { ordered: false });
  };
  await Promise.all(Array.from({ length: inFlight }, sender));
  return (documents.length / (performance.now() - startedAt)) * 1_000;
}
