import { createHash, createPublicKey, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { basename } from 'node:path';
import { hashFiles } from '../../../workers/file-hash-pool.ts';
import { bundleType } from '../../domain/integrity/evidence/model-signing/model-bundle.ts';
import { modelStatement } from '../../domain/integrity/evidence/model-signing/signed-model.ts';
import { jcs } from '../../domain/integrity/identification/jcs.ts';
import { inTotoType, preAuthenticationEncoding } from '../../domain/integrity/proofs/dsse.ts';
import type { JsonObject } from '../../domain/json/is-object.ts';
import { failUsage } from '../terminal/failure.ts';
import { didOfKey, hashOfKey } from './keys.ts';
import { type ModelFile, modelFiles } from './model-files.ts';

export interface Signing {
  /** The model, without links in its path. */
  readonly root: string;
  /** Relative to the model. */
  readonly ignored: readonly string[];
  readonly allowSymlinks: boolean;
  readonly key: KeyObject;
  /** DER, that of the key first; empty for a signature with a key alone. */
  readonly certificates: readonly Uint8Array[];
}

export interface Signed {
  readonly bundle: JsonObject;
  readonly files: readonly ModelFile[];
  readonly root: string;
  readonly outside: readonly string[];
}

/** Signs the files of a model (OMS 1.0, 6). @throws Failure (usage) for what cannot be signed. */
export async function signModel(
  { root, ignored, allowSymlinks, key, certificates }: Signing,
  onBytes: (count: number) => void,
): Promise<Signed> {
  const { files, odd, outside } = await modelFiles({ root, ignored, allowSymlinks });
  const [first] = odd;
  if (first) failUsage(`${first.name} is ${first.is}, so it cannot be signed. ${adviceFor(first.is)}`);
  if (files.length === 0) failUsage(`${root} has no files to sign.`);
  const parts = files.map(({ path, size }) => ({ path, start: 0, end: size, algorithm: 'sha256' as const }));
  const digests = await hashFiles(parts, onBytes);
  const resources = files.map(({ name }, at): [string, string] => [
    name,
    digests[at] ?? failUsage(`${name} has changed while it was read.`),
  ]);
  const statement = modelStatement({
    name: basename(root),
    resources: new Map(resources),
    serialization: { hash: 'sha256', shardSize: null, allowSymlinks, ignorePaths: ignored },
  });
  const payload = Buffer.from(jcs(statement));
  const signature = sign(hashOfKey(key), preAuthenticationEncoding(inTotoType, payload), key);
  const bundle = {
    mediaType: bundleType,
    verificationMaterial: { ...materialOf(key, certificates), tlogEntries: [] },
    dsseEnvelope: {
      payload: payload.toString('base64'),
      payloadType: inTotoType,
      // A did:key, with which a service can check the signature. Other readers do not look at it.
      signatures: [
        { sig: signature.toString('base64'), keyid: certificates.length > 0 ? '' : (didOfKey(key) ?? '') },
      ],
    },
  };
  const [{ digest }] = statement.subject as [{ digest: { sha256: string } }];
  return { bundle, files, root: digest.sha256, outside };
}

/** @throws Failure (usage) unless the certificate is about the key. */
export function assertCertifies(certificate: Uint8Array, key: KeyObject): void {
  if (!new X509Certificate(certificate).checkPrivateKey(key))
    failUsage('The certificate of --signing-certificate belongs to another key than --private-key.');
}

function adviceFor(is: string): string {
  return is === 'a link'
    ? 'Sign what it leads to with --allow-symlinks, or leave it out with --ignore-paths.'
    : 'Leave it out with --ignore-paths.';
}

function materialOf(key: KeyObject, certificates: readonly Uint8Array[]): JsonObject {
  if (certificates.length > 0)
    return {
      x509CertificateChain: {
        certificates: certificates.map((one) => ({ rawBytes: Buffer.from(one).toString('base64') })),
      },
    };
  const publicPem = createPublicKey(key).export({ format: 'pem', type: 'spki' });
  return { publicKey: { hint: createHash('sha256').update(publicPem).digest('hex') } };
}
