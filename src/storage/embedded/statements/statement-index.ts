import type { DatabaseSync } from 'node:sqlite';
import type { StatementIndex } from '../../../domain/integrity/ports.ts';
import { referencePages } from '../references/reference-pages.ts';
import { referenceReads } from '../references/reference-reads.ts';
import { referringReads } from '../references/referring.ts';
import { statementForms } from './statement-forms.ts';
import { statementScopes } from './statement-scopes.ts';
import { statementSearch } from './statement-search.ts';

/** Questions across statements, on the connection that reads. */
export function embeddedStatementIndex({ reader }: { readonly reader: DatabaseSync }): StatementIndex {
  const rows = statementScopes(reader);
  const references = referenceReads(reader);
  const { form, forms } = statementForms(reader);
  const pages = referencePages(reader, references);
  const referring = referringReads(reader, references);
  const search = statementSearch(reader, references);
  return {
    form: (jcsCid, scope) => form(jcsCid, rows(scope)),
    forms: (rdfcCid, page, scope) => forms(rdfcCid, page, rows(scope)),
    references: (identifier, page, scope) => pages(identifier, page, rows(scope)),
    referringTo: (query, scope) => referring(query, rows(scope)),
    search: (filter, page, scope) => search(filter, page, rows(scope)),
  };
}
