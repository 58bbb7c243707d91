import { createHash, createPublicKey } from 'node:crypto';
import {
  BUNDLE_V01_MEDIA_TYPE,
  BUNDLE_V02_MEDIA_TYPE,
  BUNDLE_V03_LEGACY_MEDIA_TYPE,
  BUNDLE_V03_MEDIA_TYPE,
  type Bundle,
  bundleFromJSON,
} from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import {
  type SignedEntity,
  type Signer,
  type TrustMaterial,
  toSignedEntity,
  toTrustMaterial,
  VerificationError,
  Verifier,
} from '@sigstore/verify';
import { messageOf, ServiceError } from '../domain/errors.ts';
import type { DsseKeys } from '../domain/integrity/proofs/dsse.ts';
import { keyOfDid } from '../domain/integrity/proofs/keys.ts';
import { failedCheck, type ProofCheck } from '../domain/integrity/proofs/proof.ts';
import type { Reason } from '../domain/integrity/proofs/reasons.ts';
import type { SigstoreVerifier } from '../domain/integrity/proofs/sigstore.ts';
import { readJsonFile } from './json-file.ts';

/** The current media type of bundles, and its three older spellings. */
const mediaTypes: readonly unknown[] = [
  BUNDLE_V03_MEDIA_TYPE,
  BUNDLE_V03_LEGACY_MEDIA_TYPE,
  BUNDLE_V02_MEDIA_TYPE,
  BUNDLE_V01_MEDIA_TYPE,
];

/**
 * A verifier that trusts the authorities and logs of a file (`trusted_root.json` of Sigstore), if there is one, and keys.
 * A key that was given needs no log and no time. With a trusted root, what the bundle has of these is checked all the same.
 * @param keys for bundles that name a key instead of a certificate: by its kid, or by its SHA-256 as cosign does.
 * @throws ServiceError `unavailable` with the file and the problem.
 */
export async function openSigstoreVerifier(file: string | null, keys: DsseKeys): Promise<SigstoreVerifier> {
  const root = file === null ? undefined : await trustIn(file);
  const byHint = new Map([...keys.values().map((did) => [fingerprintOf(did), did] as const), ...keys]);
  const publicKey = (hint: string) => ({
    publicKey: keyOfDid(keyNamed(hint, byHint)).key,
    validFor: () => true,
  });
  const authorities = root?.authorities ?? toTrustMaterial(TrustedRoot.fromJSON({}));
  const byKey = new Verifier(
    { ...authorities, publicKey },
    { ctlogThreshold: 0, tlogThreshold: 0, timestampThreshold: 0 },
  );
  return {
    async verify(bytes, artifact) {
      const bundle = bundleIn(bytes);
      if ('result' in bundle) return bundle;
      if (bundle.content.$case === 'messageSignature' && !artifact)
        return failedCheck({ code: 'bundle_without_file' }, 'unknown');
      try {
        const entity = toSignedEntity(bundle, artifact && Buffer.from(artifact));
        if (entity.key.$case === 'public-key') {
          byKey.verify(root ? entity : { ...entity, timestamps: [], tlogEntries: [] });
          return heldBy(keyNamed(entity.key.hint, byHint));
        }
        if (!root) return failedCheck({ code: 'no_trusted_root' }, 'unknown');
        return unproven(entity, root.authorities) ?? held(root.verifier.verify(entity));
      } catch (error) {
        return refused(error);
      }
    },
  };
}

async function trustIn(file: string): Promise<{ authorities: TrustMaterial; verifier: Verifier }> {
  const fail = (reason: string, cause?: unknown): never => {
    const message = `The trusted root ${file} (CAIRN_SIGSTORE_TRUSTED_ROOT) cannot be used: ${reason}.`;
    throw new ServiceError('unavailable', message, { cause });
  };
  const json = await readJsonFile(file).catch((cause: unknown) => fail(messageOf(cause), cause));
  try {
    const root = TrustedRoot.fromJSON(json);
    if (root.certificateAuthorities.length === 0) fail('it has no certificateAuthorities');
    const authorities = toTrustMaterial(root);
    // An instance of Sigstore may have no logs. Then its trusted root lists none.
    const [ctlogThreshold, tlogThreshold] = [root.ctlogs, root.tlogs].map(({ length }) =>
      Math.min(1, length),
    );
    return { authorities, verifier: new Verifier(authorities, { ctlogThreshold, tlogThreshold }) };
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    return fail('it is not a trusted_root.json of Sigstore', cause);
  }
}

/** The did:key of the key that a bundle names. */
function keyNamed(hint: string, byHint: DsseKeys): string {
  const did = byHint.get(hint);
  if (did === undefined) throw new VerificationError({ code: 'PUBLIC_KEY_ERROR', message: hint });
  return did;
}

/** As cosign names a key. */
function fingerprintOf(did: string): string {
  const der = keyOfDid(did).key.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('base64');
}

function bundleIn(bytes: Uint8Array): Bundle | ProofCheck {
  try {
    const json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (mediaTypes.includes(json?.mediaType)) return bundleFromJSON(json);
    const value = String(JSON.stringify(json?.mediaType)).slice(0, 200);
    return failedCheck({ code: 'wrong_media_type', wanted: BUNDLE_V03_MEDIA_TYPE, value });
  } catch {
    return failedCheck({ code: 'bundle_not_json' });
  }
}

/**
 * Without a known authority, or without a time while a certificate is short-lived, a bundle proves nothing. Its signature may be
 * wrong all the same.
 */
function unproven(
  { key, timestamps, tlogEntries, signature }: SignedEntity,
  { certificateAuthorities }: TrustMaterial,
): ProofCheck | undefined {
  if (key.$case !== 'certificate') return undefined;
  const { certificate } = key;
  const hasTime = timestamps.length > 0 || tlogEntries.length > 0;
  const isByAuthority = certificateAuthorities.some(({ certChain }) =>
    certChain.some((issuer) => certificate.verify(issuer)),
  );
  if (hasTime && isByAuthority) return undefined;
  const publicKey = createPublicKey({ key: certificate.publicKey, format: 'der', type: 'spki' });
  if (!signature.verifySignature(publicKey)) return failedCheck({ code: 'bundle_fails', part: 'signature' });
  const identity = certificate.subjectAltName ?? '?';
  return failedCheck(
    { code: hasTime ? 'bundle_authority_unknown' : 'bundle_without_time', identity },
    'unknown',
  );
}

function held({ identity }: Signer): ProofCheck {
  const name = identity?.subjectAlternativeName ?? null;
  const issuer = identity?.extensions?.issuer;
  return {
    result: 'ok',
    signers: name === null ? [] : [name],
    signer: name,
    ...(issuer !== undefined && { identityIssuer: issuer }),
    verificationMethod: null,
    cryptosuite: 'Sigstore',
    created: null,
  };
}

function heldBy(did: string): ProofCheck {
  return {
    result: 'ok',
    signers: [did],
    signer: did,
    verificationMethod: null,
    cryptosuite: 'Sigstore',
    created: null,
  };
}

/** The part of a bundle that does not hold, by the code of the library. */
const parts: Readonly<Record<string, Reason<'bundle_fails'>['part']>> = {
  CERTIFICATE_ERROR: 'certificate',
  SIGNATURE_ERROR: 'signature',
  TIMESTAMP_ERROR: 'timestamp',
};

function refused(error: unknown): ProofCheck {
  const code = error instanceof VerificationError ? error.code : '';
  if (code === 'PUBLIC_KEY_ERROR')
    return failedCheck({ code: 'bundle_key_unknown', key: messageOf(error).slice(0, 200) }, 'unknown');
  const part = parts[code] ?? (code.startsWith('TLOG_') ? 'log' : 'other');
  return failedCheck({ code: 'bundle_fails', part });
}
