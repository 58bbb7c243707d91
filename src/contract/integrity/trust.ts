import { z } from 'zod';

export const trust = z
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
  .meta({ id: 'Trust' });

/** What stands behind a statement. */
export type TrustAnswer = z.output<typeof trust>;
