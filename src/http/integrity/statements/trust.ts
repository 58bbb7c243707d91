import type { z } from 'zod';
import type { trust } from '../../../contract/integrity/trust.ts';
import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import { statementTime } from '../../../domain/integrity/identifiers/timestamp.ts';
import type { StoredStatement } from '../../../domain/integrity/ports.ts';
import {
  type Claim,
  claimed,
  type Trust,
  type TrustReader,
} from '../../../domain/integrity/signatures/trust.ts';

export function trustJson({
  isRegistrant,
  isValid,
  retraction,
  ...rest
}: Trust = claimed): z.output<typeof trust> {
  return {
    ...rest,
    ...(isRegistrant !== undefined && { by_registrant: isRegistrant }),
    ...(isValid !== undefined && { valid: isValid }),
    ...(retraction && { retraction: retractionJson(retraction) }),
  };
}

function retractionJson({ statement, time, isSigned }: NonNullable<Trust['retraction']>) {
  const timestamp = time === null ? {} : { timestamp: statementTime(new Date(time)) };
  return { statement, ...timestamp, signed: isSigned };
}

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
