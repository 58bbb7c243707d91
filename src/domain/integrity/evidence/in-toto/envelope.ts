import { z } from 'zod';
import { ServiceError } from '../../../errors.ts';
import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { parseStrictJson } from '../../../json/strict-json.ts';
import { type Evidence, type EvidenceKind, EvidenceProblem } from '../evidence.ts';
import { below, shaped } from '../shaped.ts';
import { readStatement } from './statement.ts';

const base64 = z
  .string()
  .regex(/^[\w+/-]+={0,2}$/, 'must be base64')
  .transform((text) => Buffer.from(text, 'base64'));

const shape = z.looseObject({
  payloadType: z.string().regex(/^application\/vnd\.in-toto(?:\.[\w.-]+)?\+json$/, {
    error: 'must be application/vnd.in-toto+json; Cairn reads no other payloads',
  }),
  payload: base64,
  signatures: z
    .array(z.looseObject({ keyid: z.string().nullish(), sig: base64, cert: z.string().nullish() }))
    .min(1),
});

const payloadDepth = 64;
export const bundleType = 'application/vnd.dev.sigstore.bundle.v0.3+json';

/** DSSE envelopes with an in-toto Statement. */
export const dsseEnvelope: EvidenceKind = {
  name: 'dsse',
  title: 'DSSE envelope',
  recognises: (document) => 'payload' in document && ('payloadType' in document || 'signatures' in document),
  read: readEnvelope,
};

/** @throws EvidenceProblem. */
export function readEnvelope(document: JsonObject): Evidence {
  const { payloadType, payload, signatures } = shaped(shape, document, 'The DSSE envelope');
  const evidence = below('/payload', () => readStatement(statementIn(payload)));
  const envelope = {
    payloadType,
    payload: payload.toString('base64'),
    signatures: signatures.map(({ keyid, sig }) => ({
      ...(keyid && { keyid }),
      sig: sig.toString('base64'),
    })),
  };
  const [signature, another] = signatures;
  const certificate = another ? undefined : certificateIn(signature?.cert);
  return { ...evidence, signature: certificate ? { bundle: bundleOf(envelope, certificate) } : { envelope } };
}

const pem = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/;

/** slsa-github-generator puts the certificate of Sigstore beside the signature. @returns its DER in base64. */
function certificateIn(cert: string | null | undefined): string | undefined {
  return pem.exec(cert ?? '')?.[1]?.replace(/\s/g, '');
}

/** An envelope and a certificate, as Sigstore writes them. */
function bundleOf(dsseEnvelope: JsonObject, rawBytes: string): JsonObject {
  const verificationMaterial = { certificate: { rawBytes }, tlogEntries: [] };
  return { mediaType: bundleType, verificationMaterial, dsseEnvelope };
}

function statementIn(payload: Uint8Array): JsonObject {
  try {
    const statement = parseStrictJson(payload, { maxDepth: payloadDepth, exactNumbers: false });
    if (isObject(statement)) return statement;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new EvidenceProblem(`The payload is not accepted. ${error.message}`);
  }
  throw new EvidenceProblem('The payload is not an in-toto statement.');
}
