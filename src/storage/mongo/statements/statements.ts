import type { Visibility } from '../../../domain/access/visibility.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { type Cid, codecs } from '../../../domain/integrity/identifiers/cid.ts';
import type {
  PutOutcome,
  StatementRow,
  StatementStore,
  StoredStatement,
} from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import type { GraphNumbers } from '../graphs/graph-numbers.ts';
import { entryOfPlace } from '../references/reference-entries.ts';
import type { Membership, StatementDocument } from './statement-documents.ts';
import { allOf, isStatementCid, type StatementFilter, StatementReader } from './statement-reader.ts';
import { putStatements } from './statement-writes.ts';

type Referring = Parameters<StatementStore['referring']>[0];

/** Documents read at a time. */
const pageDocuments = 64;

export class MongoStatements implements StatementStore {
  readonly #database: Database;
  readonly #numbers: GraphNumbers;
  readonly #reader: StatementReader;

  constructor(database: Database, numbers: GraphNumbers) {
    this.#database = database;
    this.#numbers = numbers;
    this.#reader = new StatementReader(database, numbers);
  }

  async putMany(rows: readonly StatementRow[], graphId: string | null): Promise<PutOutcome[]> {
    return await translated(() => putStatements(this.#database, rows, () => this.#membership(graphId)));
  }

  async #membership(graphId: string | null): Promise<Membership | null> {
    if (graphId === null) return null;
    const graph = await this.#numbers.find(graphId);
    if (!graph) throw new ServiceError('unknown_graph', `The graph ${graphId} is not registered.`);
    return { number: graph._id, projectId: graph.projectId };
  }

  async byJcsCid(jcsCid: Cid, visibility: Visibility): Promise<StoredStatement | undefined> {
    if (!isStatementCid(jcsCid, codecs.jcs)) return undefined;
    const [found] = await this.#oldest({ _id: jcsCid.digest }, '_id_', 1, visibility);
    return found;
  }

  async byRdfcCid(rdfcCid: Cid, visibility: Visibility): Promise<StoredStatement | undefined> {
    if (!isStatementCid(rdfcCid, codecs.rdfc)) return undefined;
    const [found] = await this.#oldest({ rdfc: rdfcCid.digest }, 'rdfc', 1, visibility);
    return found;
  }

  async referring(
    { reference, kind, graphId, limit }: Referring,
    visibility: Visibility,
  ): Promise<StoredStatement[]> {
    const graph = graphId === null ? null : await this.#numbers.find(graphId);
    if (graph === undefined) return [];
    const { identifier, role } = reference;
    const filter = {
      references: entryOfPlace(identifier, { role, kind }, true),
      kind,
      ...(graph && { graphs: graph._id }),
    };
    return await this.#oldest(filter, 'references', limit, visibility);
  }

  /** Trusted ones that the reader may see. */
  async #oldest(
    filter: StatementFilter,
    index: string,
    limit: number,
    visibility: Visibility,
  ): Promise<StoredStatement[]> {
    const { projects } = visibility;
    const inScope = { isTrusted: true, ...(projects !== 'all' && { projects: { $in: [...projects] } }) };
    const found: StoredStatement[] = [];
    let after: StatementFilter = {};
    while (found.length < limit) {
      const atOnce = Math.min(limit - found.length, pageDocuments);
      const page: StatementDocument[] = await Array.fromAsync(
        this.#reader.whole(allOf(filter, inScope, after), { index, order: 1, limit: atOnce }),
      );
      found.push(...(await this.#reader.shown(page, visibility)));
      const last = page.at(-1);
      if (page.length < atOnce || !last) break;
      after = { position: { $gt: last.position } };
    }
    return found;
  }
}
