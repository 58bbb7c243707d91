import { callerKey, type Principal } from '../../access/access.ts';
import { sha256Digest } from '../identifiers/hashing.ts';
import type { StatementRow } from '../ports.ts';
import { keepSignatures, type Signature, type Signatures } from '../signatures/signatures.ts';
import { rowsOfKind } from '../statements/packed-rows.ts';
import {
  claimedRetraction,
  type RetractionRecord,
  type Retractions,
  registered,
  retractionId,
  retractionKind,
} from './retraction-records.ts';

export interface RetractionKeeping {
  readonly retractions: Pick<Retractions, 'insert' | 'update' | 'among'>;
  readonly signatures: Pick<Signatures, 'among'>;
  readonly now: () => Date;
}

const recordsAtOnce = 500;

/**
 * Stores what these rows withdraw, after the rows. A retraction and its signature look for each other after they are
 * stored themselves, so whichever comes second finds the first.
 * @param registrar who stores them; null if nobody may retract in that name.
 */
export async function keepRetractions(
  { retractions, signatures, now }: RetractionKeeping,
  rows: Iterable<StatementRow>,
  registrar: string | null,
): Promise<void> {
  const claimed = (row: StatementRow) => claimedRetraction(row, now().getTime());
  const records = Array.from(rowsOfKind(rows, retractionKind), claimed).filter((one) => one !== undefined);
  for (let at = 0; at < records.length; at += recordsAtOnce) {
    const group = records.slice(at, at + recordsAtOnce);
    await retractions.insert(
      registrar === null ? group : [...group, ...group.map((one) => registered(one, registrar))],
    );
    for (const { id, subject } of await signedAmong(signatures, group))
      await retractions.update(id, {}, { withdrawn: subject });
  }
}

/** Those whose signature by the DID in their `registeredBy` is stored. */
async function signedAmong(signatures: Pick<Signatures, 'among'>, records: readonly RetractionRecord[]) {
  const signed: RetractionRecord[] = [];
  for (const [signer, byOne] of Map.groupBy(records, ({ registeredBy }) => registeredBy)) {
    const ids = byOne.map(({ retraction }) => retraction);
    const found = await signatures.among('byProof', ids, 1, ['ok', signer]);
    signed.push(...byOne.filter((_, at) => found[at]?.length));
  }
  return signed;
}

/** The records of stored rows, as `keepRetractions` and `keepChecked` leave them. */
export async function retractionsIn(
  signatures: Pick<Signatures, 'among'>,
  stored: readonly { readonly row: StatementRow; readonly registrar: string | null }[],
  createdAt: number,
): Promise<RetractionRecord[]> {
  const claims = stored.flatMap(({ row, registrar }) => {
    const claim = claimedRetraction(row, createdAt);
    return claim ? [{ claim, registrar }] : [];
  });
  const all = claims.map(({ claim }) => claim);
  const signed = new Set(await signedAmong(signatures, all));
  return claims.flatMap(({ claim, registrar }) => [
    signed.has(claim) ? { ...claim, withdrawn: claim.subject } : claim,
    ...(registrar === null ? [] : [registered(claim, registrar)]),
  ]);
}

export interface SignatureKeeping extends Pick<RetractionKeeping, 'retractions'> {
  readonly signatures: Pick<Signatures, 'insert' | 'update' | 'among'>;
}

/** Stores the results of checks, and which retractions they prove. */
export async function keepChecked(
  { signatures, retractions }: SignatureKeeping,
  checked: readonly Signature[],
): Promise<void> {
  if (checked.length === 0) return;
  await keepSignatures(signatures, checked);
  const holding = checked.filter(({ result, signer }) => result === 'ok' && signer !== null);
  for (let at = 0; at < holding.length; at += recordsAtOnce) {
    const group = holding.slice(at, at + recordsAtOnce);
    const ids = group.map(({ about, signer }) => retractionId({ retraction: about }, signer ?? ''));
    const found = await retractions.among('key', ids, 1);
    for (const { id, subject } of found.flat()) await retractions.update(id, {}, { withdrawn: subject });
  }
}

/**
 * A name for a principal who registers statements in a project (null: in no graph). A hash, because it is kept with
 * statements. It is no DID, so it never looks like a signer.
 */
export function registrarKey(
  principal: Pick<Principal, 'issuer' | 'subject'>,
  projectId: string | null,
): string {
  const text = JSON.stringify([callerKey(principal), projectId]);
  const hash = Buffer.from(sha256Digest(Buffer.from(text))).subarray(0, 16);
  return `registrar:${hash.toString('base64url')}`;
}
