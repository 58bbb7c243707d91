import { type KeyObject, verify } from 'node:crypto';
import { sentenceOf } from '../../contract/sentences.ts';
import type { ModelBundle } from '../../domain/integrity/evidence/model-signing/model-bundle.ts';
import { preAuthenticationEncoding } from '../../domain/integrity/proofs/dsse.ts';
import { failNo, failUsage } from '../terminal/failure.ts';
import { CertificateProblem, certifiedKey, readCertificates } from './certificates.ts';
import { didOfKey, hashOfKey, readPublicKey } from './keys.ts';

/** Whom the user trusts: exactly one of these. */
export interface ModelTrust {
  readonly publicKey?: string;
  readonly certificateChain: readonly string[];
  readonly identity?: string;
  readonly identityProvider?: string;
  readonly trustedRoot?: string;
}

const optionOf = { key: '--public-key', certificate: '--certificate-chain', sigstore: '--identity' } as const;

/**
 * Checks who signed.
 * @returns the signer, for people.
 * @throws Failure
 */
export async function checkSignature(
  bytes: Uint8Array,
  bundle: ModelBundle,
  trust: ModelTrust,
): Promise<string> {
  const chosen = chosenMethod(trust);
  const isLoggedChain = chosen === 'sigstore' && bundle.certificates.length > 0;
  if (bundle.method !== chosen && !isLoggedChain)
    failNo(
      `The model is signed with a ${words[bundle.method]}. Say whom you trust with ${optionOf[bundle.method]}.`,
    );
  if (chosen === 'sigstore') return await checkIdentity(bytes, trust);
  if (chosen === 'key') {
    const key = await readPublicKey(trust.publicKey ?? '');
    if (!isSignedBy(bundle, key)) failNo(`The signature is not by the key ${trust.publicKey}.`);
    return didOfKey(key) ?? `the key ${trust.publicKey}`;
  }
  const { key, subject } = certified(bundle, await readCertificates(trust.certificateChain));
  if (!isSignedBy(bundle, key)) failNo(`The signature is not by the key in the certificate of ${subject}.`);
  return subject;
}

const words = { key: 'key', certificate: 'certificate', sigstore: 'Sigstore identity' } as const;

function chosenMethod({ publicKey, certificateChain, identity, identityProvider }: ModelTrust) {
  const isByIdentity = identity !== undefined || identityProvider !== undefined;
  const chosen = [
    ...(publicKey === undefined ? [] : ['key' as const]),
    ...(certificateChain.length === 0 ? [] : ['certificate' as const]),
    ...(isByIdentity ? ['sigstore' as const] : []),
  ];
  const [method, ...others] = chosen;
  if (!method || others.length > 0)
    failUsage(
      'Say whom you trust, in one way: --public-key, --certificate-chain, or --identity with --identity-provider.',
    );
  if (isByIdentity && (identity === undefined || identityProvider === undefined))
    failUsage(
      '--identity and --identity-provider belong together, because anybody may call themselves so elsewhere.',
    );
  return method;
}

function certified(bundle: ModelBundle, trusted: readonly Uint8Array[]) {
  try {
    return certifiedKey(bundle.certificates, trusted, new Date());
  } catch (error) {
    if (error instanceof CertificateProblem) failNo(error.message);
    throw error;
  }
}

async function checkIdentity(
  bytes: Uint8Array,
  { identity, identityProvider, trustedRoot }: ModelTrust,
): Promise<string> {
  if (trustedRoot === undefined)
    failUsage(
      'Sigstore needs a trusted root. Set CAIRN_SIGSTORE_TRUSTED_ROOT, or --trusted-root, to a trusted_root.json.',
    );
  // Imported here, because the libraries take time to load.
  const { openSigstoreVerifier } = await import('../../platform/sigstore-verifier.ts');
  const verifier = await openSigstoreVerifier(trustedRoot, new Map());
  const { result, reason, signer, identityIssuer } = await verifier.verify(bytes);
  if (result !== 'ok') failNo(reason ? sentenceOf(reason) : 'The Sigstore bundle does not hold.');
  if (signer !== identity) failNo(`The model is signed by ${signer}, not by ${identity}.`);
  if (identityIssuer !== identityProvider)
    failNo(`${signer} is known to ${identityIssuer}, not to ${identityProvider}.`);
  return `${signer} (${identityIssuer})`;
}

/** Whether the key made the signature. Version 0.2 of the reference implementation signed other bytes. */
function isSignedBy({ payloadType, payload, signature, model }: ModelBundle, key: KeyObject): boolean {
  const hash = hashOfKey(key);
  if (hash === undefined) return false;
  const holds = (signed: Uint8Array, algorithm: string | null) => verify(algorithm, signed, key, signature);
  if (holds(preAuthenticationEncoding(payloadType, payload), hash)) return true;
  return model.isEarliest && holds(earliestEncoding(payloadType, payload), 'sha256');
}

/** What version 0.2 signed: the bytes as Python shows them. */
function earliestEncoding(type: string, payload: Uint8Array): Buffer {
  const head = `DSSEV1 ${Buffer.byteLength(type)} ${type} ${payload.length} `;
  return Buffer.from(head + pythonBytes(payload));
}

/** `repr` of bytes in Python. */
function pythonBytes(bytes: Uint8Array): string {
  const named: Readonly<Record<number, string>> = { 9: '\\t', 10: '\\n', 13: '\\r', 92: '\\\\' };
  const quote = bytes.includes(39) && !bytes.includes(34) ? '"' : "'";
  const shown = Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    if (character === quote) return `\\${quote}`;
    const escaped = byte < 32 || byte > 126 ? `\\x${byte.toString(16).padStart(2, '0')}` : character;
    return named[byte] ?? escaped;
  });
  return `b${quote}${shown.join('')}${quote}`;
}
