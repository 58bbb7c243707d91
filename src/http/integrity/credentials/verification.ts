import { credentialToVerify, credentialVerification } from '../../../contract/integrity/credentials.ts';
import { checkAnswer } from '../../../contract/sentences.ts';
import { known } from '../../../domain/access/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import {
  type CredentialVerification,
  verifyCredential,
} from '../../../domain/integrity/credentials/verify-credential.ts';
import { isObject } from '../../../domain/json/is-object.ts';
import type { App } from '../../../platform/http/app.ts';
import { jsonAnswer } from '../../answers.ts';
import type { JsonLimits } from '../../parsed-request.ts';
import { operation } from '../operation.ts';
import { credentialBody } from './credential-body.ts';
import { credentialTag } from './credentials.ts';

export interface VerificationRoutes {
  readonly verification: CredentialVerification;
  readonly limits: JsonLimits;
}

export function credentialVerificationRoutes(app: App, ports: VerificationRoutes): void {
  operation(app, 'POST /credentials/v1/verify', {
    access: known,
    audit: 'none',
    tag: credentialTag,
    summary: 'Verify a credential',
    description: 'Nothing is fetched from the network, so status lists of other services are unknown.',
    body: { 'application/json': { schema: credentialToVerify } },
    answers: { 200: jsonAnswer('The result of each check', credentialVerification) },
    handle: async ({ context, answer }) => {
      const { value } = await credentialBody(context, ports.limits);
      const { credential, ...others } = value;
      if (!isObject(credential) || Object.keys(others).length > 0)
        throw new ServiceError(
          'invalid_request',
          'The body must be {"credential": …} with the credential as JSON.',
        );
      const { verified, checks } = await verifyCredential(ports.verification, credential);
      const { proof, dates, status, issuer } = checks;
      return answer(200, {
        verified,
        checks: {
          proof: checkAnswer(proof),
          dates: checkAnswer(dates),
          status: checkAnswer(status),
          issuer: checkAnswer(issuer),
        },
      });
    },
  });
}
