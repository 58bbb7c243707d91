import type { StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Visibility } from '../../../domain/access/visibility.ts';
import { type Cid, codecs } from '../../../domain/integrity/identifiers/cid.ts';
import type {
  PutOutcome,
  StatementRow,
  StatementStore,
  StoredStatement,
} from '../../../domain/integrity/ports.ts';
import type { Reference } from '../../../domain/integrity/statements/references.ts';
import type { Database } from '../database.ts';
import { digestReads } from '../index/digest-reads.ts';
import { referenceTarget } from '../index/entries.ts';
import { nameReads } from '../index/names.ts';
import { isStatementCid, type Row, selectStatements, visibleStatement } from './statement-rows.ts';
import { statementSlices } from './statement-slices.ts';

type Referring = Parameters<StatementStore['referring']>[0];

/** Rows looked at before other work has its turn. */
const pageRows = 64;

export class EmbeddedStatements implements StatementStore {
  readonly #writes: Database['writes'];
  readonly #digests: ReturnType<typeof digestReads>;
  readonly #names: ReturnType<typeof nameReads>;
  readonly #bySeq: StatementSync;
  readonly #referring: StatementSync;

  constructor({ reader, writes }: Database) {
    this.#writes = writes;
    this.#digests = digestReads(reader);
    this.#names = nameReads(reader);
    this.#bySeq = selectStatements(reader, 'seq = ?');
    this.#referring = reader.prepare(
      `SELECT seq, EXISTS (
         SELECT 1 FROM graphs JOIN statement_graphs ON graph = id
         WHERE graph_id = ?5 AND statement_graphs.seq = entries.seq
       ) AS is_in_graph
       FROM entries
       WHERE target = ?1 AND trusted = 1 AND role = ?2 AND kind = ?3 AND seq > ?4
       ORDER BY seq LIMIT ${pageRows}`,
    );
  }

  async putMany(rows: readonly StatementRow[], graphId: string | null): Promise<PutOutcome[]> {
    return await this.#writes.run('putStatements', { graphId }, statementSlices(rows));
  }

  async byJcsCid(jcsCid: Cid, visibility: Visibility): Promise<StoredStatement | undefined> {
    if (!isStatementCid(jcsCid, codecs.jcs)) return undefined;
    const seq = this.#digests.byJcs(jcsCid.digest);
    const row = seq === undefined ? undefined : this.#bySeq.get(seq);
    return row?.trusted === 1 ? visibleStatement(row, visibility) : undefined;
  }

  async byRdfcCid(rdfcCid: Cid, visibility: Visibility): Promise<StoredStatement | undefined> {
    if (!isStatementCid(rdfcCid, codecs.rdfc)) return undefined;
    const next = (after: number) => this.#digests.nextForm(rdfcCid.digest, 1, after);
    let looked = 0;
    for (let seq = next(0); seq !== undefined; seq = next(seq)) {
      const row = this.#bySeq.get(seq);
      const statement = row && visibleStatement(row, visibility);
      if (statement) return statement;
      if (++looked % pageRows === 0) await setImmediate();
    }
    return undefined;
  }

  async referring(
    { reference, kind, graphId, limit }: Referring,
    visibility: Visibility,
  ): Promise<StoredStatement[]> {
    const found: StoredStatement[] = [];
    const [role, ofKind] = [reference.role, kind].map((name) => this.#names.numberOf(name));
    if (limit < 1 || role === undefined || ofKind === undefined) return found;
    const target = referenceTarget(reference.identifier);
    const page = (after: number) => this.#referring.all(target, role, ofKind, after, graphId);
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
