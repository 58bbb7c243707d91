import { z } from 'zod';
import { signatureKinds } from '../domain/integrity/signatures/signatures.ts';
import { trust } from './trust.ts';
import { cidText } from './values.ts';

export const result = z
  .enum(['ok', 'failed', 'unknown'])
  .describe('unknown: it cannot be checked; reason says why');

export const reason = z.string().optional().describe('A sentence, unless the result is ok');

export const statementVerification = z
  .object({
    statement_id: z.string(),
    jcs_cid: cidText,
    registered_by: z.string().nullable(),
    trust,
    registrant: z.object({ result, reason }).describe('Whether the DID in registeredBy signed the statement'),
    signatures: z
      .array(
        z.object({
          kind: z
            .enum(signatureKinds)
            .describe(
              'proof: in the statement itself. Others: about it, carried by a CredentialRegistration',
            ),
          carried_by: cidText.describe('The jcs_cid of the statement that carries the signature'),
          signer: z.string().nullable().describe('The DID of the key, or the identity in the certificate'),
          result,
          reason,
          is_registrant: z.boolean().describe('Whether the signer is the DID in registeredBy'),
          credential_id: z.string().optional(),
          credential_cid: cidText.optional(),
          valid_from: z.iso.datetime().optional(),
          valid_until: z.iso.datetime().optional(),
          revoked: z.boolean().optional().describe('If this service keeps the status of the credential'),
          suspended: z.boolean().optional(),
          stored_at: z.iso.datetime(),
        }),
      )
      .describe('At most 100'),
  })
  .meta({ id: 'StatementVerification' });

export type StatementVerificationAnswer = z.output<typeof statementVerification>;
