import { authorizeProject, callerKey, type Principal } from '../../access/access.ts';
import { ServiceError } from '../../errors.ts';
import type { ContextKeeper } from '../contexts/contexts.ts';
import { graphForWriting } from '../graphs/graphs.ts';
import { namingKind, namingOf } from '../names/name-records.ts';
import type { GraphStore, Identifier, StatementRow, StoredStatement } from '../ports.ts';
import { keepChecked, keepRetractions, type RetractionKeeping, registrarKey } from '../retractions/keep.ts';
import { retractionKind, withdrawalOf } from '../retractions/retraction-records.ts';
import { checkSignatures, type SignatureVerifying } from '../signatures/check.ts';
import { type CredentialIssuing, type IssuedCredential, issueCredentials } from '../signatures/issue.ts';
import type { Signatures } from '../signatures/signatures.ts';
import { assertAllAccepted, assertOneAccepted } from './accepted.ts';
import type { PackedNames } from './packed-names.ts';
import { rowsOfKind } from './packed-rows.ts';

export interface StatementWriting extends CredentialIssuing {
  readonly graphs: Pick<GraphStore, 'get'>;
  readonly signatures: Pick<Signatures, 'among' | 'insert' | 'update'>;
  readonly retractions: RetractionKeeping['retractions'];
  /** Checks the signatures that statements carry. */
  readonly verifying: SignatureVerifying;
}

export interface PutStatements {
  /** A request body, and start and end of each statement in it, in pairs. */
  readonly body: Uint8Array;
  readonly ranges: readonly number[];
  /** Whether errors give the index of the statement. */
  readonly isBatch: boolean;
  readonly generateId: boolean;
  readonly graphId: string | null;
  /** Whether this service issues a credential for each statement. */
  readonly issueVc: boolean;
}

export interface PutResult {
  readonly names: PackedNames;
  readonly rows: Iterable<StatementRow>;
  readonly isNew: boolean;
  /** In the order of `names`; null if none were wanted. */
  readonly issued: readonly IssuedCredential[] | null;
}

/**
 * Identifies and stores statements: all, or none if one is refused. Holds one write permit while the store works.
 * @throws ServiceError the error of a single statement; for a batch, one error that lists all of them.
 */
export async function putStatements(
  ports: StatementWriting,
  principal: Principal,
  put: PutStatements,
): Promise<PutResult> {
  return await storeStatements(ports, await authorizeWriting(ports, principal, put.graphId), put);
}

/** Who stores statements, and that they may. */
export interface Writer {
  /** As `registrarKey` names them. */
  readonly registrar: string;
  /** As `callerKey` names them. */
  readonly caller: string;
}

/** @throws ServiceError `forbidden`, `unknown_graph`. */
export async function authorizeWriting(
  { graphs }: Pick<StatementWriting, 'graphs'>,
  principal: Principal,
  graphId: string | null,
): Promise<Writer> {
  if (graphId === null) await authorizeProject(principal, 'create_declarations', null);
  const graph = graphId === null ? null : await graphForWriting(graphs, principal, graphId);
  return { registrar: registrarKey(principal, graph?.projectId ?? null), caller: callerKey(principal) };
}

/** As `putStatements`, in the name of somebody who may do it. */
export async function storeStatements(
  ports: StatementWriting,
  { registrar, caller }: Writer,
  { body, ranges, isBatch, generateId, graphId, issueVc }: PutStatements,
): Promise<PutResult> {
  const { statements, identifier, contexts, writes, verifying } = ports;
  const options = { generateId, strict: true, reportCoverage: false };
  const identified = await identifier.identify(body, ranges, options);
  if (isBatch) assertAllAccepted(identified);
  else assertOneAccepted(identified);
  const { contextSets, signed, names, rows } = identified;
  if (issueVc) assertNotAboutItself(ports, rows);
  const checked = signed.length > 0 ? await checkSignatures(verifying, rowsAt(signed, rows)) : [];
  const store = async () => {
    for (const set of contextSets) await contexts.keep(set);
    // First, so that no stored statement lacks the check of its signature.
    await keepChecked(ports, checked);
    const counts = await statements.putMany(rows, graphId, registrar);
    await keepRetractions(ports, rows, registrar);
    return counts;
  };
  const { stored, joined } = await writes.run(store, caller);
  const isNew = stored + joined > 0;
  if (!issueVc) return { names, rows, isNew, issued: null };
  const ids = Array.from(names, ({ statement_id }) => statement_id);
  const credentials = await issueCredentials(ports, ids, { graphId, caller });
  return { names, rows, isNew: isNew || credentials.isNew, issued: credentials.issued };
}

function rowsAt(indexes: readonly number[], rows: Iterable<StatementRow>): StatementRow[] {
  const all = [...rows];
  return indexes.flatMap((index) => all[index] ?? []);
}

/** Otherwise whoever may ask for credentials could withdraw what this service has registered, or rename it. */
function assertNotAboutItself({ signer }: Pick<StatementWriting, 'signer'>, rows: Iterable<StatementRow>) {
  const refuse = (what: string) => {
    const message = `This service does not sign ${what} in its own name (${signer.did}). Leave issue_vc out.`;
    throw new ServiceError('invalid_request', message);
  };
  for (const row of rowsOfKind(rows, retractionKind))
    if (withdrawalOf(row)?.registeredBy === signer.did) refuse('a retraction');
  for (const row of rowsOfKind(rows, namingKind))
    if (namingOf(row)?.subject === signer.did) refuse('metadata about itself');
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
