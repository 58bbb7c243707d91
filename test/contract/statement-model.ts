import type { Cid } from '../../src/domain/integrity/cid.ts';
import type { PutOutcome, StatementRow } from '../../src/domain/integrity/ports.ts';
import type { Reference } from '../../src/domain/integrity/references.ts';

interface Kept {
  row: StatementRow;
  readonly graphIds: string[];
}
type Projects = 'all' | ReadonlySet<string>;

/** What a StatementStore has to answer, in its plainest form. A graph's project is its own name. */
export class StatementModel {
  readonly #rows = new Map<string, Kept>();

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
    kept.graphIds.push(graphId);
    return 'joined';
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

  #visible(projects: Projects) {
    return [...this.#rows.values()]
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
