import { authorizeProject, callerKey, type Principal } from '../../access/access.ts';
import { type ErrorDetail, ServiceError } from '../../errors.ts';
import type { ContextKeeper } from '../contexts/contexts.ts';
import { graphForWriting } from '../graphs/graphs.ts';
import type {
  GraphStore,
  IdentificationResult,
  IdentifiedNames,
  Identifier,
  StatementRow,
  StatementStore,
  StoredStatement,
  WriteLimit,
} from '../ports.ts';

export interface StatementWriting {
  readonly statements: Pick<StatementStore, 'putMany'>;
  readonly graphs: Pick<GraphStore, 'get'>;
  readonly identifier: Pick<Identifier, 'identify'>;
  readonly contexts: Pick<ContextKeeper, 'keep'>;
  readonly writes: WriteLimit;
}

export interface PutStatements {
  /** A request body, and start and end of each statement in it, in pairs. */
  readonly body: Uint8Array;
  readonly ranges: readonly number[];
  /** Whether errors give the index of the statement. */
  readonly isBatch: boolean;
  readonly generateId: boolean;
  readonly graphId: string | null;
}

export interface PutResult {
  readonly names: readonly IdentifiedNames[];
  readonly rows: Iterable<StatementRow>;
  readonly isNew: boolean;
}

const problemsListed = 100;

/**
 * Identifies and stores statements: all, or none if one is refused. Holds one write permit while the store works.
 * @throws ServiceError the error of a single statement; for a batch, one error that lists all of them.
 */
export async function putStatements(
  { statements, graphs, identifier, contexts, writes }: StatementWriting,
  principal: Principal,
  { body, ranges, isBatch, generateId, graphId }: PutStatements,
): Promise<PutResult> {
  if (graphId === null) await authorizeProject(principal, 'create_declarations', null);
  else await graphForWriting(graphs, principal, graphId);
  const options = { generateId, strict: true, reportCoverage: false };
  const { results, rows } = await identifier.identify(body, ranges, options);
  const names = isBatch ? acceptAll(results) : acceptOne(results);
  const sets = new Map(names.map(({ contexts: set }) => [set.cid, set]));
  const store = async () => {
    for (const set of sets.values()) await contexts.keep(set);
    return await statements.putMany(rows, graphId);
  };
  const outcomes = await writes.run(store, callerKey(principal));
  return { names, rows, isNew: outcomes.some((outcome) => outcome !== 'known') };
}

/** @throws ServiceError that refused the statement. */
export function acceptOne(results: readonly IdentificationResult[]): IdentifiedNames[] {
  return results.map((result) => {
    if ('error' in result) throw result.error;
    return result;
  });
}

function acceptAll(results: readonly IdentificationResult[]): IdentifiedNames[] {
  const names: IdentifiedNames[] = [];
  const problems: { index: number; error: ServiceError }[] = [];
  for (const [index, result] of results.entries()) {
    if ('error' in result) problems.push({ index, error: result.error });
    else names.push(result);
  }
  const [first] = problems;
  if (!first) return names;
  const isOneKind = problems.every(({ error }) => error.code === first.error.code);
  throw new ServiceError(
    isOneKind ? first.error.code : 'invalid_statement',
    `${problems.length} of ${results.length} statements are refused and nothing was stored. The first, at index ${first.index}: ${first.error.message}`,
    { details: problems.slice(0, problemsListed).map(problemDetail) },
  );
}

function problemDetail({ index, error }: { index: number; error: ServiceError }): ErrorDetail {
  const pointer = error.details?.[0]?.pointer;
  return { index, code: error.code, ...(pointer !== undefined && { pointer }), reason: error.message };
}

/** The canonical N-Quads of a stored statement, computed with the stored contexts. */
export async function statementNQuads(
  identifier: Pick<Identifier, 'nquadsUnder'>,
  contexts: Pick<ContextKeeper, 'documents'>,
  { jcs, contextSet }: Pick<StoredStatement, 'jcs' | 'contextSet'>,
): Promise<string> {
  const documents = await contexts.documents(contextSet);
  return await identifier.nquadsUnder(jcs, { set: contextSet, documents });
}
