import { ServiceError } from '../../errors.ts';
import { isObject } from '../../json/is-object.ts';
import { readSmallBlob } from '../blobs/blobs.ts';
import { type Cid, cidIn, digestHex } from '../identifiers/cid.ts';
import { sha256Digest } from '../identifiers/hashing.ts';
import type { BlobStore } from '../ports.ts';
import { failedCheck, type Json, type ProofCheck } from './proof.ts';

/** Checks Sigstore bundles against the authorities that the operator trusts. */
export interface SigstoreVerifier {
  /**
   * Never throws for a bad bundle; its check says what is wrong.
   * @param bundle the JSON of the bundle.
   * @param artifact what was signed. A bundle with a DSSE envelope brings it along.
   */
  verify(bundle: Uint8Array, artifact?: Uint8Array): Promise<ProofCheck>;
}

export interface SigstorePorts {
  readonly verifier: SigstoreVerifier;
  readonly blobs: Pick<BlobStore, 'read'>;
}

const maxArtifact = 16 << 20;

/**
 * Checks the Sigstore bundle of a statement, and that it is about the subject of the statement: it signs the bytes of the
 * subject, or an in-toto statement with a digest or the CID of the subject. Otherwise it is `unknown` what it says about it.
 * @param bundle the base64 of the bundle's JSON.
 */
export async function verifySigstore(
  { verifier, blobs }: SigstorePorts,
  bundle: unknown,
  subject: unknown,
): Promise<ProofCheck> {
  const json = typeof bundle === 'string' ? jsonOf(textOf(bundle)) : undefined;
  if (!json) return failedCheck('sigstoreBundle is not the base64 of a JSON object.');
  const cid = typeof subject === 'string' ? cidIn(subject) : undefined;
  const signsFile = json.messageSignature !== undefined;
  const artifact = cid && signsFile ? await blobOf(blobs, cid) : undefined;
  const check = await verifier.verify(Buffer.from(JSON.stringify(json)), artifact);
  if (check.result !== 'ok' || signsFile) return check;
  if (cid && (await isAbout(payloadOf(json), cid, () => blobOf(blobs, cid)))) return check;
  const name = typeof subject === 'string' ? subject.slice(0, 200) : 'the subject';
  return {
    ...check,
    result: 'unknown',
    reason: `The bundle is valid, but what it signs names neither ${name} nor a digest of its stored bytes.`,
  };
}

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

function jsonOf(text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Nothing for blobs that are missing or too large to be hashed here. */
async function blobOf(blobs: Pick<BlobStore, 'read'>, cid: Cid): Promise<Uint8Array | undefined> {
  return await readSmallBlob(blobs, cid, maxArtifact).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'unexpected_content') return undefined;
    throw error;
  });
}

function payloadOf({ dsseEnvelope }: Json): string {
  const payload = isObject(dsseEnvelope) ? dsseEnvelope.payload : undefined;
  return typeof payload === 'string' ? textOf(payload) : '';
}

async function isAbout(
  payload: string,
  cid: Cid,
  read: () => Promise<Uint8Array | undefined>,
): Promise<boolean> {
  const subjects = subjectsOf(payload);
  const names = (values: readonly string[]) => subjects.some((value) => values.includes(value));
  if (payload.trim() === `urn:cid:${cid.text}`) return true;
  if (names([cid.text, `urn:cid:${cid.text}`, digestHex(cid)])) return true;
  const bytes = subjects.length > 0 ? await read() : undefined;
  return bytes !== undefined && names([Buffer.from(sha256Digest(bytes)).toString('hex')]);
}

/** The names, URIs and digests of the subjects of an in-toto statement (in-toto Attestation 1, ResourceDescriptor). */
function subjectsOf(payload: string): string[] {
  const statement = jsonOf(payload);
  const subjects: unknown[] = Array.isArray(statement?.subject) ? statement.subject.slice(0, 1_000) : [];
  return subjects.filter(isObject).flatMap(({ name, uri, digest }) => {
    const digests = isObject(digest) ? Object.values(digest) : [];
    return [name, uri, ...digests].filter((value) => typeof value === 'string');
  });
}
