import type { Collection, ObjectId } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import type { GraphAttachments } from '../../../domain/integrity/manifest/ports.ts';
import type { Database } from '../database.ts';
import type { CollectionIndexes } from '../indexes.ts';

/** Far below the limit for one document. */
const partBytes = 1 << 20;

/** A part of a graph's attachments. It is stored before the graph is registered. */
interface AttachmentsDocument extends GraphAttachments {
  readonly graph: ObjectId;
  readonly part: number;
}

export const attachmentIndexes: CollectionIndexes = {
  collection: 'attachments',
  indexes: [{ name: 'graph_part', key: { graph: 1, part: 1 }, unique: true }],
};

function attachmentCollection(database: Database): Collection<AttachmentsDocument> {
  return database.collection<AttachmentsDocument>(attachmentIndexes.collection);
}

export async function putAttachments(
  database: Database,
  graph: ObjectId,
  { contexts, anchors }: GraphAttachments,
): Promise<void> {
  await forgetAttachments(database, graph);
  const ordered = contexts.toSorted((one, other) => (one.url < other.url ? -1 : 1));
  const parts = [
    ...partsOf(ordered).map((some) => ({ contexts: some, anchors: [] })),
    ...partsOf(anchors).map((some) => ({ contexts: [], anchors: some })),
  ];
  const stored = attachmentCollection(database);
  for (const [part, attachments] of parts.entries())
    await stored.replaceOne({ graph, part }, { graph, part, ...attachments }, { upsert: true });
}

function partsOf<Item>(items: readonly Item[]): Item[][] {
  const parts: Item[][] = [];
  let bytes = partBytes;
  for (const item of items) {
    const size = JSON.stringify(item).length;
    if (bytes + size > partBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(item);
    bytes += size;
  }
  return parts;
}

export async function forgetAttachments(database: Database, graph: ObjectId): Promise<void> {
  await attachmentCollection(database).deleteMany({ graph });
}

/** In the order of the graphs. @throws ServiceError `unavailable` when a list is damaged. */
export async function readAttachments(
  database: Database,
  graphs: readonly ObjectId[],
): Promise<GraphAttachments> {
  const query = { graph: { $in: [...graphs] } };
  const found = await attachmentCollection(database).find(query).sort({ graph: 1, part: 1 }).toArray();
  for (const document of found) if (!isWhole(document)) throwDamaged(document.graph);
  const byGraph = Map.groupBy(found, ({ graph }) => graph.toHexString());
  const parts = graphs.flatMap((graph) => byGraph.get(graph.toHexString()) ?? []);
  return {
    contexts: parts.flatMap(({ contexts }) => contexts),
    anchors: parts.flatMap(({ anchors }) => anchors),
  };
}

function isWhole({ contexts, anchors }: AttachmentsDocument): boolean {
  const isText = (value: unknown) => typeof value === 'string';
  const isContext = (one: { url?: unknown; cid?: unknown } | null) => isText(one?.url) && isText(one?.cid);
  return (
    Array.isArray(contexts) && contexts.every(isContext) && Array.isArray(anchors) && anchors.every(isText)
  );
}

function throwDamaged(graph: ObjectId): never {
  const message = `The list of attachments of the graph with the key ${graph} is damaged.`;
  throw new ServiceError('unavailable', message);
}
