import pMap from 'p-map';
import { everythingVisible } from '../../access/visibility.ts';
import { joinedBodies } from '../../json/joined-bodies.ts';
import type { ContextKeeper } from '../contexts/contexts.ts';
import { type AllocationPorts, allocateStatuses } from '../credentials/allocate.ts';
import { withStatus } from '../credentials/allocate-credential.ts';
import { issuedKey } from '../credentials/credential-records.ts';
import { parseCid } from '../identifiers/cid.ts';
import { statementTime } from '../identifiers/timestamp.ts';
import type { Identified, Identifier, StatementRow, StatementStore, WriteLimit } from '../ports.ts';
import { addProofs, type ProofPorts } from '../proofs/data-integrity.ts';
import { assertAllAccepted } from '../statements/accepted.ts';
import type { StatementName } from '../statements/packed-names.ts';
import {
  aboutCarrier,
  credentialCidOf,
  ownSignature,
  type Signature,
  type Signatures,
} from './signatures.ts';
import { credentialIdOf, credentialRegistration, statementCredential } from './statement-credential.ts';

export interface CredentialIssuing {
  readonly signer: ProofPorts['signer'];
  readonly allocation: AllocationPorts;
  readonly identifier: Pick<Identifier, 'identify' | 'canonicalDigests'>;
  readonly signatures: Pick<Signatures, 'among' | 'insert'>;
  readonly statements: Pick<StatementStore, 'putMany' | 'byJcsCid'>;
  readonly contexts: Pick<ContextKeeper, 'keep'>;
  readonly writes: WriteLimit;
  readonly now: () => Date;
}

export interface IssuedCredential {
  readonly credentialId: string;
  /** The JCS CID of the signed credential. */
  readonly credentialCid: string;
}

const readAtOnce = 32;

/**
 * Issues one verifiable credential with status entries for each stored statement, and registers it in the same graph as a
 * CredentialRegistration. Idempotent: a statement has one credential for each key of this service.
 * @param caller as `callerKey` names it.
 * @returns in the order of the statements, and whether a registration is new in the graph.
 */
export async function issueCredentials(
  ports: CredentialIssuing,
  statementIds: readonly string[],
  { graphId, caller }: { graphId: string | null; caller: string },
): Promise<{ issued: IssuedCredential[]; isNew: boolean }> {
  const distinct = [...new Set(statementIds)];
  const ids = new Map(distinct.map((id) => [id, credentialIdOf(id, ports.signer.did)]));
  const known = await knownCredentials(ports.signatures, [...ids.values()]);
  const missing = [...ids].filter(([, credentialId]) => !known.has(credentialId));
  const { signed, isNew } = await signAll(ports, missing, graphId, caller);
  // Another request may have issued one of them in the meantime. Its credential is the one that counts.
  const isStored = await ports.signatures.insert(signed);
  const lost = signed.filter((_, at) => !isStored[at]);
  await ports.signatures.insert(lost.map(aboutCarrier));
  const theirs = await knownCredentials(ports.signatures, lost.map(issuedId));
  const own = new Map(signed.map((one) => [issuedId(one), one] as const));
  const all = new Map([...own, ...theirs, ...known]);
  const isJoined = graphId !== null && (await joinGraph(ports, [...known.values()], graphId, caller));
  const issued = statementIds.map((id): IssuedCredential => {
    const credentialId = ids.get(id) ?? '';
    return { credentialId, credentialCid: all.get(credentialId)?.credentialCid ?? '' };
  });
  return { issued, isNew: isNew || isJoined };
}

async function knownCredentials(signatures: CredentialIssuing['signatures'], ids: readonly string[]) {
  const found = (await signatures.among('byIssued', ids, 1)).flat();
  return new Map(found.map((one) => [issuedId(one), one]));
}

function issuedId({ issued }: Signature): string {
  return issued ?? '';
}

type Unissued = readonly [statementId: string, credentialId: string];

interface SignedStatement extends IssuedCredential {
  readonly statementId: string;
  readonly registration: string;
}

async function signAll(
  ports: CredentialIssuing,
  missing: readonly Unissued[],
  graphId: string | null,
  caller: string,
): Promise<{ signed: Signature[]; isNew: boolean }> {
  if (missing.length === 0) return { signed: [], isNew: false };
  const now = ports.now();
  const signed = await signEach(ports, missing, now);
  const { body, ranges } = joinedBodies(signed.map(({ registration }) => Buffer.from(registration)));
  const options = { generateId: true, strict: true, reportCoverage: false };
  const registrations = await ports.identifier.identify(body, ranges, options);
  assertAllAccepted(registrations);
  const isNew = await putRegistrations(ports, registrations, graphId, caller);
  const names = [...registrations.names];
  const records = signed.map((one, at) => recordOf(one, names[at] as StatementName, ports, now));
  return { signed: records, isNew };
}

async function signEach(ports: CredentialIssuing, missing: readonly Unissued[], now: Date) {
  const { did } = ports.signer;
  const time = statementTime(now);
  const keys = missing.map(([, credentialId]) => issuedKey(did, credentialId));
  const entries = await allocateStatuses(ports.allocation, keys);
  const unsigned = missing.map(([statementId, credentialId], at) =>
    withStatus(statementCredential(statementId, did, time, credentialId), entries[at] ?? []),
  );
  const signed = await addProofs(ports, unsigned, { created: now });
  return signed.map((credential) => ({
    statementId: credential.credentialSubject.id,
    credentialId: credential.id,
    credentialCid: credentialCidOf(credential),
    registration: JSON.stringify(credentialRegistration(credential, did, time)),
  }));
}

async function putRegistrations(
  { contexts, statements, writes }: CredentialIssuing,
  { contextSets, rows }: Identified,
  graphId: string | null,
  caller: string,
): Promise<boolean> {
  const store = async () => {
    for (const set of contextSets) await contexts.keep(set);
    return await statements.putMany(rows, graphId);
  };
  const { stored, joined } = await writes.run(store, caller);
  return stored + joined > 0;
}

function recordOf(
  { statementId, credentialId, credentialCid }: SignedStatement,
  { jcs_cid: carrier, statement_id: registration }: StatementName,
  { signer }: CredentialIssuing,
  now: Date,
): Signature {
  return ownSignature({
    carrier,
    about: statementId,
    signer: signer.did,
    credentialId,
    credentialCid,
    validFrom: now.getTime() - (now.getTime() % 1_000),
    validUntil: null,
    issued: credentialId,
    registration,
    createdAt: now.getTime(),
  });
}

/** Registers known credentials in another graph. */
async function joinGraph(
  { statements, writes }: CredentialIssuing,
  known: readonly Signature[],
  graphId: string,
  caller: string,
): Promise<boolean> {
  const rows = await pMap(known, ({ carrier }) => statements.byJcsCid(parseCid(carrier), everythingVisible), {
    concurrency: readAtOnce,
  });
  const elsewhere = rows.filter((row) => row !== undefined && !row.graphIds.includes(graphId));
  if (elsewhere.length === 0) return false;
  await writes.run(() => statements.putMany(elsewhere as StatementRow[], graphId), caller);
  return true;
}
