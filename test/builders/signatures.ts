import { offlineSignatures } from '../../src/cli/commands/verify/offline-signatures.ts';
import type { Identifier } from '../../src/domain/integrity/ports.ts';

/** Checks signatures without status lists. */
export async function signatureChecks(identifier: Pick<Identifier, 'nquads'>) {
  return await offlineSignatures(identifier, { statusList: [], statusIssuer: [] });
}
