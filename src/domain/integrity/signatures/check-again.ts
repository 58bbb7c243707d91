import { everythingVisible } from '../../access/visibility.ts';
import { type UpgradeProgress, upgradePages } from '../../maintenance/upgrades/upgrades.ts';
import { parseCid } from '../identifiers/cid.ts';
import type { StatementStore } from '../ports.ts';
import { keepChecked, type SignatureKeeping } from '../retractions/keep.ts';
import { checkSignatures, type SignatureVerifying } from './check.ts';
import type { Signature, Signatures } from './signatures.ts';

export interface CheckingAgain extends Pick<SignatureKeeping, 'retractions'> {
  readonly signatures: Pick<Signatures, 'page' | 'among' | 'insert' | 'update' | 'remove'>;
  readonly statements: Pick<StatementStore, 'byJcsCid'>;
  readonly verifying: SignatureVerifying;
}

const checkedAtOnce = 500;
/** The others depend on keys and roots that the operator may have taken away since. */
const checkedKinds: ReadonlySet<Signature['kind']> = new Set(['proof', 'credential']);

/**
 * Checks the proofs of all stored statements again, by the rules of this version. Those that this service has made need no
 * check.
 * @param position of the page after which it goes on.
 */
export function checkSignaturesAgain(
  ports: CheckingAgain,
  position: string | null,
): AsyncGenerator<UpgradeProgress> {
  return upgradePages(
    (after) => ports.signatures.page('key', [], { after, limit: checkedAtOnce }),
    async (signatures) => {
      for (const signature of signatures) await checkAgain(ports, signature);
    },
    position,
  );
}

async function checkAgain(
  { signatures, retractions, statements, verifying }: CheckingAgain,
  { id, carrier, kind, rank }: Signature,
): Promise<void> {
  const isOwn = kind === 'credential' && rank === 0;
  if (isOwn || !checkedKinds.has(kind)) return;
  const statement = await statements.byJcsCid(parseCid(carrier), everythingVisible);
  if (!statement) return;
  const found = await checkSignatures(verifying, [statement]);
  await keepChecked({ signatures, retractions }, found);
  if (!found.some((signature) => signature.id === id)) await signatures.remove(id, { issued: null });
}
