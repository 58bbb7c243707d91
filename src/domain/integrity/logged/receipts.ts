import type { Principal } from '../../access/access.ts';
import { ServiceError } from '../../errors.ts';
import { Prover } from '../../log/proving.ts';
import type { LogReading } from '../../log/reading.ts';
import { awaited } from '../../log/waiting.ts';
import { type Cid, cidUrn } from '../identifiers/cid.ts';
import {
  type LoggedStatementPorts,
  type LoggedStatements,
  loggedRow,
  loggedStatements,
} from './logged-statements.ts';

export interface ReceiptPorts extends LoggedStatementPorts {
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

export interface ReceiptRequest extends LoggedStatements {
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
  { signal, ...asked }: ReceiptRequest,
): Promise<StatementReceipt[]> {
  const { statements, graphId } = asked;
  const rows = (await loggedStatements(ports, principal, asked)).map(
    (found, at) => found ?? throwUnknown(statements[at], graphId),
  );
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

function throwUnknown(statement: Cid | undefined, graphId: string | null): never {
  const place = graphId === null ? ' in a graph that you may view' : ` in the graph ${graphId}`;
  throw new ServiceError('not_found', `There is no statement ${statement && cidUrn(statement)}${place}.`);
}
