import { z } from '@hono/zod-openapi';
import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import { statementTime } from '../../../domain/integrity/identifiers/timestamp.ts';
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
      .enum(['claimed', 'signed', 'revoked', 'retracted'])
      .describe(
        'claimed: nothing but the statement itself says so. signed: a signature was checked. revoked: its credential was revoked. retracted: whoever made it has withdrawn it',
      ),
    by: z.string().optional().describe('The DID or identity that signed it, or that retracted it'),
    by_registrant: z.boolean().optional().describe('Whether it is the DID in registeredBy'),
    valid: z.boolean().optional().describe('Whether the signature counts now'),
    reason: z.string().optional().describe('Why it does not count now. Of a retraction it is the text in it'),
    retraction: z
      .object({
        statement: z.string().describe('The id of the retraction'),
        timestamp: z.iso.datetime().optional().describe('When it was retracted, in UTC'),
        signed: z
          .boolean()
          .describe(
            'Whether the DID in by has signed the retraction. If not, whoever registered the statement has registered it too',
          ),
      })
      .optional(),
  })
  .openapi('Trust');

export function trustJson({
  isRegistrant,
  isValid,
  retraction,
  ...rest
}: Trust = claimed): z.output<typeof trustSchema> {
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
