import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { isInOwnContext } from '../contexts/own.ts';
import { cidUrn } from '../identifiers/cid.ts';
import type { StatementRow } from '../ports.ts';

/** Each stored retraction, once for each authority that it may have. */
export const retractions = collection('retractions', {
  shape: z.object({
    /** The id of the retraction, and the DID or the registrar that it speaks for. */
    id: z.string().min(1),
    /** The `jcs_cid` of its form that was stored first. */
    carrier: z.string().min(1),
    /** The id of the retraction, with `urn:cid:`. */
    retraction: z.string().min(1),
    /** The id of the statement that it withdraws. */
    subject: z.string().min(1),
    /** The DID in `registeredBy` of the retraction. */
    registeredBy: z.string().min(1),
    /** Who retracts: the same DID, or a registrar. */
    authority: z.string().min(1),
    /** The subject once the authority is proven, because the DID has signed the retraction. Null until then. */
    withdrawn: z.string().min(1).nullable(),
    reason: z.string().nullable(),
    /** Milliseconds since 1970, from the `timestamp` of the retraction. */
    time: z.int().nullable(),
    createdAt: z.int(),
  }),
  key: 'id',
  indexes: { byWithdrawn: ['withdrawn', 'authority', 'createdAt'], byRetraction: ['retraction'] },
});

export type Retractions = RecordsOf<typeof retractions>;
export type RetractionRecord = Readonly<NonNullable<Awaited<ReturnType<Retractions['get']>>>>;

export const retractionKind = 'RetractionRegistration';
const reasonLength = 2_000;

/** What a statement withdraws. */
export type Withdrawal = Pick<
  RetractionRecord,
  'carrier' | 'retraction' | 'subject' | 'registeredBy' | 'reason' | 'time'
>;

/** What a row withdraws; undefined if it is no retraction in the own context. */
export function withdrawalOf(
  row: Pick<StatementRow, 'jcsCid' | 'rdfcCid' | 'kind' | 'jcs' | 'references' | 'time' | 'isTrusted'>,
): Withdrawal | undefined {
  if (row.kind !== retractionKind || !row.isTrusted) return undefined;
  if (!isInOwnContext(row)) return undefined;
  const { jcs, references, jcsCid, rdfcCid, time } = row;
  const [subject, registeredBy] = ['subject', 'registeredBy'].map(
    (role) => references.find((reference) => reference.role === role)?.identifier,
  );
  if (subject === undefined || registeredBy === undefined) return undefined;
  const document = JSON.parse(Buffer.from(jcs.buffer, jcs.byteOffset, jcs.byteLength).toString());
  const reason = typeof document.reason === 'string' ? document.reason.slice(0, reasonLength) : null;
  const [carrier, retraction] = [jcsCid.text, cidUrn(rdfcCid)];
  return { carrier, retraction, subject, registeredBy, reason: reason || null, time };
}

export function retractionId({ retraction }: Pick<Withdrawal, 'retraction'>, authority: string): string {
  return `${retraction} ${authority}`;
}

/** The record of the same retraction for whoever registered it. */
export function registered(claimed: RetractionRecord, registrar: string): RetractionRecord {
  const id = retractionId(claimed, registrar);
  return { ...claimed, id, authority: registrar, withdrawn: claimed.subject };
}

/** The record of what a row withdraws, before anybody has proven who it is by. */
export function claimedRetraction(row: StatementRow, createdAt: number): RetractionRecord | undefined {
  const found = withdrawalOf(row);
  if (!found) return undefined;
  const { registeredBy: authority } = found;
  return { ...found, id: retractionId(found, authority), authority, withdrawn: null, createdAt };
}
