import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Visibility } from '../../../domain/access/visibility.ts';
import type { Cid } from '../../../domain/integrity/identifiers/cid.ts';
import type { GraphAttachments, GraphContents } from '../../../domain/integrity/manifest/ports.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import { openSnapshot } from '../connections.ts';
import { digestReads } from '../index/digest-reads.ts';
import { OrderedRows } from './ordered-rows.ts';
import { VisibleGraphs } from './visible-graphs.ts';

/** Rows read before other work has its turn. */
const pageRows = 128;

export class EmbeddedGraphContents implements GraphContents {
  readonly #reader: DatabaseSync;
  readonly #graphs: VisibleGraphs;
  readonly #isMember: StatementSync;
  readonly #digests: ReturnType<typeof digestReads>;
  readonly #contexts: StatementSync;
  readonly #anchors: StatementSync;

  constructor({ reader }: { readonly reader: DatabaseSync }) {
    this.#reader = reader;
    this.#graphs = new VisibleGraphs(reader);
    this.#isMember = reader.prepare(
      'SELECT 1 FROM graphs JOIN statement_graphs ON graph = id WHERE graph_id = ? AND seq = ?',
    );
    this.#digests = digestReads(reader);
    this.#contexts = reader.prepare('SELECT url, cid FROM graph_contexts WHERE graph = ? ORDER BY url');
    this.#anchors = reader.prepare('SELECT cid FROM graph_anchors WHERE graph = ? ORDER BY position');
  }

  /** Of one moment: a trusted row that replaces another one may have another id, and so another place. */
  async *statements(
    graphIds: readonly string[] | null,
    visibility: Visibility,
  ): AsyncGenerator<readonly StatementRow[]> {
    const snapshot = openSnapshot(String(this.#reader.location()));
    try {
      const graphs = await new VisibleGraphs(snapshot).ids(graphIds, visibility);
      yield* new OrderedRows(snapshot).pages(graphs);
    } finally {
      snapshot.close();
    }
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
    for (const [at, graph] of (await this.#graphs.ids(graphIds, visibility)).entries()) {
      for (const { url, cid } of this.#contexts.iterate(graph))
        contexts.push({ url: String(url), cid: String(cid) });
      for (const { cid } of this.#anchors.iterate(graph)) anchors.push(String(cid));
      if (at % pageRows === pageRows - 1) await setImmediate();
    }
    return { contexts, anchors };
  }
}
