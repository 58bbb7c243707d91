import type { Standing } from '../credentials/status.ts';
import { clockSkewMs, statementTime } from '../identifiers/timestamp.ts';
import type { Reason } from '../proofs/reasons.ts';
import { type Retraction, type RetractionPorts, retractionsOf } from '../retractions/effective.ts';
import { type Claim, provenAbout } from './proven.ts';
import type { Signature } from './signatures.ts';

export type { Claim };

/** What stands behind a statement: nothing but its own words, or a signature; or that it was withdrawn. */
export interface Trust {
  readonly state: 'claimed' | 'signed' | 'revoked' | 'retracted';
  /** The DID or identity that signed it, or that has retracted it. */
  readonly by?: string;
  /** Whether this is the DID in `registeredBy`. */
  readonly isRegistrant?: boolean;
  /** Whether the signature counts now. */
  readonly isValid?: boolean;
  /** Why the signature does not count now. */
  readonly reason?: Reason;
  /** Why nobody knows whether the credential was withdrawn. */
  readonly unknownStatus?: Reason;
  /** The retraction that withdraws it. */
  readonly retraction?: Omit<Retraction, 'by'>;
}

export interface CredentialStanding extends Standing {
  /** Why neither is known. */
  readonly unknown?: Reason;
}

export interface TrustPorts extends Omit<RetractionPorts, 'isHeld'> {
  /** The credentials of these signatures whose status is known here, by `credentialCid`. */
  readonly standings: (signatures: readonly Signature[]) => Promise<ReadonlyMap<string, CredentialStanding>>;
  readonly now: () => Date;
}

/** The trust in each statement, by id. @throws ServiceError `unavailable`. */
export type TrustReader = (claims: readonly Claim[]) => Promise<ReadonlyMap<string, Trust>>;

/** Which of these statements are retracted, by id. @throws ServiceError `unavailable`. */
export type RetractedReader = (claims: readonly Claim[]) => Promise<ReadonlySet<string>>;

export const claimed: Trust = { state: 'claimed' };

/**
 * The trust in each statement, by id. A retraction that counts comes before everything. A signature by the registrant comes
 * before one by this service, and that one before those of others. Among signatures of one rank, a valid one wins.
 */
export async function trustIn(
  ports: TrustPorts,
  claims: readonly Claim[],
): Promise<ReadonlyMap<string, Trust>> {
  const [found, retracted] = await Promise.all([provenAbout(ports, claims), retractionsIn(ports, claims)]);
  const standings = await ports.standings(found.flat());
  const now = ports.now().getTime();
  return new Map(
    claims.map((claim, at) => {
      const retraction = retracted.get(claim.id);
      if (retraction) return [claim.id, trustInRetracted(retraction, claim)];
      const ranked = (found[at] ?? [])
        .filter(({ result }) => result === 'ok')
        .map((signature) => ({
          rank: rankOf(signature, claim, ports),
          trust: trustFrom(signature, claim, standings, now),
        }))
        .sort((one, other) => one.rank - other.rank || weight(one.trust) - weight(other.trust));
      return [claim.id, ranked[0]?.trust ?? claimed];
    }),
  );
}

/** The retraction of each of these statements that is retracted, by id. */
export async function retractionsIn(
  ports: TrustPorts,
  claims: readonly Claim[],
): Promise<ReadonlyMap<string, Retraction>> {
  return await retractionsOf({ ...ports, isHeld: (signed) => isHeld(ports, signed) }, claims);
}

/** As `RetractedReader`. */
export async function retractedAmong(
  ports: TrustPorts,
  claims: readonly Claim[],
): Promise<ReadonlySet<string>> {
  return new Set((await retractionsIn(ports, claims)).keys());
}

async function isHeld({ standings }: TrustPorts, signatures: readonly Signature[]): Promise<boolean> {
  const known = await standings(signatures);
  return signatures.some(({ credentialCid }) => !known.get(credentialCid ?? '')?.revoked);
}

function trustInRetracted({ by, ...retraction }: Retraction, { registeredBy }: Claim): Trust {
  const isRegistrant = retraction.isSigned && by === registeredBy;
  return { state: 'retracted', by, isRegistrant, isValid: false, retraction };
}

function rankOf(
  { signer }: Signature,
  { registeredBy }: Claim,
  { ownDids, knownDids }: Pick<TrustPorts, 'ownDids' | 'knownDids'>,
): number {
  if (signer === null) return 2;
  const rank = signer === registeredBy ? 0 : ownDids.has(signer) ? 1 : 2;
  return knownDids?.has(signer) ? rank - 3 : rank;
}

function weight({ state, isValid, unknownStatus }: Trust): number {
  if (isValid) return unknownStatus === undefined ? 0 : 1;
  return state === 'signed' ? 2 : 3;
}

function trustFrom(
  { signer, validFrom, validUntil, credentialCid }: Signature,
  { registeredBy }: Claim,
  standings: ReadonlyMap<string, CredentialStanding>,
  now: number,
): Trust {
  const by = { ...(signer !== null && { by: signer, isRegistrant: signer === registeredBy }) };
  const standing = credentialCid === null ? undefined : standings.get(credentialCid);
  if (standing?.revoked) return { state: 'revoked', ...by, isValid: false, reason: { code: 'revoked' } };
  const suspended = { code: 'suspended' } as const;
  const reason = standing?.suspended ? suspended : outOfDate({ validFrom, validUntil }, now);
  return {
    state: 'signed',
    ...by,
    isValid: reason === undefined,
    ...(reason !== undefined && { reason }),
    ...(standing?.unknown !== undefined && { unknownStatus: standing.unknown }),
  };
}

export function outOfDate(
  { validFrom, validUntil }: Pick<Signature, 'validFrom' | 'validUntil'>,
  now: number,
): Reason | undefined {
  if (validFrom !== null && now + clockSkewMs < validFrom)
    return { code: 'not_yet_valid', from: statementTime(new Date(validFrom)) };
  if (validUntil !== null && now > validUntil)
    return { code: 'expired', at: statementTime(new Date(validUntil)) };
  return undefined;
}
