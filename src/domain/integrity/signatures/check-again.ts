import { everythingVisible } from '../../access/visibility.ts';
import { eachRecord } from '../../collections/records.ts';
import { parseCid } from '../identifiers/cid.ts';
import type { StatementStore } from '../ports.ts';
import { checkSignatures, type SignatureVerifying } from './check.ts';
import { keepSignatures, type Signature, type Signatures } from './signatures.ts';

export interface CheckingAgain {
  readonly signatures: Pick<Signatures, 'page' | 'insert' | 'update' | 'remove'>;
  readonly statements: Pick<StatementStore, 'byJcsCid'>;
  readonly verifying: SignatureVerifying;
}

const reportedEvery = 100;
/** The others depend on keys and roots that the operator may have taken away since. */
const checkedKinds: ReadonlySet<Signature['kind']> = new Set(['proof', 'credential']);

/**
 * Checks the proofs of all stored statements again, by the rules of this version. Those that this service has made need no
 * check.
 * @returns how many are checked, from time to time.
 */
export async function* checkSignaturesAgain({
  signatures,
  statements,
  verifying,
}: CheckingAgain): AsyncGenerator<number> {
  let done = 0;
  for await (const { id, carrier, kind, rank } of eachRecord(signatures, 'key', [])) {
    const isOwn = kind === 'credential' && rank === 0;
    if (isOwn || !checkedKinds.has(kind)) continue;
    const statement = await statements.byJcsCid(parseCid(carrier), everythingVisible);
    if (!statement) continue;
    const found = await checkSignatures(verifying, [statement]);
    await keepSignatures(signatures, found);
    if (!found.some((signature) => signature.id === id)) await signatures.remove(id, { issued: null });
    done += 1;
    if (done % reportedEvery === 0) yield done;
  }
}
