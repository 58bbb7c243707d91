import type { Principal } from '../../access/access.ts';
import { ServiceError } from '../../errors.ts';
import { logNames } from '../../log/names.ts';
import type { LoggedRow } from '../../log/ports.ts';
import { scopeFor } from '../access/statement-scope.ts';
import { type Cid, codecs, isStatementCid } from '../identifiers/cid.ts';
import type { GraphStore, StatementScope } from '../ports.ts';
import { readStatement, type StatementReading } from '../statements/read-statement.ts';
import {
  isInScope,
  rowsIn,
  type StatementRowsOfStore,
  storedStatement,
  type WholeStatement,
} from '../statements/rows.ts';

export interface LoggedStatementPorts extends StatementReading {
  readonly rows: StatementRowsOfStore;
  readonly graphs: Pick<GraphStore, 'get'>;
}

export interface LoggedStatements {
  /** Ids or `jcs_cid`s of statements. */
  readonly statements: readonly Cid[];
  /** In whose log they are. Null: that of the oldest graph of each that the caller may view. */
  readonly graphId: string | null;
}

/** A statement and the log that has it, or will have it. */
export interface LoggedStatement {
  readonly row: WholeStatement;
  /** Null for the log of statements without a graph. */
  readonly graphId: string | null;
  readonly log: string;
}

/** What a log has of a row. */
export function loggedRow({ position, rdfcCid, jcsCid, isTrusted }: WholeStatement): LoggedRow {
  return { position, rdfcDigest: rdfcCid.digest, jcsDigest: jcsCid.digest, isTrusted };
}

/**
 * Finds statements with their logs, in their order. Undefined for those that the caller may not view, and unknown ones.
 * @throws ServiceError `not_found` for a graph that the caller may not view.
 */
export async function loggedStatements(
  ports: LoggedStatementPorts,
  principal: Principal,
  { statements, graphId }: LoggedStatements,
): Promise<(LoggedStatement | undefined)[]> {
  const { grants } = principal;
  const scope =
    graphId === null
      ? { graphId, visibility: await ports.reach.visibility(grants) }
      : await scopeFor(ports.graphs, principal, graphId);
  // Who can read a statement may not know of all its graphs. A receipt tells the name of a log.
  const viewed = { ...scope, visibility: await grants.visible() };
  const withLogs = async (forms: readonly (Cid | undefined)[]) => {
    const known = forms.flatMap((form) => form ?? []);
    const found = new Map<string, WholeStatement>();
    for (const part of known.length > 0 ? rowsIn(ports.rows, scope) : [])
      for (const row of await part.whole(known))
        if (row && isInScope(row, scope)) found.set(row.jcsCid.text, row);
    return forms.map((form) => withLog(form && found.get(form.text), viewed));
  };
  const forms: (Cid | undefined)[] = [];
  for (const cid of statements) forms.push(await formOf(ports, principal, cid));
  const preferred = await withLogs(forms);
  // The form to show may be in another graph than the one in which the caller has it.
  const others: (Cid | undefined)[] = [];
  for (const [at, cid] of statements.entries())
    others.push(preferred[at] ? undefined : await firstForm(ports, cid, viewed));
  const found = await withLogs(others);
  return preferred.map((one, at) => one ?? found[at]);
}

async function firstForm(
  { statementIndex }: Pick<LoggedStatementPorts, 'statementIndex'>,
  cid: Cid,
  scope: StatementScope,
): Promise<Cid | undefined> {
  if (!isStatementCid(cid, codecs.rdfc)) return undefined;
  return (await statementIndex.forms(cid, { after: null, limit: 1 }, scope)).statements[0]?.jcsCid;
}

async function formOf(
  ports: LoggedStatementPorts,
  { grants }: Principal,
  cid: Cid,
): Promise<Cid | undefined> {
  if (isStatementCid(cid, codecs.jcs)) return cid;
  try {
    return (await readStatement(ports, grants, cid.text, undefined)).jcsCid;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined;
    throw error;
  }
}

function withLog(row: WholeStatement | undefined, scope: StatementScope): LoggedStatement | undefined {
  if (!row) return undefined;
  const graphId = scope.graphId ?? storedStatement(row, scope).graphIds[0] ?? null;
  const isHidden = graphId === null && row.memberships.length > 0;
  if (isHidden) return undefined;
  return { row, graphId, log: graphId === null ? logNames.statements : logNames.graph(graphId) };
}

/** The newest verified and the newest unverified statement of a log. */
export async function newestIn(
  { verified, unverified }: StatementRowsOfStore,
  name: string,
): Promise<WholeStatement[]> {
  const graphId = logNames.graphIn(name);
  if (graphId !== undefined) {
    const list = { by: 'graph', graphId } as const;
    const pages = await Promise.all([verified, unverified].map((one) => one.page(list, null, 1)));
    return pages.flatMap((page) => page.rows);
  }
  const { rows } = await verified.page({ by: 'storing' }, null, 1);
  return rows.filter(({ memberships }) => memberships.length === 0);
}
