import pMap from 'p-map';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { validity } from '../credentials/credential-shape.ts';
import { verifyCredentialProof } from '../credentials/signed-claims.ts';
import { issuerCheck, writtenDatesCheck } from '../credentials/verify-credential.ts';
import type { SignedFile } from '../evidence/evidence.ts';
import { vouchedFor } from '../evidence/vouched.ts';
import { jcs } from '../identification/jcs.ts';
import { type Cid, cidOf, cidUrn, codecs } from '../identifiers/cid.ts';
import { referenceIdentifier } from '../identifiers/identifiers.ts';
import type { StatementRow } from '../ports.ts';
import { firstProofEnd, type ProofCheck, type VerifyPorts } from '../proofs/verify-proof.ts';
import { bundleDocument } from './bundle.ts';
import { registrantOf } from './proven.ts';
import { apart, type Signature, signatureId } from './signatures.ts';
import { verifyStatementProof } from './statement-proof.ts';

type Outcome = Pick<ProofCheck, 'result' | 'reason' | 'signer' | 'identityIssuer'>;

export interface SignatureVerifying extends VerifyPorts {
  /** Checks a DSSE envelope. */
  readonly dsse: (envelope: unknown) => Outcome;
  /** Checks a Sigstore bundle about an artefact. */
  readonly sigstore: (bundle: unknown, subject: unknown) => Promise<Outcome>;
  readonly now: () => Date;
}

const checkedAtOnce = 8;
/** As large as credentials may be. */
const statementLimit = 1 << 20;
/** A credential about more things vouches only for the first ones. */
const subjectsLimit = 10;

/** Checks every signature that these statements carry. */
export async function checkSignatures(
  ports: SignatureVerifying,
  rows: Iterable<StatementRow>,
): Promise<Signature[]> {
  const checkRow = async (row: StatementRow) => {
    // Parsing many rows takes time.
    await yieldToEventLoop();
    if (row.jcs.length > statementLimit) return recordsOf(ports, row, tooLarge(row));
    const found: Signature[] = [];
    for await (const checked of checkCarried(ports, row)) found.push(...recordsOf(ports, row, checked));
    return apart(found);
  };
  return (await pMap(rows, checkRow, { concurrency: checkedAtOnce })).flat();
}

function tooLarge({ kind }: StatementRow): Checked {
  const carrier = kind === 'CredentialRegistration' ? 'credential' : 'proof';
  const reason = { code: 'too_large', most: statementLimit } as const;
  return { kind: carrier, outcome: { result: 'unknown', reason, signer: null }, about: [] };
}

function recordsOf(
  ports: Pick<SignatureVerifying, 'now'>,
  row: Pick<StatementRow, 'jcsCid' | 'rdfcCid' | 'references'>,
  { kind, outcome, about, ...more }: Checked,
): Signature[] {
  const { jcsCid, rdfcCid } = row;
  const own = cidUrn(rdfcCid);
  const registrant = registrantOf(row);
  const { result, reason: why = null, signer, identityIssuer = null } = outcome;
  const createdAt = ports.now().getTime();
  return [...new Set([own, ...about])].map((thing) => ({
    id: signatureId(jcsCid.text, thing),
    carrier: jcsCid.text,
    about: thing,
    kind,
    signer,
    identityIssuer,
    result,
    reason: null,
    why,
    rank: kind === 'proof' && signer === registrant ? 0 : 1,
    credentialId: null,
    credentialCid: null,
    validFrom: null,
    validUntil: null,
    issued: null,
    registration: null,
    createdAt,
    ...more,
  }));
}

/** Checks a signed credential that is not in a statement. The first record is about itself, others about its subjects. */
export async function checkDocument(
  ports: SignatureVerifying,
  credential: JsonObject,
  cid: Cid,
): Promise<readonly [Signature, ...Signature[]]> {
  const row = { jcsCid: cid, rdfcCid: cid, references: [] };
  return recordsOf(ports, row, await checkCredential(ports, credential)) as [Signature, ...Signature[]];
}

interface Checked
  extends Pick<Signature, 'kind'>,
    Partial<Pick<Signature, 'credentialId' | 'credentialCid' | 'validFrom' | 'validUntil'>> {
  readonly outcome: Outcome;
  /** What is signed, beside the statement that carries the signature. */
  readonly about: readonly string[];
}

async function checkCredential(ports: SignatureVerifying, credential: JsonObject): Promise<Checked> {
  const proof = await verifyCredentialProof(ports, credential);
  const checks = [issuerCheck(ports, credential, proof), writtenDatesCheck(credential)];
  const bad = checks.find(({ result }) => result !== 'ok');
  const { from = null, until = Infinity } = validity(credential);
  const end = Math.min(until, firstProofEnd(credential));
  const subjects = [credential.credentialSubject].flat().slice(0, subjectsLimit);
  return {
    kind: 'credential',
    outcome: proof.result === 'ok' && bad ? { ...proof, ...bad } : proof,
    about: identifiersIn(subjects.map((subject) => (isObject(subject) ? subject.id : undefined))),
    credentialId: typeof credential.id === 'string' ? credential.id : null,
    credentialCid: cidOf(codecs.jcs, jcs(credential)).text,
    validFrom: from,
    validUntil: endOrNull(end),
  };
}

function endOrNull(time: number): number | null {
  return Number.isFinite(time) ? time : null;
}

function payloadOf(envelope: unknown): string[] {
  const payload = isObject(envelope) ? envelope.payload : undefined;
  if (typeof payload !== 'string' || payload.length > 4_096) return [];
  return identifiersIn([Buffer.from(payload, 'base64').toString('utf8').trim()]);
}

function identifiersIn(texts: readonly unknown[]): string[] {
  return texts.flatMap((text) => (typeof text === 'string' && referenceIdentifier(text)) || []);
}

/** What follows from the in-toto statement that is signed. */
async function vouched(
  { identifier }: SignatureVerifying,
  signed: SignedFile | undefined,
  carrier: JsonObject,
): Promise<string[]> {
  return signed ? await vouchedFor(signed, carrier, identifier) : [];
}

function envelopeIn(envelope: unknown): SignedFile | undefined {
  return isObject(envelope) ? { envelope } : undefined;
}

function bundleIn(base64: unknown): SignedFile | undefined {
  const bundle = bundleDocument(Buffer.from(String(base64), 'base64'));
  return bundle && { bundle };
}

const proofMember = Buffer.from('"proof":');

/** Whether a row may carry a signature, without parsing it. */
export function mayCarrySignature({ kind, jcs }: Pick<StatementRow, 'kind' | 'jcs'>): boolean {
  const bytes = Buffer.from(jcs.buffer, jcs.byteOffset, jcs.byteLength);
  return kind === 'CredentialRegistration' || bytes.includes(proofMember);
}

/** Checks the signatures that a statement carries. */
async function* checkCarried(ports: SignatureVerifying, row: StatementRow): AsyncGenerator<Checked> {
  const document = JSON.parse(Buffer.from(row.jcs).toString()) as JsonObject;
  if (document.proof !== undefined)
    yield {
      kind: 'proof',
      outcome: await verifyStatementProof(ports, row, document),
      about: [],
      validUntil: endOrNull(firstProofEnd(document)),
    };
  if (row.kind !== 'CredentialRegistration') return;
  const { credential, credentialDsse: envelope, sigstoreBundle: bundle, subject } = document;
  if (isObject(credential)) yield await checkCredential(ports, credential);
  if (envelope !== undefined)
    yield {
      kind: 'dsse',
      outcome: ports.dsse(envelope),
      about: [...payloadOf(envelope), ...(await vouched(ports, envelopeIn(envelope), document))],
    };
  if (bundle !== undefined)
    yield {
      kind: 'sigstore',
      outcome: await ports.sigstore(bundle, subject),
      about: [...identifiersIn([subject]), ...(await vouched(ports, bundleIn(bundle), document))],
    };
}
