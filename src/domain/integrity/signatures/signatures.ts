import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';

/** How a signature is carried by a statement. */
export const signatureKinds = ['proof', 'credential', 'dsse', 'sigstore'] as const;

/**
 * The signatures that stored statements carry, as they were checked when they were stored. A signature about several
 * things has one record for each.
 */
export const signatures = collection('signatures', {
  shape: z.object({
    /** The `jcs_cid` of the statement that carries the signature, and `about`. */
    id: z.string().min(1),
    /** The `jcs_cid` of the statement that carries the signature. */
    carrier: z.string().min(1),
    /** The identifier of what is signed: the carrier itself, or what its credential or envelope is about. */
    about: z.string().min(1),
    kind: z.enum(signatureKinds),
    /** The DID of the key, or the identity in a Sigstore certificate; null if it is not known. */
    signer: z.string().nullable(),
    /** `unknown`: it could not be checked. */
    result: z.enum(['ok', 'failed', 'unknown']),
    reason: z.string().nullable(),
    credentialId: z.string().nullable(),
    /** The JCS CID of the credential. */
    credentialCid: z.string().nullable(),
    validFrom: z.int().nullable(),
    validUntil: z.int().nullable(),
    /** The id of the credential, if this service issued it for a statement. */
    issued: z.string().nullable(),
    createdAt: z.int(),
  }),
  key: 'id',
  unique: { byIssued: ['issued'] },
  indexes: { byAbout: ['about', 'createdAt'], byCredentialCid: ['credentialCid'], byCarrier: ['carrier'] },
});

export type Signatures = RecordsOf<typeof signatures>;
export type Signature = Readonly<NonNullable<Awaited<ReturnType<Signatures['get']>>>>;

export function signatureId(carrier: string, about: string): string {
  return `${carrier} ${about}`;
}
