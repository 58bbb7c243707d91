import type { Collection, ObjectId } from 'mongodb';
import { Gathering } from '../../../domain/gathering.ts';
import { digestBytes } from '../../../domain/integrity/statements/packed-rows.ts';
import type { Database } from '../database.ts';
import { nextPosition } from '../positions.ts';
import type { Partition } from '../statements/statement-documents.ts';

/**
 * What has to get into logs: rows by the digests of their forms, or all rows of a graph. Null is no graph. `_id` is a position,
 * so it says when the intent was written.
 */
export type IntentDocument = RowsIntent | GraphIntent;

export interface RowsIntent {
  readonly _id: ObjectId;
  readonly groups: readonly { readonly graph: ObjectId | null; readonly digests: Uint8Array }[];
}

export interface GraphIntent {
  readonly _id: ObjectId;
  readonly graph: ObjectId | null;
  readonly partition: Partition;
  /** The position of the last row that is in the log. */
  readonly after: ObjectId | null;
  readonly isOlder: boolean;
}

export function intentCollection({ db }: Database): Collection<IntentDocument> {
  return db.collection<IntentDocument>('log_intents');
}

/** Digests that stand one after the other. */
export function digestsIn(bytes: Uint8Array): Uint8Array[] {
  const plain = bytes instanceof Uint8Array ? bytes : new Uint8Array();
  return Array.from({ length: plain.length / digestBytes }, (_, at) =>
    plain.subarray(at * digestBytes, (at + 1) * digestBytes),
  );
}

interface Waiting {
  readonly graph: ObjectId | null;
  readonly digests: readonly Uint8Array[];
}

/** The most rows of a document. */
const rowsAtOnce = 20_000;

/** Writes intents. Those that come while one is being written share the next document. */
export class Intents {
  readonly #database: Database;
  readonly #gathering = new Gathering({ most: Infinity, atOnce: 1 });

  constructor(database: Database) {
    this.#database = database;
  }

  /** Durable when it resolves. */
  async note(graph: ObjectId | null, digests: readonly Uint8Array[]): Promise<void> {
    if (digests.length === 0) return;
    await this.#gathering.run('', { graph, digests }, (waiting) => this.#write(waiting));
  }

  /** All rows of a graph, also those that join until it is registered. */
  async noteGraph(graph: ObjectId): Promise<void> {
    await intentCollection(this.#database).insertMany(graphIntents(this.#database, graph, false));
  }

  async #write(waiting: readonly Waiting[]): Promise<[]> {
    const documents = documentsOf(this.#database, waiting);
    if (documents.length === 1 && documents[0])
      await intentCollection(this.#database).insertOne(documents[0]);
    else await intentCollection(this.#database).insertMany(documents);
    return [];
  }
}

function documentsOf(database: Database, waiting: readonly Waiting[]): RowsIntent[] {
  const parts = waiting.flatMap(({ graph, digests }) =>
    Array.from({ length: Math.ceil(digests.length / rowsAtOnce) }, (_, at) => ({
      graph,
      digests: Buffer.concat(digests.slice(at * rowsAtOnce, (at + 1) * rowsAtOnce)),
    })),
  );
  const documents: RowsIntent[] = [];
  for (let at = 0; at < parts.length; ) {
    let bytes = 0;
    const first = at;
    for (; at < parts.length && (at === first || bytes < rowsAtOnce * digestBytes); at += 1)
      bytes += parts[at]?.digests.length ?? 0;
    documents.push({ _id: nextPosition(database.now()), groups: parts.slice(first, at) });
  }
  return documents;
}

export function graphIntents(database: Database, graph: ObjectId | null, isOlder: boolean): GraphIntent[] {
  const partitions = graph === null ? (['verified'] as const) : (['verified', 'unverified'] as const);
  return partitions.map((partition) => ({
    _id: nextPosition(database.now()),
    graph,
    partition,
    after: null,
    isOlder,
  }));
}
