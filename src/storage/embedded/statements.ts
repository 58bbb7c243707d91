import type { StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Visibility } from '../../domain/access.ts';
import { type Cid, codecs } from '../../domain/integrity/cid.ts';
import type {
  PutOutcome,
  StatementRow,
  StatementStore,
  StoredStatement,
} from '../../domain/integrity/ports.ts';
import type { Reference } from '../../domain/integrity/references.ts';
import type { Database } from './database.ts';
import { referenceTarget } from './reference-target.ts';
import { isStatementCid, type Row, selectStatements, visibleStatement } from './statement-rows.ts';
import { statementSlices } from './statement-slices.ts';

type Referring = Parameters<StatementStore['referring']>[0];

/** Rows looked at before other work has its turn. */
const pageRows = 64;

export class EmbeddedStatements implements StatementStore {
  readonly #writes: Database['writes'];
  readonly #byJcs: StatementSync;
  readonly #byRdfc: StatementSync;
  readonly #bySeq: StatementSync;
  readonly #referring: StatementSync;

  constructor({ reader, writes }: Database) {
    this.#writes = writes;
    this.#byJcs = selectStatements(reader, 'jcs_digest = ? AND trusted = 1');
    this.#byRdfc = selectStatements(
      reader,
      `trusted = 1 AND rdfc_digest = ? AND seq > ? ORDER BY seq LIMIT ${pageRows}`,
    );
    this.#bySeq = selectStatements(reader, 'seq = ?');
    this.#referring = reader.prepare(
      `SELECT seq, EXISTS (
         SELECT 1 FROM graphs JOIN statement_graphs ON graph = id
         WHERE graph_id = ?5 AND statement_graphs.seq = reference_index.seq
       ) AS is_in_graph
       FROM reference_index
       WHERE target = ?1 AND trusted = 1 AND role = ?2 AND kind = ?3 AND seq > ?4
       ORDER BY seq LIMIT ${pageRows}`,
    );
  }

  async putMany(rows: readonly StatementRow[], graphId: string | null): Promise<PutOutcome[]> {
    return await this.#writes.run('putStatements', { graphId }, statementSlices(rows));
  }

  async byJcsCid(jcsCid: Cid, visibility: Visibility): Promise<StoredStatement | undefined> {
    if (!isStatementCid(jcsCid, codecs.jcs)) return undefined;
    const row = this.#byJcs.get(jcsCid.digest);
    return row && visibleStatement(row, visibility);
  }

  async byRdfcCid(rdfcCid: Cid, visibility: Visibility): Promise<StoredStatement | undefined> {
    if (!isStatementCid(rdfcCid, codecs.rdfc)) return undefined;
    for await (const row of pages((after) => this.#byRdfc.all(rdfcCid.digest, after))) {
      const statement = visibleStatement(row, visibility);
      if (statement) return statement;
    }
    return undefined;
  }

  async referring(
    { reference, kind, graphId, limit }: Referring,
    visibility: Visibility,
  ): Promise<StoredStatement[]> {
    const found: StoredStatement[] = [];
    if (limit < 1) return found;
    const target = referenceTarget(reference.identifier);
    const page = (after: number) => this.#referring.all(target, reference.role, kind, after, graphId);
    for await (const { seq, is_in_graph } of pages(page)) {
      if (graphId !== null && !is_in_graph) continue;
      const row = this.#bySeq.get(seq as number);
      const statement = row && visibleStatement(row, visibility);
      if (statement?.references.some((other) => isSame(other, reference))) found.push(statement);
      if (found.length === limit) return found;
    }
    return found;
  }
}

/** Rows in the order of `seq`, page by page. */
async function* pages(page: (after: number) => Row[]): AsyncGenerator<Row> {
  let rows = page(0);
  while (rows.length > 0) {
    yield* rows;
    if (rows.length < pageRows) return;
    await setImmediate();
    rows = page(Number(rows.at(-1)?.seq));
  }
}

function isSame(one: Reference, other: Reference): boolean {
  return one.identifier === other.identifier && one.role === other.role;
}
