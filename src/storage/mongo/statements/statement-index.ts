import type { StatementIndex } from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';
import type { GraphNumbers } from '../graphs/graph-numbers.ts';
import { referencePages } from '../references/reference-pages.ts';
import { referringReads } from '../references/referring.ts';
import { statementForms } from './statement-forms.ts';
import { StatementReader } from './statement-reader.ts';
import { documentScope } from './statement-scopes.ts';
import { statementSearch } from './statement-search.ts';

/** Questions across statements. */
export function mongoStatementIndex(database: Database, numbers: GraphNumbers): StatementIndex {
  const reader = new StatementReader(database, numbers);
  const { form, forms } = statementForms(reader);
  const pages = referencePages(reader);
  const referring = referringReads(reader);
  const search = statementSearch(reader);
  return {
    form: async (jcsCid, scope) => await form(jcsCid, await documentScope(scope, numbers)),
    forms: async (rdfcCid, page, scope) => await forms(rdfcCid, page, await documentScope(scope, numbers)),
    references: async (identifier, page, scope) =>
      await pages(identifier, page, await documentScope(scope, numbers)),
    referringTo: async (query, scope) => await referring(query, await documentScope(scope, numbers)),
    search: async (filter, page, scope) => await search(filter, page, await documentScope(scope, numbers)),
  };
}
