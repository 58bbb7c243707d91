import type { StatementFilter, StatementRow, StatementScope } from '../../src/domain/integrity/ports.ts';

const subjectRoles = ['subject', 'credentialSubject', 'payload'];

/** What a search has to answer, in its plainest form. A graph's project is its own name. */
export class IndexModel {
  readonly #rows = new Map<string, { row: StatementRow; graphIds: string[] }>();

  put(rows: readonly StatementRow[], graphId: string | null): void {
    for (const row of rows) {
      const kept = this.#rows.get(row.jcsCid.text) ?? { row, graphIds: [] };
      if (row.isTrusted) kept.row = row;
      if (graphId !== null && !kept.graphIds.includes(graphId)) kept.graphIds.push(graphId);
      this.#rows.set(row.jcsCid.text, kept);
    }
  }

  search(filter: StatementFilter, { graphId, visibility: { projects } }: StatementScope): string[] {
    const isVisible = (id: string) => projects === 'all' || projects.has(id);
    return [...this.#rows.values()]
      .filter(({ row, graphIds }) =>
        graphId === null
          ? row.isTrusted && (projects === 'all' || graphIds.some(isVisible))
          : graphIds.includes(graphId) && isVisible(graphId),
      )
      .filter(({ row }) => fits(row, filter))
      .map(({ row }) => row.jcsCid.text)
      .reverse();
  }
}

function fits(row: StatementRow, { kind, subject, registeredBy, from, until }: StatementFilter): boolean {
  const refers = (roles: readonly string[], identifier: string | null) =>
    identifier === null ||
    row.references.some((it) => roles.includes(it.role) && it.identifier === identifier);
  return (
    (kind === null || row.kind === kind) &&
    refers(subjectRoles, subject) &&
    refers(['registeredBy'], registeredBy) &&
    (from === null || (row.time !== null && row.time >= from)) &&
    (until === null || (row.time !== null && row.time < until))
  );
}
