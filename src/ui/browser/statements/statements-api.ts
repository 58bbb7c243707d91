import { askJson } from '../api.ts';
import type { Trust } from '../lineage/graph.ts';

export type Json = Readonly<Record<string, unknown>>;

export function objectIn(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** A row of `GET /statements/v1`. */
export interface FoundStatement {
  readonly id: string;
  readonly jcs_cid: string;
  readonly type: string;
  readonly graph_ids: readonly string[];
  readonly trust: Trust;
  readonly statement: Json;
  readonly unverified?: true;
}

export interface StatementList {
  readonly statements: readonly FoundStatement[];
  readonly next_cursor?: string;
}

export interface GraphEntry {
  readonly graph_id: string;
  readonly name: string;
  readonly parent_id: string | null;
  readonly project_id: string;
  readonly statements?: number;
  readonly statements_is_more?: boolean;
}

export type Count = Pick<GraphEntry, 'statements' | 'statements_is_more'>;

/** An answer of `GET /graph/v1`. */
export interface GraphList {
  readonly graphs: readonly GraphEntry[];
  readonly in_no_graph?: Count;
  readonly next_cursor?: string;
}

/** An answer of `GET /graph/v1/{uuid}`: a graph and its children. */
export interface GraphWithChildren extends GraphList {
  readonly graph: GraphEntry;
}

export async function askStatements(query: Readonly<Record<string, string>>): Promise<StatementList> {
  const filled = Object.entries(query).filter(([, value]) => value !== '');
  return await askJson(`/statements/v1?${new URLSearchParams(filled)}`);
}

export async function askGraph(id: string): Promise<GraphWithChildren> {
  return await askJson(`/graph/v1/${encodeURIComponent(id)}?limit=100`);
}

export function countOf({ statements = 0, statements_is_more: isMore = false }: Count): string {
  const count = statements.toLocaleString('en');
  return isMore ? `more than ${count} statements` : `${count} statement${statements === 1 ? '' : 's'}`;
}
