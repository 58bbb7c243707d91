import type { Principal } from '../../access/access.ts';
import { ServiceError } from '../../errors.ts';
import { logNames } from '../../log/names.ts';
import { Publications } from '../../log/publications.ts';
import {
  type LogStanding,
  type StandingReading,
  type WholeStanding,
  wholeStanding,
} from '../../log/standing.ts';
import { graphForViewing } from '../access/statement-scope.ts';
import {
  type LoggedStatementPorts,
  type LoggedStatements,
  loggedRow,
  loggedStatements,
  newestIn,
} from './logged-statements.ts';

export interface StandingPorts extends LoggedStatementPorts {
  readonly publishedLogs: StandingReading;
}

const waiting = { state: 'waiting' } as const;
const unknown = { state: 'unknown' } as const;

/**
 * Whether the log has these statements, in their order.
 * @throws ServiceError `not_found` for a graph that the caller may not view.
 */
export async function statementStandings(
  ports: StandingPorts,
  principal: Principal,
  asked: LoggedStatements,
): Promise<LogStanding[]> {
  const found = await loggedStatements(ports, principal, asked);
  const { reading, records } = ports.publishedLogs;
  const newest = await reading.published();
  if (!newest) return found.map((one) => (one ? waiting : unknown));
  const publications = new Publications(records, newest);
  const standings = new Map<number, LogStanding>();
  const known = found.flatMap((one, at) => (one ? [{ ...one, at }] : []));
  for (const [log, some] of Map.groupBy(known, (one) => one.log)) {
    const indexes = await reading.indexesOf(
      log,
      some.map(({ row }) => loggedRow(row)),
    );
    for (const [index, { at }] of some.entries())
      standings.set(at, await standingOf(publications, log, indexes[index]));
  }
  return found.map((_, at) => standings.get(at) ?? unknown);
}

async function standingOf(
  publications: Publications,
  log: string,
  index: number | undefined,
): Promise<LogStanding> {
  const publication = index === undefined ? undefined : await publications.of(log, index);
  return publication ? { state: 'logged', publication } : waiting;
}

/** Whether the log of a graph is published whole, and since when. */
export async function graphStanding(
  ports: StandingPorts,
  principal: Principal,
  graphId: string,
): Promise<WholeStanding> {
  try {
    await graphForViewing(ports.graphs, principal, graphId);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return { standing: unknown, entries: 0 };
    throw error;
  }
  const log = logNames.graph(graphId);
  const whole = await wholeStanding(ports.publishedLogs, log);
  for (const row of await newestIn(ports.rows, log)) {
    const index = await ports.publishedLogs.reading.indexOf(log, loggedRow(row));
    if (index === undefined || index >= whole.entries) return { ...whole, standing: waiting };
  }
  return whole;
}
