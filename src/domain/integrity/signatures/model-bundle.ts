import type { JsonObject } from '../../json/is-object.ts';
import type { BlobHashRecords } from '../blobs/blob-hashes.ts';
import { namesOf } from '../blobs/same-bytes.ts';
import { EvidenceProblem } from '../evidence/evidence.ts';
import { isFolderOf, type KnownFiles } from '../evidence/folders.ts';
import { type ModelBundle, readModelBundle } from '../evidence/model-signing/model-bundle.ts';
import { modelFolder, modelThing, onlyDigest } from '../evidence/model-signing/model-thing.ts';
import type { SignedModel } from '../evidence/model-signing/signed-model.ts';
import { identified } from '../evidence/things.ts';
import { cidIn, codecs } from '../identifiers/cid.ts';
import type { BlobStore } from '../ports.ts';
import { type DsseKeys, verifyDsse } from '../proofs/dsse.ts';
import { failedCheck, type ProofCheck } from '../proofs/proof.ts';
import type { SigstoreVerifier } from '../proofs/sigstore.ts';

export interface BundleChecking {
  readonly sigstore: SigstoreVerifier;
  readonly dsseKeys: DsseKeys;
  readonly blobs: Pick<BlobStore, 'read' | 'size'>;
  readonly hashes: Pick<BlobHashRecords, 'among'>;
}

/**
 * Checks a signed model, and that the subject has exactly its files. One that is signed with a key involves no authority: the
 * key is known by its `keyid`, as in any DSSE envelope.
 */
export async function checkModelBundle(
  ports: BundleChecking,
  document: JsonObject,
  subject: unknown,
): Promise<ProofCheck> {
  const bundle = bundleIn(document);
  if ('result' in bundle) return bundle;
  const check = await checkSigner(ports, document, bundle);
  if (check.result !== 'ok') return check;
  const named = String(subject);
  const isSubject = await isModel(ports, bundle.model, named);
  if (isSubject) return check;
  return isSubject === false
    ? { ...check, result: 'failed', reason: { code: 'other_subject', subject: named } }
    : { ...check, result: 'unknown', reason: { code: 'subject_not_stored', subject: named } };
}

function bundleIn(document: JsonObject): ModelBundle | ProofCheck {
  try {
    return readModelBundle(document);
  } catch (error) {
    if (!(error instanceof EvidenceProblem)) throw error;
    return failedCheck({ code: 'malformed_model_signature', message: error.message });
  }
}

async function checkSigner(
  { sigstore, dsseKeys }: BundleChecking,
  document: JsonObject,
  { method, keyid, payloadType, payload, signature }: ModelBundle,
): Promise<ProofCheck> {
  if (method === 'sigstore') return await sigstore.verify(Buffer.from(JSON.stringify(document)));
  if (method === 'certificate') return failedCheck({ code: 'certificate_not_checked' }, 'unknown');
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const signatures = [{ sig: base64(signature), ...(keyid !== null && { keyid }) }];
  return verifyDsse({ payloadType, payload: base64(payload), signatures }, dsseKeys);
}

/** Whether an identifier names the files of a model; undefined if it cannot be told. */
async function isModel(
  { blobs, hashes }: KnownFiles,
  model: SignedModel,
  subject: string,
): Promise<boolean | undefined> {
  if (identified(modelThing(model)).id === subject) return true;
  const cid = cidIn(subject);
  if (!cid) return false;
  if (onlyDigest(model) === undefined)
    return cid.codec === codecs.hashSequence
      ? await isFolderOf({ blobs, hashes }, modelFolder(model), cid)
      : false;
  const same = (await namesOf(hashes, [subject])).get(subject);
  return same?.names.includes(identified(modelThing(model)).id);
}
