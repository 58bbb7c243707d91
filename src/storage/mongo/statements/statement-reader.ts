import { BSON, type Collection, type Filter, type FindOptions } from 'mongodb';
import type { Visibility } from '../../../domain/access/visibility.ts';
import type { Cid, codecs } from '../../../domain/integrity/identifiers/cid.ts';
import type { StoredStatement } from '../../../domain/integrity/ports.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import type { Database } from '../database.ts';
import { translatedEach } from '../errors.ts';
import { type GraphNumbers, isVisible } from '../graphs/graph-numbers.ts';
import { type StatementDocument, statementCollection, statementRow } from './statement-documents.ts';

export type StatementFilter = Filter<StatementDocument>;
/** All but the statement's text. */
export type LightDocument = Omit<StatementDocument, 'jcs'> & Partial<Pick<StatementDocument, 'jcs'>>;

export interface StatementRead {
  /** The name of an index, which a server might not choose by itself. */
  readonly index: string;
  /** By position: -1 has the newest first. Without it in no order at all. */
  readonly order?: 1 | -1;
  readonly limit: number;
}

export type ReadStatements<Document> = (
  filter: StatementFilter,
  read: StatementRead,
) => AsyncGenerator<Document, void>;

/** Reads statements: they are parsed one by one, and other work has its turn in between. */
export class StatementReader {
  readonly statements: Collection<StatementDocument>;
  readonly #numbers: GraphNumbers;

  constructor(database: Database, numbers: GraphNumbers) {
    this.statements = statementCollection(database);
    this.#numbers = numbers;
  }

  readonly whole: ReadStatements<StatementDocument> = (filter, read) => this.#read(filter, read, {});

  readonly light: ReadStatements<LightDocument> = (filter, read) =>
    this.#read(filter, read, { projection: { jcs: 0 } });

  async *#read<Document>(
    filter: StatementFilter,
    { index, order, limit }: StatementRead,
    options: FindOptions,
  ): AsyncGenerator<Document, void> {
    const found = this.statements.find<Buffer>(filter, {
      ...options,
      hint: index,
      limit,
      // All in one answer as far as that can hold it: servers that sort do so again for the next one.
      batchSize: limit + 1,
      raw: true,
      ...(order && { sort: { position: order } }),
    });
    for await (const bytes of translatedEach(found)) {
      yield BSON.deserialize(bytes, { promoteBuffers: true }) as Document;
      await yieldToEventLoop();
    }
  }

  /** The statements with those of their graphs that the reader may see, without those that have none of them. */
  async shown(documents: readonly StatementDocument[], visibility: Visibility): Promise<StoredStatement[]> {
    const statements: StoredStatement[] = [];
    const visible = await this.#visibleGraphs(documents, visibility);
    for (const document of documents) {
      const graphIds = document.graphs.flatMap((number) => visible.get(number) ?? []);
      if (visibility.projects === 'all' || graphIds.length > 0)
        statements.push({ ...statementRow(document), graphIds });
      await yieldToEventLoop();
    }
    return statements;
  }

  /** Those of which the reader may see a graph. */
  async visible(documents: readonly LightDocument[], visibility: Visibility): Promise<LightDocument[]> {
    if (visibility.projects === 'all') return [...documents];
    const visible = await this.#visibleGraphs(documents, visibility);
    return documents.filter(({ graphs }) => graphs.some((number) => visible.has(number)));
  }

  async #visibleGraphs(
    documents: readonly LightDocument[],
    visibility: Visibility,
  ): Promise<ReadonlyMap<number, string>> {
    const graphs = await this.#numbers.registered(documents.flatMap((document) => document.graphs));
    const visible = graphs.values().filter((graph) => isVisible(graph, visibility));
    return new Map(visible.map(({ _id, graphId }) => [_id, graphId]));
  }
}

/** All of the conditions, each once. */
export function allOf(...filters: readonly StatementFilter[]): StatementFilter {
  return { $and: [...new Set(filters)].filter((filter) => Object.keys(filter).length > 0) };
}

/** Whether a CID can be one of a statement's two: their codecs and hash function are fixed. */
export function isStatementCid(cid: Cid, codec: (typeof codecs)['jcs' | 'rdfc']): boolean {
  return cid.codec === codec && cid.multihash === 'blake3';
}
