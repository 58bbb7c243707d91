import { type Credential, credentialKey } from '../credentials/credential-records.ts';
import { type CredentialVerification, entryChecks } from '../credentials/verify-credential.ts';
import type { Check, Reason, ReasonCode } from '../proofs/reasons.ts';
import { checkOf, type Signature } from '../signatures/signatures.ts';
import type { CredentialStanding } from '../signatures/trust.ts';

/** What is known of the status of a credential, from good to bad. `none`: nobody can withdraw it. */
const codes = ['none', 'good', 'unknown', 'suspended', 'revoked'] as const;
type StandingCode = (typeof codes)[number];

type Known =
  | { readonly code: Exclude<StandingCode, 'unknown'> }
  /** With why it is unknown. */
  | { readonly code: 'unknown'; readonly reason: Reason };

/** Numbers of credentials by what is known of their status. */
export interface CredentialCounts extends Readonly<Record<StandingCode, number>> {
  /** Why the status is unknown, with the number of credentials, the most frequent first. */
  readonly reasons: readonly { readonly reason: Reason; readonly credentials: number }[];
}

export const noCredentials = { none: 0, good: 0, unknown: 0, suspended: 0, revoked: 0, reasons: [] };

/**
 * The standings of the credentials in a manifest. Only a credential whose proof is by its issuer says where its status
 * is. If an issuer has signed several with one id, the worst standing counts for all of them.
 */
export class CredentialStandings {
  readonly #ports: Pick<CredentialVerification, 'statusCheck'>;
  readonly #known = new Map<string, Known>();

  constructor(ports: Pick<CredentialVerification, 'statusCheck'>) {
    this.#ports = ports;
  }

  async note(signature: Signature, credential: Credential): Promise<void> {
    const check = checkOf(signature);
    if (check.result === 'ok') this.#keep(signature, standingOf(await entryChecks(this.#ports, credential)));
    // Somebody may have withdrawn it, but its own words do not count.
    else if (check.result === 'unknown' && credential.credentialStatus !== undefined)
      this.#keep(signature, { code: 'unknown', reason: check.reason });
  }

  of(signature: Signature): CredentialStanding | undefined {
    const known = signature.result === 'ok' ? this.#known.get(keyOf(signature)) : undefined;
    if (!known || known.code === 'none') return undefined;
    return {
      revoked: known.code === 'revoked',
      suspended: known.code === 'suspended',
      ...(known.code === 'unknown' && { unknown: known.reason }),
    };
  }

  get counts(): CredentialCounts {
    const known = [...this.#known.values()];
    const unknown = known.flatMap((one) => (one.code === 'unknown' ? one.reason : []));
    const alike = Map.groupBy(unknown, (reason) => JSON.stringify(reason));
    const reasons = [...alike.values()].flatMap(([reason, ...others]) =>
      reason ? { reason, credentials: others.length + 1 } : [],
    );
    const counts = codes.map((code) => [code, known.filter((one) => one.code === code).length]);
    return {
      ...(Object.fromEntries(counts) as Record<StandingCode, number>),
      reasons: reasons.toSorted((one, other) => other.credentials - one.credentials),
    };
  }

  #keep(signature: Signature, known: Known): void {
    const key = keyOf(signature);
    const before = this.#known.get(key);
    if (!before || codes.indexOf(known.code) > codes.indexOf(before.code)) this.#known.set(key, known);
  }
}

/** An id alone would let anybody speak about the credential of somebody else. */
function keyOf({ result, signer, credentialId, credentialCid }: Signature): string {
  return result === 'ok' && credentialId !== null
    ? `${signer} ${credentialKey(credentialId)}`
    : String(credentialCid);
}

function standingOf(checks: readonly Check[]): Known {
  if (checks.length === 0) return { code: 'none' };
  const has = (wanted: ReasonCode) => checks.some(({ reason }) => reason?.code === wanted);
  if (has('revoked')) return { code: 'revoked' };
  if (has('suspended')) return { code: 'suspended' };
  const bad = checks.find((check) => check.result !== 'ok');
  return bad ? { code: 'unknown', reason: bad.reason } : { code: 'good' };
}
