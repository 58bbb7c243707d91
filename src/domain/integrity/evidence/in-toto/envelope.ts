import { z } from 'zod';
import { ServiceError } from '../../../errors.ts';
import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { parseStrictJson } from '../../../json/strict-json.ts';
import { type Evidence, type EvidenceKind, EvidenceProblem } from '../evidence.ts';
import { below, shaped } from './shape.ts';
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
  signatures: z.array(z.looseObject({ keyid: z.string().nullish(), sig: base64 })).min(1),
});

const payloadDepth = 64;

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
  return { ...evidence, signature: { envelope } };
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
