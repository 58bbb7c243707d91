import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Visibility } from '../../domain/access.ts';
import { type Cid, codecs, makeCid } from '../../domain/integrity/cid.ts';
import type { GraphAttachments, GraphContents } from '../../domain/integrity/manifest-ports.ts';
import type { StatementRow } from '../../domain/integrity/ports.ts';
import { digestReads } from './digest-reads.ts';
import { EntryQueue, type OrderEntry } from './entry-queue.ts';
import { type Row, referencesIn } from './statement-rows.ts';

/** Rows read before other work has its turn. */
const pageRows = 128;
/** Index entries read at a time: of one graph, and of all graphs together. */
const graphEntries = 256;
const allEntries = 4_096;

export class EmbeddedGraphContents implements GraphContents {
  readonly #graphByName: StatementSync;
  readonly #graphs: StatementSync;
  readonly #entries: StatementSync;
  readonly #statement: StatementSync;
  readonly #isMember: StatementSync;
  readonly #digests: ReturnType<typeof digestReads>;
  readonly #contexts: StatementSync;
  readonly #anchors: StatementSync;

  constructor({ reader }: { readonly reader: DatabaseSync }) {
    this.#graphByName = reader.prepare('SELECT id, project_id FROM graphs WHERE graph_id = ?');
    this.#graphs = reader.prepare(
      `SELECT id, project_id FROM graphs WHERE id > ? ORDER BY id LIMIT ${pageRows}`,
    );
    this.#entries = reader.prepare(
      `SELECT id_start, seq FROM graph_order
       WHERE graph = ? AND (id_start, seq) > (?, ?) ORDER BY id_start, seq LIMIT ?`,
    );
    this.#statement = reader.prepare(
      'SELECT jcs_digest, rdfc_digest, trusted, kind, time, context_set, refs, jcs FROM statements WHERE seq = ?',
    );
    this.#isMember = reader.prepare(
      'SELECT 1 FROM graphs JOIN statement_graphs ON graph = id WHERE graph_id = ? AND seq = ?',
    );
    this.#digests = digestReads(reader);
    this.#contexts = reader.prepare('SELECT url, cid FROM graph_contexts WHERE graph = ? ORDER BY url');
    this.#anchors = reader.prepare('SELECT cid FROM graph_anchors WHERE graph = ? ORDER BY position');
  }

  async *statements(
    graphIds: readonly string[] | null,
    visibility: Visibility,
  ): AsyncGenerator<readonly StatementRow[]> {
    const graphs = await this.#visibleGraphs(graphIds, visibility);
    let page: StatementRow[] = [];
    for (const seq of this.#inOrder(graphs)) {
      const row = this.#statement.get(seq);
      if (row) page.push(statementRow(row));
      if (page.length < pageRows) continue;
      yield page;
      page = [];
      await setImmediate();
    }
    if (page.length > 0) yield page;
  }

  async count(graphId: string, jcsCids: readonly Cid[]): Promise<number> {
    let found = 0;
    for (const [at, { digest }] of jcsCids.entries()) {
      const seq = this.#digests.byJcs(digest);
      if (seq !== undefined && this.#isMember.get(graphId, seq)) found += 1;
      if (at % pageRows === pageRows - 1) await setImmediate();
    }
    return found;
  }

  async attachments(graphIds: readonly string[] | null, visibility: Visibility): Promise<GraphAttachments> {
    const contexts: { url: string; cid: string }[] = [];
    const anchors: string[] = [];
    for (const [at, graph] of (await this.#visibleGraphs(graphIds, visibility)).entries()) {
      for (const { url, cid } of this.#contexts.iterate(graph))
        contexts.push({ url: String(url), cid: String(cid) });
      for (const { cid } of this.#anchors.iterate(graph)) anchors.push(String(cid));
      if (at % pageRows === pageRows - 1) await setImmediate();
    }
    return { contexts, anchors };
  }

  /** Their ids in the database, in the order of their registration. */
  async #visibleGraphs(graphIds: readonly string[] | null, { projects }: Visibility): Promise<number[]> {
    const rows = graphIds === null ? await this.#allGraphs() : this.#namedGraphs(graphIds);
    return rows
      .filter(({ project_id }) => projects === 'all' || projects.has(String(project_id)))
      .map(({ id }) => Number(id))
      .sort((one, other) => one - other);
  }

  #namedGraphs(graphIds: readonly string[]): Row[] {
    return [...new Set(graphIds)].flatMap((graphId) => {
      const row = this.#graphByName.get(graphId);
      return row ? [row] : [];
    });
  }

  async #allGraphs(): Promise<Row[]> {
    const found: Row[] = [];
    for (let page = this.#graphs.all(0); page.length > 0; page = this.#graphs.all(Number(found.at(-1)?.id))) {
      found.push(...page);
      await setImmediate();
    }
    return found;
  }

  /** Every `seq` once, in the order of ids: the graphs' own orders, merged. */
  *#inOrder(graphs: readonly number[]): Generator<number> {
    const atOnce = Math.max(Math.min(Math.ceil(allEntries / graphs.length), graphEntries), 8);
    const queue = new EntryQueue();
    for (const graph of graphs) queue.add(this.#graphEntries(graph, atOnce));
    let last = 0;
    for (let entry = queue.take(); entry; entry = queue.take()) {
      if (entry.seq !== last) yield entry.seq;
      last = entry.seq;
    }
  }

  *#graphEntries(graph: number, atOnce: number): Generator<OrderEntry> {
    let after: OrderEntry = { idStart: new Uint8Array(), seq: 0 };
    for (;;) {
      const rows = this.#entries.all(graph, after.idStart, after.seq, atOnce);
      for (const { id_start, seq } of rows) {
        after = { idStart: id_start as Uint8Array, seq: Number(seq) };
        yield after;
      }
      if (rows.length < atOnce) return;
    }
  }
}

function statementRow(row: Row): StatementRow {
  return {
    jcsCid: makeCid(codecs.jcs, row.jcs_digest as Uint8Array),
    rdfcCid: makeCid(codecs.rdfc, row.rdfc_digest as Uint8Array),
    jcs: row.jcs as Uint8Array,
    kind: String(row.kind),
    references: referencesIn(row),
    time: row.time === null ? null : Number(row.time),
    contextSet: String(row.context_set),
    isTrusted: row.trusted === 1,
  };
}
