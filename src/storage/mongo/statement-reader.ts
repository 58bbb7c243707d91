import { BSON, type Collection, type Filter, type FindOptions } from 'mongodb';
import type { Visibility } from '../../domain/access.ts';
import type { Cid, codecs } from '../../domain/integrity/cid.ts';
import type { StoredStatement } from '../../domain/integrity/ports.ts';
import { TimeSlices } from '../time-slices.ts';
import type { Database } from './database.ts';
import { translatedEach } from './faults.ts';
import { type GraphNumbers, isVisible } from './graph-numbers.ts';
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

/** Reads statements a few at a time: documents are parsed one by one, and other work has its turn in between. */
export class StatementReader {
  readonly statements: Collection<StatementDocument>;
  readonly #numbers: GraphNumbers;
  readonly #slices = new TimeSlices();

  constructor(database: Database, numbers: GraphNumbers) {
    this.statements = statementCollection(database);
    this.#numbers = numbers;
  }

  whole(filter: StatementFilter, read: StatementRead): AsyncGenerator<StatementDocument, void> {
    return this.#read<StatementDocument>(filter, read, {});
  }

  light(filter: StatementFilter, read: StatementRead): AsyncGenerator<LightDocument, void> {
    return this.#read<LightDocument>(filter, read, { projection: { jcs: 0 } });
  }

  async *#read<Document>(
    filter: StatementFilter,
    { index, order, limit }: StatementRead,
    options: FindOptions,
  ): AsyncGenerator<Document, void> {
    // All in one answer, as far as that can hold it: asking for more is slow where the server sorts.
    const found = this.statements.find<Buffer>(filter, {
      ...options,
      hint: index,
      limit,
      batchSize: limit + 1,
      raw: true,
      ...(order && { sort: { position: order } }),
    });
    for await (const bytes of translatedEach(found)) {
      yield BSON.deserialize(bytes, { promoteBuffers: true }) as Document;
      await this.#slices.step();
    }
  }

  /** The statements with those of their graphs that the reader may see, without those that have none of them. */
  async shown(
    documents: readonly StatementDocument[],
    visibility: Visibility,
  ): Promise<{ readonly document: StatementDocument; readonly statement: StoredStatement }[]> {
    const graphs = await this.#numbers.registered(documents.flatMap((document) => document.graphs));
    return documents.flatMap((document) => {
      const visible = document.graphs.flatMap((number) => {
        const graph = graphs.get(number);
        return graph && isVisible(graph, visibility) ? [graph.graphId] : [];
      });
      if (visibility.projects !== 'all' && visible.length === 0) return [];
      return [{ document, statement: { ...statementRow(document), graphIds: visible } }];
    });
  }

  /** Those of which the reader may see a graph. */
  async visible<Document extends Pick<StatementDocument, 'graphs'>>(
    documents: readonly Document[],
    visibility: Visibility,
  ): Promise<Document[]> {
    if (visibility.projects === 'all') return [...documents];
    const graphs = await this.#numbers.registered(documents.flatMap((document) => document.graphs));
    return documents.filter((document) =>
      document.graphs.some((number) => {
        const graph = graphs.get(number);
        return graph && isVisible(graph, visibility);
      }),
    );
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
