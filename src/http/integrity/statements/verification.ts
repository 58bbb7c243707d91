import { formQuery, statementParams, statementVerification } from '../../../contract/integrity/statements.ts';
import { checkAnswer, trustAnswer } from '../../../contract/sentences.ts';
import { anywhere } from '../../../domain/access/access.ts';
import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import { statementTime } from '../../../domain/integrity/identifiers/timestamp.ts';
import { checkOf } from '../../../domain/integrity/signatures/signatures.ts';
import {
  type KnownSignature,
  type StatementVerifying,
  verifyStatement,
} from '../../../domain/integrity/signatures/verification.ts';
import { readStatement, type StatementReading } from '../../../domain/integrity/statements/read-statement.ts';
import type { App } from '../../../platform/http/app.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { operation } from '../operation.ts';

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
      200: jsonAnswer('What is known about its signatures', statementVerification),
      404: errorAnswer('The statement does not exist'),
    },
    handle: async ({ answer, principal, params, query }) => {
      const statement = await readStatement(ports, principal.grants, params.id, query.jcs_cid);
      const verified = await verifyStatement(ports.statementVerifying, statement);
      return answer(200, {
        statement_id: cidUrn(statement.rdfcCid),
        jcs_cid: statement.jcsCid.text,
        registered_by: verified.registeredBy,
        trust: trustAnswer(verified.trust),
        registrant: checkAnswer(verified.registrant),
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
    ...checkAnswer(checkOf(one)),
    is_registrant: one.isRegistrant,
    ...(one.credentialId !== null && { credential_id: one.credentialId }),
    ...(one.credentialCid !== null && { credential_cid: one.credentialCid }),
    ...(one.validFrom !== null && { valid_from: time(one.validFrom) }),
    ...(one.validUntil !== null && { valid_until: time(one.validUntil) }),
    ...(one.standing && { revoked: one.standing.revoked, suspended: one.standing.suspended }),
    stored_at: time(one.createdAt),
  };
}
