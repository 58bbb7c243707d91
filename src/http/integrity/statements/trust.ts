import { z } from '@hono/zod-openapi';
import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import type { StoredStatement } from '../../../domain/integrity/ports.ts';
import {
  type Claim,
  claimed,
  type Trust,
  type TrustReader,
} from '../../../domain/integrity/signatures/trust.ts';

export const trustSchema = z
  .object({
    state: z
      .enum(['claimed', 'signed', 'revoked'])
      .describe(
        'claimed: nothing but the statement itself says so. signed: a signature was checked. revoked: its credential was revoked',
      ),
    by: z.string().optional().describe('The DID or identity that signed it'),
    by_registrant: z.boolean().optional().describe('Whether it is the DID in registeredBy'),
    valid: z.boolean().optional().describe('Whether the signature counts now'),
    reason: z.string().optional().describe('Why it does not count now'),
  })
  .openapi('Trust');

export function trustJson({ isRegistrant, isValid, ...rest }: Trust = claimed): z.output<typeof trustSchema> {
  return {
    ...rest,
    ...(isRegistrant !== undefined && { by_registrant: isRegistrant }),
    ...(isValid !== undefined && { valid: isValid }),
  };
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
