import type { Cid } from '../../src/domain/integrity/identifiers/cid.ts';
import type { PutOutcome, StatementRow } from '../../src/domain/integrity/ports.ts';
import type { Reference } from '../../src/domain/integrity/statements/references.ts';

interface Kept {
  row: StatementRow;
  graphIds: readonly string[];
}
export type Projects = 'all' | ReadonlySet<string>;

/** What a StatementStore has to answer, in its plainest form. A graph's project is its own name. */
export class StatementModel {
  readonly #rows = new Map<string, Kept>();
  readonly #coming = new Set<string>();

  putMany(rows: readonly StatementRow[], graphId: string | null): PutOutcome[] {
    return rows.map((row) => this.#put(row, graphId));
  }

  #put(row: StatementRow, graphId: string | null): PutOutcome {
    const kept = this.#rows.get(row.jcsCid.text);
    if (!kept) {
      this.#rows.set(row.jcsCid.text, { row, graphIds: graphId === null ? [] : [graphId] });
      return 'stored';
    }
    if (row.isTrusted && !kept.row.isTrusted) kept.row = row;
    if (graphId === null || kept.graphIds.includes(graphId)) return 'known';
    kept.graphIds = [...kept.graphIds, graphId];
    return 'joined';
  }

  /** From now on, and until it is published, nobody sees that a statement is in this graph. */
  beginImport(graphId: string): void {
    this.#coming.add(graphId);
  }

  publish(graphId: string): void {
    this.#coming.delete(graphId);
  }

  /** Trusted statements stay; others go when no graph has them any more. */
  abandon(graphId: string): void {
    this.#coming.delete(graphId);
    for (const [name, kept] of this.#rows) {
      if (!kept.graphIds.includes(graphId)) continue;
      kept.graphIds = kept.graphIds.filter((other) => other !== graphId);
      if (!kept.row.isTrusted && kept.graphIds.length === 0) this.#rows.delete(name);
    }
  }

  byJcsCid(cid: Cid, projects: Projects) {
    return this.#visible(projects).find(({ jcsCid }) => jcsCid === cid.text);
  }

  byRdfcCid(cid: Cid, projects: Projects) {
    return this.#visible(projects).find(({ rdfcCid }) => rdfcCid === cid.text);
  }

  referring(query: { reference: Reference; kind: string; limit: number }, projects: Projects) {
    const { role, identifier } = query.reference;
    return this.#visible(projects)
      .filter(({ kind }) => kind === query.kind)
      .filter(({ references }) => references.some((it) => it.role === role && it.identifier === identifier))
      .slice(0, query.limit);
  }

  /** Everything in the order in which it was stored, with the graphs that are there. */
  protected kept(): Kept[] {
    const isThere = (graphId: string) => !this.#coming.has(graphId);
    return [...this.#rows.values()].map(({ row, graphIds }) => ({ row, graphIds: graphIds.filter(isThere) }));
  }

  #visible(projects: Projects) {
    return this.kept()
      .filter(({ row }) => row.isTrusted)
      .map(({ row, graphIds }) => ({
        ...row,
        jcsCid: row.jcsCid.text,
        rdfcCid: row.rdfcCid.text,
        jcs: Buffer.from(row.jcs).toString(),
        graphIds: projects === 'all' ? graphIds : graphIds.filter((graphId) => projects.has(graphId)),
      }))
      .filter(({ graphIds }) => projects === 'all' || graphIds.length > 0);
  }
}
