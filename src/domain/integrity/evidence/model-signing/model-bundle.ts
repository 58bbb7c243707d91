import { z } from 'zod';
import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { inTotoType } from '../../proofs/dsse.ts';
import { EvidenceProblem } from '../evidence.ts';
import {
  digestsPredicate,
  parsed,
  readSignedModel,
  type SignedModel,
  signaturePredicate,
} from './signed-model.ts';

export const bundleType = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const mediaTypes = /^application\/vnd\.dev\.sigstore\.bundle(?:\.v0\.3\+json|\+json;version=0\.[123])$/;

/** A model signature: a Sigstore bundle with one envelope (OMS 1.0, 4). */
export interface ModelBundle {
  /** What the signature is checked with. */
  readonly method: 'key' | 'certificate' | 'sigstore';
  readonly payloadType: string;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  readonly keyid: string | null;
  /** DER, the certificate of the signer first. */
  readonly certificates: readonly Uint8Array[];
  readonly model: SignedModel;
}

const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be base64');
const certificate = z.object({ rawBytes: base64 });
const chain = z.object({ certificates: z.array(certificate).min(1) });

const bundleShape = z.object({
  mediaType: z.string().regex(mediaTypes, `must be "${bundleType}", or of an earlier version`),
  verificationMaterial: z.object({
    publicKey: z
      .object({ hint: z.string().nullish(), rawBytes: base64.nullish() })
      .refine(({ hint, rawBytes }) => hint != null || rawBytes != null, 'needs "hint" or "rawBytes"')
      .nullish(),
    certificate: certificate.nullish(),
    x509CertificateChain: chain.nullish(),
    tlogEntries: z.array(z.unknown()).nullish(),
  }),
  messageSignature: z.undefined('belongs to another kind of bundle').optional(),
  dsseEnvelope: z.object({
    payload: base64,
    payloadType: z.literal(inTotoType),
    signatures: z.tuple([z.object({ sig: base64, keyid: z.string().nullish() })], 'must have one signature'),
  }),
});

/**
 * Reads a model signature of any version, without checking it.
 * @throws EvidenceProblem for what the specification calls invalid.
 */
export function readModelBundle(document: unknown): ModelBundle {
  const { verificationMaterial, dsseEnvelope } = parsed(bundleShape, document);
  const { publicKey, certificate, x509CertificateChain, tlogEntries } = verificationMaterial;
  const given = [publicKey, certificate, x509CertificateChain].filter((one) => one != null);
  if (given.length !== 1)
    throw new EvidenceProblem(
      `verificationMaterial must have one of publicKey, certificate and x509CertificateChain, but has ${given.length}.`,
      '/verificationMaterial',
    );
  const isLogged = (tlogEntries ?? []).length > 0;
  if (certificate && !isLogged)
    throw new EvidenceProblem(
      'verificationMaterial.tlogEntries must have an entry of a transparency log.',
      '/verificationMaterial/tlogEntries',
    );
  const payload = Buffer.from(dsseEnvelope.payload, 'base64');
  const [{ sig, keyid }] = dsseEnvelope.signatures;
  return {
    method: publicKey ? 'key' : isLogged ? 'sigstore' : 'certificate',
    payloadType: dsseEnvelope.payloadType,
    payload,
    signature: Buffer.from(sig, 'base64'),
    keyid: keyid || null,
    certificates: (x509CertificateChain?.certificates ?? []).map((one) =>
      Buffer.from(one.rawBytes, 'base64'),
    ),
    model: readSignedModel(payloadJson(payload)),
  };
}

function payloadJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch {
    throw new EvidenceProblem('dsseEnvelope.payload is not JSON.', '/dsseEnvelope/payload');
  }
}

/** Whether a bundle is, or claims to be, about a model. */
export function isModelBundle(document: JsonObject): boolean {
  const { dsseEnvelope } = document;
  if (!isObject(dsseEnvelope) || typeof dsseEnvelope.payload !== 'string') return false;
  const statement = statementIn(dsseEnvelope.payload);
  if (!isObject(statement)) return false;
  if ([signaturePredicate, digestsPredicate].includes(String(statement.predicateType))) return true;
  const { predicate } = statement;
  return isObject(predicate) && Array.isArray(predicate.resources) && isObject(predicate.serialization);
}

function statementIn(payload: string): unknown {
  try {
    return JSON.parse(Buffer.from(payload, 'base64').toString());
  } catch {
    return undefined;
  }
}
