import { z } from 'zod';
import { everythingVisible } from '../../access/visibility.ts';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { isObject } from '../../json/is-object.ts';
import { jcs } from '../identification/jcs.ts';
import { cidOf, codecs, parseCid } from '../identifiers/cid.ts';
import type { StatementStore } from '../ports.ts';
import type { Check, Reason } from '../proofs/reasons.ts';

/**
 * The signatures that stored statements carry, as they were checked when they were stored. A signature about several
 * things has one record for each.
 */
export const signatures = collection('signatures', {
  shape: z.object({
    /** The `jcs_cid` of the statement that carries the signature, `about`, and `kind` unless it is the first one of both. */
    id: z.string().min(1),
    /** The `jcs_cid` of the statement that carries the signature. */
    carrier: z.string().min(1),
    /** The identifier of what is signed: the carrier itself, or what its credential or envelope is about. */
    about: z.string().min(1),
    /** How the statement carries the signature. */
    kind: z.enum(['proof', 'credential', 'dsse', 'sigstore']),
    /** The DID of the key, or the identity in a Sigstore certificate; null if it is not known. */
    signer: z.string().nullable(),
    /** Who has vouched for the identity of the signer; null for keys, and in records of earlier versions. */
    identityIssuer: z.string().nullable().default(null),
    /** `unknown`: it could not be checked. */
    result: z.enum(['ok', 'failed', 'unknown']),
    /** A sentence. Earlier versions stored it instead of `why`. */
    reason: z.string().nullable(),
    /** Unless the result is `ok`. Missing in records of earlier versions. */
    why: z
      .custom<Reason>((value) => isObject(value) && typeof value.code === 'string')
      .nullable()
      .default(null),
    /** 0: by this service, or by the registrant of the carrier. 1: by others, who may be many. */
    rank: z.int(),
    credentialId: z.string().nullable(),
    /** The JCS CID of the credential. */
    credentialCid: z.string().nullable(),
    validFrom: z.int().nullable(),
    validUntil: z.int().nullable(),
    /** The id of the credential, if this service issued it for a statement. */
    issued: z.string().nullable(),
    /** The id of the carrier, if this service issued the credential in it: the signature is about the carrier too. */
    registration: z.string().nullable().default(null),
    createdAt: z.int(),
  }),
  key: 'id',
  unique: { byIssued: ['issued'], byRegistration: ['registration'] },
  indexes: { byProof: ['about', 'result', 'signer', 'createdAt'], byCredentialCid: ['credentialCid'] },
});

export type Signatures = RecordsOf<typeof signatures>;
export type Signature = Readonly<NonNullable<Awaited<ReturnType<Signatures['get']>>>>;

/** The record of a signature that this service has made itself, which needs no check. */
export function ownSignature(
  signature: Omit<Signature, keyof typeof ofOwn | 'id' | 'issued' | 'registration'> &
    Partial<Pick<Signature, 'issued' | 'registration'>>,
): Signature {
  const id = signatureId(signature.carrier, signature.about);
  return { issued: null, registration: null, ...signature, ...ofOwn, id };
}

const ofOwn = {
  kind: 'credential',
  identityIssuer: null,
  result: 'ok',
  reason: null,
  why: null,
  rank: 0,
} as const;

/** The signature about the carrier, which a credential of `issue_vc` has in the same record. */
export function aboutCarrier(issued: Signature): Signature {
  const about = issued.registration ?? '';
  return { ...issued, id: signatureId(issued.carrier, about), about, issued: null, registration: null };
}

/** As in `credentialCid`. */
export function credentialCidOf(credential: object): string {
  return cidOf(codecs.jcs, jcs(credential)).text;
}

export function signatureId(carrier: string, about: string): string {
  return `${carrier} ${about}`;
}

/** The signatures of one carrier, if several are about the same thing: each has its own record, so that none hides another. */
export function apart(carried: readonly Signature[]): Signature[] {
  const known = new Set<string>();
  return carried.map((one) => {
    if (known.has(one.id)) return { ...one, id: `${one.id} ${one.kind}` };
    known.add(one.id);
    return one;
  });
}

/** The result of a signature, and why it is not `ok`. */
export function checkOf({ result, reason, why }: Pick<Signature, 'result' | 'reason' | 'why'>): Check {
  if (result === 'ok') return { result };
  if (reason !== null) return { result, reason: { code: 'told', sentence: reason } };
  return { result, reason: why ?? { code: 'signature_fails' } };
}

const recordsAtOnce = 500;

/** Stores the results of checks. Another result replaces the one from when the statement was stored before. */
export async function keepSignatures(
  signatures: Pick<Signatures, 'insert' | 'update' | 'among'>,
  checked: readonly Signature[],
): Promise<void> {
  const areNew = await signatures.insert(checked);
  const again = checked.filter((_, at) => !areNew[at]);
  // A statement can be checked twice at once. The last result counts.
  const known = [...new Map(again.map((one) => [one.id, one])).values()];
  for (let at = 0; at < known.length; at += recordsAtOnce) {
    const group = known.slice(at, at + recordsAtOnce);
    const ids = group.map(({ id }) => id);
    const stored = await signatures.among('key', ids, 1);
    for (const [index, one] of group.entries()) {
      const [before] = stored[index] ?? [];
      const [told, found] = [before && resultOf(before), resultOf(one)];
      // Readers ask for checks, and a signature can be about thousands of things.
      if (JSON.stringify(told) !== JSON.stringify(found))
        await signatures.update(one.id, { issued: null }, found);
    }
  }
}

function resultOf({ signer, identityIssuer, result, reason, why, validUntil }: Signature) {
  return { signer, identityIssuer, result, reason, why, validUntil };
}

/** The JCS text of a credential that this service has issued for a statement; undefined for any other id. */
export async function issuedCredential(
  signatures: Pick<Signatures, 'among'>,
  statements: Pick<StatementStore, 'byJcsCid'>,
  credentialId: string,
): Promise<string | undefined> {
  const [[issued] = []] = await signatures.among('byIssued', [credentialId], 1);
  const row = issued && (await statements.byJcsCid(parseCid(issued.carrier), everythingVisible));
  return row && jcs(JSON.parse(Buffer.from(row.jcs).toString()).credential);
}
