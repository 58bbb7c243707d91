import type { Cid } from '../identifiers/cid.ts';
import type { Page, StatementPage, StatementScope, StatementStore, StoredStatement } from '../ports.ts';
import { readLists, sourceOf } from './lists.ts';
import type { StatementIndex } from './questions.ts';
import { listReferences } from './reference-list.ts';
import { findReferring } from './referring.ts';
import type { StatementRowsOfStore } from './rows.ts';
import { isInScope, rowsIn, storedStatement } from './scopes.ts';
import { searchStatements } from './search.ts';

export function statementIndex(rows: StatementRowsOfStore): StatementIndex {
  return {
    form: (jcsCid, scope) => readForm(rows, jcsCid, scope),
    forms: (rdfcCid, page, scope) => readForms(rows, rdfcCid, page, scope),
    references: (identifier, page, scope) => listReferences(rows, identifier, page, scope),
    referringTo: (query, scope) => findReferring(rows, query, scope),
    search: (filter, page, scope) => searchStatements(rows, filter, page, scope),
  };
}

export function statementReads(rows: StatementRowsOfStore): Pick<StatementStore, 'byJcsCid' | 'byRdfcCid'> {
  return {
    byJcsCid: (jcsCid, visibility) => readForm(rows, jcsCid, { graphId: null, visibility }),
    async byRdfcCid(rdfcCid, visibility) {
      for (let after: string | null | undefined = null; after !== undefined; ) {
        const page: StatementPage = await readForms(
          rows,
          rdfcCid,
          { after, limit: 1 },
          { graphId: null, visibility },
        );
        if (page.statements[0]) return page.statements[0];
        after = page.next;
      }
      return undefined;
    },
  };
}

async function readForm(
  rows: StatementRowsOfStore,
  jcsCid: Cid,
  scope: StatementScope,
): Promise<StoredStatement | undefined> {
  for (const part of rowsIn(rows, scope)) {
    const [row] = await part.whole([jcsCid]);
    if (row && isInScope(row, scope)) return storedStatement(row, scope);
  }
  return undefined;
}

async function readForms(
  rows: StatementRowsOfStore,
  rdfcCid: Cid,
  page: Page,
  scope: StatementScope,
): Promise<StatementPage> {
  const sources = rowsIn(rows, scope).map((part) =>
    sourceOf(part, { by: 'id', rdfcCid }, (row) => isInScope(row, scope)),
  );
  const { found, next } = await readLists(sources, page, ['forms', rdfcCid.text, scope.graphId]);
  return {
    statements: found.map(({ row }) => storedStatement(row, scope)),
    ...(next !== undefined && { next }),
  };
}
