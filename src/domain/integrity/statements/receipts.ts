import type { Principal } from '../../access/access.ts';
import { ServiceError } from '../../errors.ts';
import { logNames } from '../../log/names.ts';
import { Prover } from '../../log/proving.ts';
import type { LogReading } from '../../log/reading.ts';
import { awaited } from '../../log/waiting.ts';
import { scopeFor } from '../access/statement-scope.ts';
import { type Cid, cidUrn, codecs, isStatementCid } from '../identifiers/cid.ts';
import type { GraphStore, StatementScope } from '../ports.ts';
import { loggedRow } from './logged-row.ts';
import { readStatement, type StatementReading } from './read-statement.ts';
import {
  isInScope,
  rowsIn,
  type StatementRowsOfStore,
  storedStatement,
  type WholeStatement,
} from './rows.ts';

export interface ReceiptPorts extends StatementReading {
  readonly rows: StatementRowsOfStore;
  readonly graphs: Pick<GraphStore, 'get'>;
  readonly logReading: LogReading;
}

export interface StatementReceipt {
  readonly rdfcCid: Cid;
  readonly jcsCid: Cid;
  /** The graph whose log has the statement; null for the log of statements without a graph. */
  readonly graphId: string | null;
  /** A tlog-proof; null if no published checkpoint has the statement yet. */
  readonly receipt: string | null;
}

export interface ReceiptRequest {
  /** Ids or `jcs_cid`s of statements. */
  readonly statements: readonly Cid[];
  /** In whose log they are. Null: that of the oldest graph of each that the caller may view. */
  readonly graphId: string | null;
  /** Ends the waiting for a checkpoint. */
  readonly signal: AbortSignal;
}

/**
 * Receipts of statements, in their order.
 * @throws ServiceError `not_found` for a statement or graph that the caller may not view.
 */
export async function statementReceipts(
  ports: ReceiptPorts,
  principal: Principal,
  { statements, graphId, signal }: ReceiptRequest,
): Promise<StatementReceipt[]> {
  const scope =
    graphId === null
      ? { graphId, visibility: await ports.reach.visibility(principal.grants) }
      : await scopeFor(ports.graphs, principal, graphId);
  const rows = await rowsOf(ports, principal, statements, scope);
  const found: StatementReceipt[] = rows.map(({ row: { rdfcCid, jcsCid }, graphId }) => ({
    ...{ rdfcCid, jcsCid, graphId },
    receipt: null,
  }));
  const look = async () => {
    const prover = await Prover.open(ports.logReading);
    if (!prover) return;
    const open = rows.map((row, at) => ({ ...row, at })).filter(({ at }) => found[at]?.receipt === null);
    for (const [log, some] of Map.groupBy(open, ({ log }) => log)) {
      const receipts = await prover.receipts(
        log,
        some.map(({ row }) => loggedRow(row)),
      );
      for (const [index, { at }] of some.entries())
        found[at] = { ...(found[at] as StatementReceipt), receipt: receipts[index] ?? null };
    }
  };
  await awaited(look, () => found.every(({ receipt }) => receipt !== null), signal);
  return found;
}

interface LoggedStatement {
  readonly row: WholeStatement;
  readonly graphId: string | null;
  readonly log: string;
}

async function rowsOf(
  ports: ReceiptPorts,
  { grants }: Principal,
  statements: readonly Cid[],
  scope: StatementScope,
): Promise<LoggedStatement[]> {
  const forms: Cid[] = [];
  for (const cid of statements)
    forms.push(
      isStatementCid(cid, codecs.jcs)
        ? cid
        : (await readStatement(ports, grants, cid.text, undefined)).jcsCid,
    );
  const found = new Map<string, WholeStatement>();
  for (const part of rowsIn(ports.rows, scope))
    for (const row of await part.whole(forms))
      if (row && isInScope(row, scope)) found.set(row.jcsCid.text, row);
  // Who can read a statement may not know of all its graphs. A receipt tells the name of a log.
  const viewed = { ...scope, visibility: await grants.visible() };
  return forms.map((form, at) => {
    const row = found.get(form.text);
    const graphId = scope.graphId ?? (row && storedStatement(row, viewed).graphIds[0]) ?? null;
    const isHidden = graphId === null && row !== undefined && row.memberships.length > 0;
    if (!row || isHidden) throwUnknown(statements[at] ?? form, scope);
    return { row, graphId, log: graphId === null ? logNames.statements : logNames.graph(graphId) };
  });
}

function throwUnknown(cid: Cid, { graphId }: StatementScope): never {
  const place = graphId === null ? ' in a graph that you may view' : ` in the graph ${graphId}`;
  throw new ServiceError('not_found', `There is no statement ${cidUrn(cid)}${place}.`);
}
