import type {
  FoundStatementAnswer as FoundStatement,
  FoundStatementsAnswer as StatementList,
} from '../../../contract/integrity/findings.ts';
import type {
  CountedGraphAnswer as GraphEntry,
  GraphListAnswer as GraphList,
  GraphWithChildrenAnswer as GraphWithChildren,
} from '../../../contract/integrity/graphs.ts';
import { askJson } from '../api.ts';

export type { FoundStatement, GraphEntry, GraphList, GraphWithChildren };
export type Json = Readonly<Record<string, unknown>>;

export function objectIn(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export type Count = Pick<GraphEntry, 'statements' | 'statements_is_more'>;

export async function askStatements(query: Readonly<Record<string, string>>): Promise<StatementList> {
  const filled = Object.entries(query).filter(([, value]) => value !== '');
  return await askJson(`/statements/v1?${new URLSearchParams(filled)}`);
}

export async function askGraph(id: string): Promise<GraphWithChildren> {
  return await askJson(`/graph/v1/${encodeURIComponent(id)}?limit=100`);
}

export function countOf({ statements = 0, statements_is_more: isMore }: Count): string {
  const count = statements.toLocaleString('en');
  return isMore ? `more than ${count} statements` : `${count} statement${statements === 1 ? '' : 's'}`;
}
