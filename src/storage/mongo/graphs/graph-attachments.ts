import type { Collection } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import type { GraphAttachments } from '../../../domain/integrity/manifest/ports.ts';
import type { Database } from '../database.ts';
import type { CollectionIndexes } from '../indexes.ts';

/** Far below the largest document. */
const partBytes = 1 << 20;

/** A part of what came with a graph. It is there before the graph is. */
interface AttachmentsDocument extends GraphAttachments {
  readonly graph: number;
  readonly part: number;
}

export const attachmentIndexes: CollectionIndexes = {
  collection: 'attachments',
  indexes: [{ name: 'graph_part', key: { graph: 1, part: 1 }, unique: true }],
};

export function attachmentCollection(database: Database): Collection<AttachmentsDocument> {
  return database.collection<AttachmentsDocument>(attachmentIndexes.collection);
}

/** In place of what was there for the graph. */
export async function putAttachments(
  database: Database,
  graph: number,
  { contexts, anchors }: GraphAttachments,
): Promise<void> {
  await forgetAttachments(database, graph);
  const ordered = contexts.toSorted((one, other) => (one.url < other.url ? -1 : 1));
  const parts = [
    ...partsOf(ordered).map((some) => ({ contexts: some, anchors: [] })),
    ...partsOf(anchors).map((some) => ({ contexts: [], anchors: some })),
  ];
  for (const [part, attachments] of parts.entries())
    await attachmentCollection(database).replaceOne(
      { graph, part },
      { graph, part, ...attachments },
      { upsert: true },
    );
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

export async function forgetAttachments(database: Database, graph: number): Promise<void> {
  await attachmentCollection(database).deleteMany({ graph });
}

/** Of graphs by their numbers, in the order of those. @throws ServiceError `unavailable` when their list is damaged. */
export async function readAttachments(
  database: Database,
  graphs: readonly number[],
): Promise<GraphAttachments> {
  const contexts: { url: string; cid: string }[] = [];
  const anchors: string[] = [];
  const query = { graph: { $in: [...graphs] } };
  for await (const document of attachmentCollection(database).find(query).sort({ graph: 1, part: 1 })) {
    if (!isWhole(document)) refuseDamaged(document.graph);
    contexts.push(...document.contexts);
    anchors.push(...document.anchors);
  }
  return { contexts, anchors };
}

function isWhole({ contexts, anchors }: AttachmentsDocument): boolean {
  const isText = (value: unknown) => typeof value === 'string';
  const isContext = (one: { url?: unknown; cid?: unknown } | null) => isText(one?.url) && isText(one?.cid);
  return (
    Array.isArray(contexts) && contexts.every(isContext) && Array.isArray(anchors) && anchors.every(isText)
  );
}

function refuseDamaged(graph: number): never {
  const message = `The list of what came with the graph that has the number ${graph} is damaged.`;
  throw new ServiceError('unavailable', message);
}
