import type { Filter } from 'mongodb';
import type { Visibility } from '../../../domain/access/visibility.ts';
import { type Cid, digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import type { GraphAttachments, GraphContents } from '../../../domain/integrity/manifest/ports.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';
import { translated, translatedEach } from '../errors.ts';
import {
  type StatementDocument,
  statementCollection,
  statementRow,
} from '../statements/statement-documents.ts';
import { readAttachments } from './graph-attachments.ts';
import { type GraphDocument, graphCollection, isRegistered } from './graph-documents.ts';
import { isVisible } from './graph-numbers.ts';

/** Rows read at a time, and keys of them. */
const pageRows = 128;
const pageKeys = 4_096;
const cidsAtOnce = 1_000;
const namesAtOnce = 1_000;

type StatementKey = Pick<StatementDocument, '_id' | 'rdfc' | 'position'>;

export class MongoGraphContents implements GraphContents {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async *statements(
    graphIds: readonly string[] | null,
    visibility: Visibility,
  ): AsyncGenerator<readonly StatementRow[]> {
    const numbers = await translated(() => this.#visibleNumbers(graphIds, visibility));
    if (numbers.length === 0) return;
    const isEverything = graphIds === null && visibility.projects === 'all';
    let page: StatementKey[] = [];
    for await (const key of translatedEach(this.#inOrder(numbers, isEverything))) {
      page.push(key);
      if (page.length < pageRows) continue;
      yield await this.#rows(page);
      page = [];
    }
    if (page.length > 0) yield await this.#rows(page);
  }

  /** By an index that is in order: of each graph, or of all statements. Servers that cannot merge those sort the keys. */
  #inOrder(numbers: readonly number[], isEverything: boolean): AsyncIterable<StatementKey> {
    return statementCollection(this.#database)
      .find({ graphs: { $in: numbers } })
      .hint(isEverything ? 'rdfc' : 'contents')
      .project<StatementKey>({ rdfc: 1, position: 1 })
      .sort({ rdfc: 1, position: 1 })
      .allowDiskUse()
      .batchSize(pageKeys);
  }

  async #rows(keys: readonly StatementKey[]): Promise<StatementRow[]> {
    const query = { _id: { $in: keys.map(({ _id }) => _id) } };
    const documents = await translated(() => statementCollection(this.#database).find(query).toArray());
    const byId = new Map(documents.map((document) => [nameOf(document), document]));
    return keys.flatMap((key) => {
      const document = byId.get(nameOf(key));
      return document ? [statementRow(document)] : [];
    });
  }

  async count(graphId: string, jcsCids: readonly Cid[]): Promise<number> {
    return await translated(async () => {
      const graph = await graphCollection(this.#database).findOne({ graphId });
      let found = 0;
      for (let at = 0; graph && at < jcsCids.length; at += cidsAtOnce) {
        const ids = jcsCids.slice(at, at + cidsAtOnce).map(({ digest }) => digest);
        found += await statementCollection(this.#database).countDocuments({
          _id: { $in: ids },
          graphs: graph._id,
        });
      }
      return found;
    });
  }

  async attachments(graphIds: readonly string[] | null, visibility: Visibility): Promise<GraphAttachments> {
    return await translated(async () =>
      readAttachments(this.#database, await this.#visibleNumbers(graphIds, visibility)),
    );
  }

  /** In the order of registration. */
  async #visibleNumbers(graphIds: readonly string[] | null, visibility: Visibility): Promise<number[]> {
    const { projects } = visibility;
    const found: number[] = [];
    for (const names of graphIds === null ? [null] : inParts([...new Set(graphIds)])) {
      const query: Filter<GraphDocument> = {
        ...isRegistered,
        ...(names && { graphId: { $in: names } }),
        ...(projects !== 'all' && { projectId: { $in: [...projects] } }),
      };
      const graphs = graphCollection(this.#database).find(query, { projection: { projectId: 1 } });
      for await (const graph of graphs) if (isVisible(graph, visibility)) found.push(graph._id);
    }
    return found.sort((one, other) => one - other);
  }
}

function nameOf({ _id }: Pick<StatementDocument, '_id'>): string {
  return digestHex({ digest: _id });
}

function inParts(names: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let at = 0; at < names.length; at += namesAtOnce) parts.push(names.slice(at, at + namesAtOnce));
  return parts;
}
