import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import { EntryQueue, type OrderEntry } from '../index/entry-queue.ts';
import { statementRow } from '../statements/statement-rows.ts';

/** Rows read before other work has its turn. */
const pageRows = 128;
/** Index entries read at a time: of one graph, and of all graphs together. */
const graphEntries = 256;
const allEntries = 4_096;

/** The statements of graphs in the order in which manifests have them. */
export class OrderedRows {
  readonly #entries: StatementSync;
  readonly #statement: StatementSync;

  constructor(database: DatabaseSync) {
    this.#entries = database.prepare(
      `SELECT id_start, seq FROM graph_order
       WHERE graph = ? AND (id_start, seq) > (?, ?) ORDER BY id_start, seq LIMIT ?`,
    );
    this.#statement = database.prepare(
      'SELECT jcs_digest, rdfc_digest, trusted, kind, time, context_set, refs, jcs FROM statements WHERE seq = ?',
    );
  }

  async *pages(graphs: readonly number[]): AsyncGenerator<readonly StatementRow[]> {
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
