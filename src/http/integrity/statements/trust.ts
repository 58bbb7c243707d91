import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import type { StoredStatement } from '../../../domain/integrity/ports.ts';
import type { Claim, Trust, TrustReader } from '../../../domain/integrity/signatures/trust.ts';

/** The trust in stored statements, by id. */
export async function trustInStored(
  trust: TrustReader,
  statements: readonly Pick<StoredStatement, 'rdfcCid' | 'references'>[],
): Promise<ReadonlyMap<string, Trust>> {
  const claims = statements.map(
    ({ rdfcCid, references }): Claim => ({
      id: cidUrn(rdfcCid),
      registeredBy: references.find(({ role }) => role === 'registeredBy')?.identifier,
    }),
  );
  return await trust(claims);
}
