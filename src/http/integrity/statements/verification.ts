import { z } from '@hono/zod-openapi';
import { cidText } from '../../../contract/values.ts';
import { anywhere } from '../../../domain/access/access.ts';
import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import { statementTime } from '../../../domain/integrity/identifiers/timestamp.ts';
import { signatureKinds } from '../../../domain/integrity/signatures/signatures.ts';
import {
  type KnownSignature,
  type StatementVerifying,
  verifyStatement,
} from '../../../domain/integrity/signatures/verification.ts';
import { readStatement, type StatementReading } from '../../../domain/integrity/statements/read-statement.ts';
import type { App } from '../../../platform/http/app.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { operation } from '../operation.ts';
import { formQuery, statementParams } from './statement-parameters.ts';
import { trustJson, trustSchema } from './trust.ts';

const result = z.enum(['ok', 'failed', 'unknown']).describe('unknown: it cannot be checked; reason says why');
const reason = z.string().optional().describe('A sentence, unless the result is ok');

const verification = z
  .object({
    statement_id: z.string(),
    jcs_cid: cidText,
    registered_by: z.string().nullable(),
    trust: trustSchema,
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
  .openapi('StatementVerification');

export type VerificationRoutes = StatementReading & { readonly statementVerifying: StatementVerifying };

export function verificationRoutes(app: App, ports: VerificationRoutes): void {
  operation(app, 'GET /statements/v1/id/{id}/verification', {
    access: anywhere('view_project_data'),
    tag: 'Statements',
    summary: 'See who signed a statement, and whether that holds now',
    description:
      'Checks the signatures inside the statement again, and lists those about it with the current status of their credentials.',
    params: statementParams,
    query: formQuery,
    answers: {
      200: jsonAnswer('What is known about its signatures', verification),
      404: errorAnswer('The statement does not exist'),
    },
    handle: async ({ answer, principal, params, query }) => {
      const statement = await readStatement(ports, principal.grants, params.id, query.jcs_cid);
      const verified = await verifyStatement(ports.statementVerifying, statement);
      return answer(200, {
        statement_id: cidUrn(statement.rdfcCid),
        jcs_cid: statement.jcsCid.text,
        registered_by: verified.registeredBy,
        trust: trustJson(verified.trust),
        registrant: verified.registrant,
        signatures: verified.signatures.map(signatureJson),
      });
    },
  });
}

function signatureJson(one: KnownSignature) {
  const time = (at: number) => statementTime(new Date(at));
  return {
    kind: one.kind,
    carried_by: one.carrier,
    signer: one.signer,
    result: one.result,
    ...(one.reason !== null && { reason: one.reason }),
    is_registrant: one.isRegistrant,
    ...(one.credentialId !== null && { credential_id: one.credentialId }),
    ...(one.credentialCid !== null && { credential_cid: one.credentialCid }),
    ...(one.validFrom !== null && { valid_from: time(one.validFrom) }),
    ...(one.validUntil !== null && { valid_until: time(one.validUntil) }),
    ...one.standing,
    stored_at: time(one.createdAt),
  };
}
