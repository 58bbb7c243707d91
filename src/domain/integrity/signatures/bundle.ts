import { isObject, type JsonObject } from '../../json/is-object.ts';
import { readSmallBlob } from '../blobs/blob-store.ts';
import { namesOf } from '../blobs/same-bytes.ts';
import { isModelBundle } from '../evidence/model-signing/model-bundle.ts';
import { signedThings } from '../evidence/vouched.ts';
import { type Cid, cidIn, cidUrn } from '../identifiers/cid.ts';
import { sha256Digest } from '../identifiers/hashing.ts';
import { failedCheck, type ProofCheck } from '../proofs/proof.ts';
import { type BundleChecking, checkModelBundle } from './model-bundle.ts';

/** Larger artefacts are not read for a check. */
const artefactLimit = 64 << 20;
const bundleLimit = 1 << 20;

/**
 * Checks a Sigstore bundle, and that it is about the artefact that the statement names. A bundle signs SHA-256 digests, so
 * the artefact has to be stored here, unless its CID is a SHA-256 one.
 */
export async function checkBundle(
  ports: BundleChecking,
  bundle: unknown,
  subject: unknown,
): Promise<ProofCheck> {
  if (typeof bundle !== 'string' || bundle.length > bundleLimit)
    return failedCheck({ code: 'bundle_not_base64', most: bundleLimit });
  const bytes = Buffer.from(bundle, 'base64');
  const document = bundleDocument(bytes);
  if (!document) return failedCheck({ code: 'bundle_not_json' });
  if (isModelBundle(document)) return await checkModelBundle(ports, document, subject);
  const cid = typeof subject === 'string' ? cidIn(subject) : undefined;
  const signed = signedDigests(document);
  const isEnough = signed !== undefined && cid?.multihash === 'sha2-256';
  const artefact = cid && !isEnough ? await artefactOf(ports, cid) : undefined;
  const check = await ports.sigstore.verify(bytes, artefact);
  if (check.result !== 'ok') return check;
  const digest = isEnough ? cid.digest : artefact && sha256Digest(artefact);
  // The signature of a bundle without an envelope was checked against the artefact itself.
  if (signed === undefined || signed.payload === subject) return check;
  if ((await signedThings(document)).includes(String(subject))) return check;
  if (!digest)
    return { ...check, result: 'unknown', reason: { code: 'subject_not_stored', subject: String(subject) } };
  if (signed.digests.includes(Buffer.from(digest).toString('hex'))) return check;
  return { ...check, result: 'failed', reason: { code: 'other_subject', subject: String(subject) } };
}

/** The JSON of a bundle; undefined if it is none. A byte order mark is no part of it. */
export function bundleDocument(bytes: Uint8Array): JsonObject | undefined {
  const document = jsonIn(new TextDecoder().decode(bytes));
  return isObject(document) ? document : undefined;
}

/** Bundles name an artefact by SHA-256, and most are stored by BLAKE3. */
async function artefactOf({ blobs, hashes }: BundleChecking, cid: Cid): Promise<Uint8Array | undefined> {
  const urn = cidUrn(cid);
  const { names = [urn] } = (await namesOf(hashes, [urn])).get(urn) ?? {};
  for (const name of names.flatMap((text) => cidIn(text) ?? [])) {
    const size = await blobs.size(name);
    if (size !== undefined && size <= artefactLimit) return await readSmallBlob(blobs, name, artefactLimit);
  }
  return undefined;
}

/** What the DSSE envelope of a bundle signs; undefined without an envelope. */
function signedDigests({ dsseEnvelope }: JsonObject) {
  if (!isObject(dsseEnvelope)) return undefined;
  const payload = Buffer.from(String(dsseEnvelope.payload), 'base64').toString();
  const statement: unknown = jsonIn(payload);
  const subjects = isObject(statement) && Array.isArray(statement.subject) ? statement.subject : [];
  const digests = subjects.map((one) => String(one?.digest?.sha256));
  return { payload: payload.trim(), digests };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
