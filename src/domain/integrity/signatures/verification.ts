import { unknown } from '../credentials/verify-credential.ts';
import type { StoredStatement } from '../ports.ts';
import type { Check } from '../proofs/reasons.ts';
import { keepChecked, type SignatureKeeping } from '../retractions/keep.ts';
import { checkSignatures, type SignatureVerifying } from './check.ts';
import { claimOf, signaturesAbout } from './proven.ts';
import { checkOf, type Signature, type Signatures } from './signatures.ts';
import { type CredentialStanding, claimed, type Trust, type TrustPorts, trustIn } from './trust.ts';

export interface StatementVerifying extends TrustPorts {
  readonly signatures: Pick<Signatures, 'among' | 'insert' | 'update'>;
  readonly retractions: SignatureKeeping['retractions'];
  readonly verifying: SignatureVerifying;
}

export interface KnownSignature extends Signature {
  readonly isRegistrant: boolean;
  /** If the credential has status entries of this service. */
  readonly standing?: CredentialStanding;
}

export interface StatementVerification {
  readonly registeredBy: string | null;
  readonly trust: Trust;
  /** Whether the DID in `registeredBy` signed the statement. */
  readonly registrant: Check;
  /** The signatures in the statement and those about it: by this service first, then the oldest. */
  readonly signatures: readonly KnownSignature[];
}

const signaturesShown = 100;

/** Who signed a statement, and whether that holds now. The signatures inside the statement are checked again. */
export async function verifyStatement(
  ports: StatementVerifying,
  statement: StoredStatement,
): Promise<StatementVerification> {
  const claim = claimOf(statement);
  const { id, registeredBy } = claim;
  await keepChecked(ports, await checkSignatures(ports.verifying, [statement]));
  const [known = []] = await signaturesAbout(ports, [claim], signaturesShown);
  const standings = await ports.standings(known);
  const signatures = known.map((signature): KnownSignature => {
    const standing = standings.get(signature.credentialCid ?? '');
    return { ...signature, isRegistrant: signature.signer === registeredBy, ...(standing && { standing }) };
  });
  const trust = (await trustIn(ports, [claim])).get(id) ?? claimed;
  const registrant = registrantCheck(registeredBy, signatures);
  return { registeredBy: registeredBy ?? null, trust, registrant, signatures };
}

function registrantCheck(
  registeredBy: string | undefined,
  signatures: readonly KnownSignature[],
): StatementVerification['registrant'] {
  if (registeredBy === undefined) return unknown({ code: 'no_registrant' });
  const own = signatures.filter(({ isRegistrant }) => isRegistrant);
  if (own.some(({ result }) => result === 'ok')) return { result: 'ok' };
  const [bad] = own;
  if (bad) return checkOf(bad);
  const [other] = signatures.filter(({ result }) => result === 'ok');
  return unknown({ code: 'not_by_registrant', registrant: registeredBy, signer: other?.signer ?? null });
}
