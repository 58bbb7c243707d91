import { statementTime } from '../../identifiers/timestamp.ts';
import { provenAbout } from '../../signatures/proven.ts';
import type { Signature } from '../../signatures/signatures.ts';
import { type Claim, type CredentialStanding, outOfDate, type TrustPorts } from '../../signatures/trust.ts';
import type { SignatureFact } from '../facts.ts';

/** Signatures about one thing, and whether others may be left out. */
export interface Signed {
  readonly signatures: readonly SignatureFact[];
  readonly isCut: boolean;
}

export const unsigned: Signed = { signatures: [], isCut: false };

/** Others may sign without end. Those of the registrant, the service and the signers of the policy are all here. */
const mostOfOthers = 20;
const claimsAtOnce = 500;

/** The signatures about each claim, by its id: those that verify, and those that nobody could check here. */
export async function signaturesAbout(
  ports: TrustPorts,
  claims: readonly Claim[],
): Promise<Map<string, Signed>> {
  const found = new Map<string, Signed>();
  for (let at = 0; at < claims.length; at += claimsAtOnce) {
    const some = claims.slice(at, at + claimsAtOnce);
    const ids = some.map(({ id }) => id);
    const [proven, unchecked] = await Promise.all([
      provenAbout(ports, some),
      ports.signatures.among('byProof', ids, mostOfOthers, ['unknown']),
    ]);
    const standings = await ports.standings(proven.flat());
    const now = ports.now().getTime();
    for (const [offset, claim] of some.entries()) {
      const ok = (proven[offset] ?? []).filter(({ result }) => result === 'ok');
      const open = (unchecked[offset] ?? []).filter(({ result }) => result === 'unknown');
      const facts = distinct([...ok, ...open]).map((one) => factOf(one, claim, standings, now));
      if (facts.length > 0)
        found.set(claim.id, {
          signatures: facts,
          isCut: ok.length >= mostOfOthers || open.length >= mostOfOthers,
        });
    }
  }
  return found;
}

/** A credential about several things, or about its own carrier too, is one signature of a claim. */
function distinct(signatures: readonly Signature[]): Signature[] {
  return [...new Map(signatures.map((one) => [`${one.carrier} ${one.kind} ${one.signer}`, one])).values()];
}

function factOf(
  signature: Signature,
  claim: Claim,
  standings: ReadonlyMap<string, CredentialStanding>,
  now: number,
): SignatureFact {
  const { kind, signer, identityIssuer, validFrom, carrier } = signature;
  const standing = signature.result === 'ok' ? standingOf(signature, standings, now) : undefined;
  return {
    kind,
    ...(signer !== null && { signer }),
    ...(identityIssuer && { issuer: identityIssuer }),
    ...(standing === undefined ? { unknown: { standing: 'standing_unknown' } } : { standing }),
    is_registrant: signer !== null && signer === claim.registeredBy,
    ...(validFrom !== null && { time: statementTime(new Date(validFrom)) }),
    statements: [...new Set([claim.id, `urn:cid:${carrier}`])],
  };
}

/** Undefined if nobody knows whether the credential was withdrawn. */
function standingOf(
  { validFrom, validUntil, credentialCid }: Signature,
  standings: ReadonlyMap<string, CredentialStanding>,
  now: number,
): SignatureFact['standing'] {
  const { revoked, suspended, unknown } = standings.get(credentialCid ?? '') ?? {};
  if (revoked) return 'revoked';
  if (suspended) return 'suspended';
  const reason = outOfDate({ validFrom, validUntil }, now);
  if (reason) return reason.code === 'expired' ? 'expired' : 'not_yet_valid';
  return unknown === undefined ? 'good' : undefined;
}

/** How a credential stands by its signatures: the best counts. */
export function bestStanding(signatures: readonly SignatureFact[]): string | undefined {
  if (signatures.length === 0) return 'unsigned';
  if (signatures.some(({ standing }) => standing === 'good')) return 'good';
  return signatures.some(({ standing }) => standing === undefined) ? undefined : signatures[0]?.standing;
}

/** The signers whose signatures stand. */
export function goodSigners(signatures: readonly SignatureFact[]): Set<string> {
  const good = signatures.filter(({ standing }) => standing === 'good');
  return new Set(good.flatMap(({ signer }) => signer ?? []));
}
