import { z } from 'zod';
import { plainWords } from '../../json/shape-problems.ts';
import type { Signer } from '../signer.ts';
import { isSignedBy, keyOfDid } from './keys.ts';
import {
  cannotCheck,
  failedCheck,
  type ProofCheck,
  ProofProblem,
  proofFails,
  shown,
  signedBy,
} from './proof.ts';

/** Keys by their `kid`, as did:key. */
export type DsseKeys = ReadonlyMap<string, string>;

/** The payload type of in-toto Statements (in-toto Attestation Framework 1.0, envelope). */
export const inTotoType = 'application/vnd.in-toto+json';

const maxSignatures = 10;
const maxSignature = 1_000;
const base64 = z.string().regex(/^[\w+/-]*={0,2}$/, 'must be base64');
const envelopeShape = z.object({
  payloadType: z.string().min(1).max(1_000),
  payload: base64,
  signatures: z
    .array(z.object({ keyid: z.string().max(1_000).optional(), sig: base64.min(1).max(maxSignature) }))
    .min(1)
    .max(maxSignatures),
});

type Envelope = z.output<typeof envelopeShape>;

/**
 * Checks the signatures of a DSSE envelope (DSSE 1.0.2, protocol). A `keyid` is a did:key or names a given key. It holds if
 * at least one signature holds and none is wrong. Signatures by unknown keys prove nothing and do no harm.
 */
export function verifyDsse(envelope: unknown, keys: DsseKeys): ProofCheck {
  const { data, error } = envelopeShape.safeParse(envelope, { error: plainWords });
  if (!data) {
    const [issue] = error.issues;
    const place = issue?.path.join('.') || 'it';
    return failedCheck({ code: 'malformed_envelope', place, problem: issue?.message ?? '' });
  }
  const payload = Buffer.from(data.payload, 'base64');
  if (isJsonType(data.payloadType) && !isJson(payload))
    return failedCheck({ code: 'payload_not_json', type: shown(data.payloadType) });
  const signed = preAuthenticationEncoding(data.payloadType, payload);
  const checks = data.signatures.map((signature) => checkOne(signature, { signed, payload }, keys));
  return together(data, checks);
}

/** PAE of DSSE 1.0.2: lengths in bytes, before each part. */
export function preAuthenticationEncoding(type: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** An envelope with one signature, whose key is the did:key of the signer. */
export async function signDsse(
  signer: Pick<Signer, 'did' | 'sign'>,
  payloadType: string,
  payload: Uint8Array,
): Promise<Envelope> {
  const signature = await signer.sign(preAuthenticationEncoding(payloadType, payload));
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const signatures = [{ keyid: signer.did, sig: base64(signature) }];
  return { payloadType, payload: base64(payload), signatures };
}

function isJsonType(type: string): boolean {
  return /^[\w.+-]+\/(?:[\w.-]+\+)?json(?:;|$)/i.test(type);
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

interface SignatureCheck extends Pick<ProofCheck, 'result' | 'reason'> {
  readonly signer?: string;
}

function checkOne(
  { keyid, sig }: Envelope['signatures'][number],
  { signed, payload }: { signed: Uint8Array; payload: Uint8Array },
  keys: DsseKeys,
): SignatureCheck {
  const signature = Buffer.from(sig, 'base64');
  const isBy = (did: string) => isSignedBy(keyOfDid(did), { data: signed, signature });
  try {
    if (keyid === undefined || keyid === '') {
      const signer = [...new Set(keys.values())].find(isBy);
      return signer ? { result: 'ok', signer } : cannotCheck({ code: 'no_key_id' });
    }
    const signer = didOf(keyid, keys);
    if (isBy(signer)) return { result: 'ok', signer };
    const isWithoutType = isSignedBy(keyOfDid(signer), { data: payload, signature });
    const reason = isWithoutType
      ? ({ code: 'payload_signed_alone' } as const)
      : ({ code: 'payload_not_signed_by', did: signer } as const);
    return { result: 'failed', signer, reason };
  } catch (error) {
    if (error instanceof ProofProblem) return { result: error.result, reason: error.reason };
    throw error;
  }
}

function didOf(keyid: string, keys: DsseKeys): string {
  const given = keys.get(keyid);
  if (given !== undefined) return given;
  const [did = '', fragment] = keyid.split('#');
  if (!did.startsWith('did:key:')) cannotCheck({ code: 'key_id_unknown', keyId: shown(keyid) });
  if (fragment !== undefined && did !== `did:key:${fragment}`)
    proofFails({ code: 'key_id_of_other_key', keyId: shown(keyid) });
  return did;
}

function together({ signatures }: Envelope, checks: readonly SignatureCheck[]): ProofCheck {
  const failed = checks.find(({ result }) => result === 'failed');
  const held = checks.filter(({ result }) => result === 'ok');
  const decisive = failed ?? held[0] ?? checks[0];
  return {
    result: decisive?.result ?? 'failed',
    ...(decisive?.reason !== undefined && { reason: decisive.reason }),
    ...signedBy((failed ? [failed] : held).flatMap(({ signer }) => signer ?? [])),
    verificationMethod: signatures.length === 1 ? (signatures[0]?.keyid ?? null) : null,
    cryptosuite: 'DSSE',
  };
}
