import { clockSkewMs, statementTime } from '../identifiers/timestamp.ts';
import { type Claim, type ProvenPorts, provenAbout } from './proven.ts';
import type { Signature } from './signatures.ts';

export type { Claim };

/** What stands behind a statement: nothing but its own words, or a signature. */
export interface Trust {
  readonly state: 'claimed' | 'signed' | 'revoked';
  /** The DID or identity that signed it. */
  readonly by?: string;
  /** Whether the signer is the DID in `registeredBy`. */
  readonly isRegistrant?: boolean;
  /** Whether the signature counts now. */
  readonly isValid?: boolean;
  /** Why it does not count now. */
  readonly reason?: string;
}

export interface CredentialStanding {
  readonly revoked: boolean;
  readonly suspended: boolean;
}

export interface TrustPorts extends ProvenPorts {
  /** The credentials of these signatures whose status is known here, by `credentialCid`. */
  readonly standings: (signatures: readonly Signature[]) => Promise<ReadonlyMap<string, CredentialStanding>>;
  readonly now: () => Date;
}

/** The trust in each statement, by id. @throws ServiceError `unavailable`. */
export type TrustReader = (claims: readonly Claim[]) => Promise<ReadonlyMap<string, Trust>>;

export const claimed: Trust = { state: 'claimed' };

/**
 * The trust in each statement, by id. A signature by the registrant comes before one by this service, and that one
 * before those of others. Among signatures of one rank, a valid one wins.
 */
export async function trustIn(
  ports: TrustPorts,
  claims: readonly Claim[],
): Promise<ReadonlyMap<string, Trust>> {
  const found = await provenAbout(ports, claims);
  const standings = await ports.standings(found.flat());
  const now = ports.now().getTime();
  return new Map(
    claims.map((claim, at) => {
      const ranked = (found[at] ?? [])
        .filter(({ result }) => result === 'ok')
        .map((signature) => ({
          rank: rankOf(signature, claim, ports.ownDids),
          trust: trustFrom(signature, claim, standings, now),
        }))
        .sort((one, other) => one.rank - other.rank || weight(one.trust) - weight(other.trust));
      return [claim.id, ranked[0]?.trust ?? claimed];
    }),
  );
}

function rankOf({ signer }: Signature, { registeredBy }: Claim, ownDids: ReadonlySet<string>): number {
  if (signer !== null && signer === registeredBy) return 0;
  return signer !== null && ownDids.has(signer) ? 1 : 2;
}

function weight({ state, isValid }: Trust): number {
  if (isValid) return 0;
  return state === 'signed' ? 1 : 2;
}

function trustFrom(
  { signer, validFrom, validUntil, credentialCid }: Signature,
  { registeredBy }: Claim,
  standings: ReadonlyMap<string, CredentialStanding>,
  now: number,
): Trust {
  const by = { ...(signer !== null && { by: signer, isRegistrant: signer === registeredBy }) };
  const standing = credentialCid === null ? undefined : standings.get(credentialCid);
  if (standing?.revoked)
    return { state: 'revoked', ...by, isValid: false, reason: 'The credential is revoked.' };
  const reason = standing?.suspended
    ? 'The credential is suspended.'
    : outOfDate({ validFrom, validUntil }, now);
  return { state: 'signed', ...by, isValid: reason === undefined, ...(reason !== undefined && { reason }) };
}

function outOfDate(
  { validFrom, validUntil }: Pick<Signature, 'validFrom' | 'validUntil'>,
  now: number,
): string | undefined {
  if (validFrom !== null && now + clockSkewMs < validFrom)
    return `The credential is not valid before ${statementTime(new Date(validFrom))}.`;
  if (validUntil !== null && now > validUntil)
    return `The credential expired at ${statementTime(new Date(validUntil))}.`;
  return undefined;
}
