import pMap from 'p-map';
import type { Claim, ProvenPorts } from '../signatures/proven.ts';
import type { Signature } from '../signatures/signatures.ts';
import type { RetractionRecord, Retractions } from './retraction-records.ts';

/** A retraction that counts. */
export interface Retraction {
  /** The id of the retraction. */
  readonly statement: string;
  /** The DID in its `registeredBy`. */
  readonly by: string;
  /** Whether this DID has signed it. If not, whoever registered the statement has registered the retraction as well. */
  readonly isSigned: boolean;
  readonly reason: string | null;
  /** Milliseconds since 1970, as the retraction says. */
  readonly time: number | null;
}

export interface RetractionPorts extends ProvenPorts {
  readonly retractions: Pick<Retractions, 'among'>;
  /** Who registered a statement, as `registrarKey` names them; null if it is not known. @param id with `urn:cid:`. */
  readonly registrarOf: (id: string) => Promise<string | null>;
  /** The signatures inside a statement. @param id with `urn:cid:`. */
  readonly proofsIn: (id: string) => Promise<readonly Signature[]>;
  /** Whether any of these signatures still counts for its signer, because its credential is not revoked. */
  readonly isHeld: (signatures: readonly Signature[]) => Promise<boolean>;
}

/** The first retractions by one authority. Only its own can be more. */
const eachLooked = 5;
const signaturesLooked = 100;
const readAtOnce = 8;

/**
 * The retraction of each statement that is withdrawn. It counts in two cases:
 * - The DID in its `registeredBy` has signed it, and is in `registeredBy` of the statement or has signed the proof in it.
 * - The principal who stored the statement first has stored the retraction in the same project.
 *
 * Credentials of others about the statement give no authority over it, and neither do the DIDs of this service, which sign
 * for everybody. A retraction is final: a retraction of one has no effect. Reads once if none of the statements has a proven
 * retraction, however many strangers have stored.
 */
export async function retractionsOf(
  ports: RetractionPorts,
  claims: readonly Claim[],
): Promise<ReadonlyMap<string, Retraction>> {
  const { retractions } = ports;
  const ids = claims.map(({ id }) => id);
  const known = await retractions.among('byWithdrawn', ids, 1);
  const some = claims.filter((_, at) => known[at]?.length);
  if (some.length === 0) return new Map();
  const withdrawn = some.map(({ id }) => id);
  const finals = await retractions.among('byRetraction', withdrawn, 1);
  const open = some.filter((_, at) => finals[at]?.length === 0);
  const found = await pMap(open, async (claim) => [claim.id, await retractionOf(ports, claim)] as const, {
    concurrency: readAtOnce,
  });
  return new Map(found.flatMap(([id, one]) => (one ? [[id, one] as const] : [])));
}

async function retractionOf(ports: RetractionPorts, claim: Claim): Promise<Retraction | undefined> {
  for (const did of await authorsOf(ports, claim)) {
    const [candidates = []] = await ports.retractions.among('byWithdrawn', [claim.id], eachLooked, [did]);
    for (const record of candidates)
      if (await isSigned(ports, record, did)) return retractionFrom(record, { isSigned: true });
  }
  const registrar = await ports.registrarOf(claim.id);
  if (registrar === null) return undefined;
  const [[record] = []] = await ports.retractions.among('byWithdrawn', [claim.id], 1, [registrar]);
  return record && retractionFrom(record, { isSigned: false });
}

/** The DIDs that speak for a statement: its registrant, and those whose proof is a part of it. */
async function authorsOf({ proofsIn, ownDids }: RetractionPorts, claim: Claim): Promise<string[]> {
  const provers = (await proofsIn(claim.id))
    .filter(({ kind, result }) => kind === 'proof' && result === 'ok')
    .map(({ signer }) => signer);
  const all = new Set([claim.registeredBy, ...provers].filter((did) => typeof did === 'string'));
  return [...all.difference(ownDids)];
}

async function isSigned(ports: RetractionPorts, { retraction }: RetractionRecord, did: string) {
  const [found = []] = await ports.signatures.among('byProof', [retraction], signaturesLooked, ['ok', did]);
  // Whoever may ask this service for a credential would speak for it.
  const theirs = found.filter(
    ({ signer, result, issued }) => signer === did && result === 'ok' && issued === null,
  );
  return theirs.length > 0 && (await ports.isHeld(theirs));
}

function retractionFrom(
  { retraction, registeredBy, reason, time }: RetractionRecord,
  { isSigned }: Pick<Retraction, 'isSigned'>,
): Retraction {
  return { statement: retraction, by: registeredBy, isSigned, reason, time };
}
