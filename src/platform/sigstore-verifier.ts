import {
  BUNDLE_V01_MEDIA_TYPE,
  BUNDLE_V02_MEDIA_TYPE,
  BUNDLE_V03_LEGACY_MEDIA_TYPE,
  BUNDLE_V03_MEDIA_TYPE,
  type Bundle,
  bundleFromJSON,
} from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { type Signer, toSignedEntity, toTrustMaterial, VerificationError, Verifier } from '@sigstore/verify';
import { messageOf, ServiceError } from '../domain/errors.ts';
import type { DsseKeys } from '../domain/integrity/proofs/dsse.ts';
import { keyOfDid } from '../domain/integrity/proofs/keys.ts';
import { failedCheck, type ProofCheck } from '../domain/integrity/proofs/proof.ts';
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
 * A verifier that trusts the authorities and logs of a file (`trusted_root.json` of Sigstore).
 * @param keys for bundles that name a key instead of a certificate.
 * @throws ServiceError `unavailable` with the file and the problem.
 */
export async function openSigstoreVerifier(file: string, keys: DsseKeys): Promise<SigstoreVerifier> {
  const verifier = await verifierOf(file, keys);
  return {
    async verify(bytes, artifact) {
      const bundle = bundleIn(bytes);
      if ('result' in bundle) return bundle;
      if (bundle.content.$case === 'messageSignature' && !artifact)
        return failedCheck(
          'The bundle signs a file that it does not hold, so it cannot be checked here.',
          'unknown',
        );
      try {
        return held(verifier.verify(toSignedEntity(bundle, artifact && Buffer.from(artifact))));
      } catch (error) {
        return refused(error);
      }
    },
  };
}

async function verifierOf(file: string, keys: DsseKeys): Promise<Verifier> {
  const fail = (reason: string, cause?: unknown): never => {
    const message = `The trusted root ${file} (CAIRN_SIGSTORE_TRUSTED_ROOT) cannot be used: ${reason}.`;
    throw new ServiceError('unavailable', message, { cause });
  };
  const json = await readJsonFile(file).catch((cause: unknown) => fail(messageOf(cause), cause));
  try {
    const root = TrustedRoot.fromJSON(json);
    if (root.certificateAuthorities.length === 0) fail('it has no certificateAuthorities');
    const material = toTrustMaterial(root, (hint) => ({
      publicKey: keyNamed(hint, keys),
      validFor: () => true,
    }));
    // An instance of Sigstore may have no logs. Then its trusted root lists none.
    const [ctlogThreshold, tlogThreshold] = [root.ctlogs, root.tlogs].map(({ length }) =>
      Math.min(1, length),
    );
    return new Verifier(material, { ctlogThreshold, tlogThreshold });
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    return fail('it is not a trusted_root.json of Sigstore', cause);
  }
}

function keyNamed(hint: string, keys: DsseKeys) {
  const did = keys.get(hint);
  if (did === undefined) throw new VerificationError({ code: 'PUBLIC_KEY_ERROR', message: hint });
  return keyOfDid(did).key;
}

function bundleIn(bytes: Uint8Array): Bundle | ProofCheck {
  try {
    const json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (mediaTypes.includes(json?.mediaType)) return bundleFromJSON(json);
    return failedCheck(
      `The media type of a Sigstore bundle must be "${BUNDLE_V03_MEDIA_TYPE}" or an older spelling, but it is ${JSON.stringify(json?.mediaType)?.slice(0, 200)}.`,
    );
  } catch {
    return failedCheck('The Sigstore bundle is not JSON of its format.');
  }
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

const reasons: Readonly<Record<string, string>> = {
  CERTIFICATE_ERROR:
    'Its certificate is not by an authority of the trusted root, or was not valid when it signed.',
  SIGNATURE_ERROR: 'Its signature is not by its certificate or key, or the content was changed.',
  TIMESTAMP_ERROR: 'It has no valid timestamp by an authority or log of the trusted root.',
};

function refused(error: unknown): ProofCheck {
  const code = error instanceof VerificationError ? error.code : '';
  if (code === 'PUBLIC_KEY_ERROR') {
    const reason = `The key ${messageOf(error).slice(0, 200)} is not known. Add it to the file of CAIRN_DSSE_KEYS_FILE.`;
    return failedCheck(`The Sigstore bundle cannot be checked. ${reason}`, 'unknown');
  }
  const ofLog =
    'It is not in a transparency log of the trusted root, or the log entry is about something else.';
  const reason = reasons[code] ?? (code.startsWith('TLOG_') ? ofLog : 'A part of it cannot be read.');
  return failedCheck(`The Sigstore bundle does not hold. ${reason}`);
}
