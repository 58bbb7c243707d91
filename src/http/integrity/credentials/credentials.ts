import { credential, revocation, revocationParams } from '../../../contract/integrity/credentials.ts';
import { anywhere } from '../../../domain/access/access.ts';
import {
  allocateCredential,
  type CredentialAllocation,
} from '../../../domain/integrity/credentials/allocate-credential.ts';
import { type RevocationPorts, revokeCredential } from '../../../domain/integrity/credentials/revoke.ts';
import { note } from '../../../platform/audit-trail/entry.ts';
import type { App } from '../../../platform/http/app.ts';
import { wholeAnswer } from '../../answering.ts';
import { errorAnswer, jsonAnswer, jsonType } from '../../answers.ts';
import { type JsonLimits, parsedJsonBody } from '../../parsed-request.ts';
import { operation } from '../operation.ts';
import { credentialBody } from './credential-body.ts';

export const credentialTag = 'Credentials';

export interface CredentialRoutes {
  readonly allocation: CredentialAllocation;
  readonly revocation: RevocationPorts;
  readonly limits: JsonLimits;
}

export function credentialRoutes(app: App, ports: CredentialRoutes): void {
  operation(app, 'POST /credentials/v1/allocate', {
    access: anywhere('create_credentials'),
    tag: credentialTag,
    summary: 'Store a credential and give it status entries',
    description:
      'Adds a revocation and a suspension entry. Without an id, the credential gets a UUID. The same credential again gives the same answer.',
    body: { 'application/json': { schema: credential } },
    answers: {
      200: jsonAnswer('The credential with its credentialStatus', credential),
      409: errorAnswer('The id belongs to a credential with other content'),
    },
    handle: async ({ context }) => {
      const { value, bytes } = await credentialBody(context, ports.limits);
      return wholeAnswer(context, await allocateCredential(ports.allocation, value, bytes), jsonType);
    },
  });

  operation(app, 'POST /credentials/v1/revoke/{credentialId}', {
    access: anywhere('revoke_credentials'),
    tag: credentialTag,
    summary: 'Revoke or suspend a credential, or lift its suspension',
    description:
      'A revocation entry revokes for good. A suspension entry suspends, and lifts with "status": false.',
    params: revocationParams,
    body: { 'application/json': { schema: revocation } },
    answers: {
      200: jsonAnswer('The credential with its credentialStatus', credential),
      404: errorAnswer('The credential is not known'),
      409: errorAnswer('A revocation cannot be lifted'),
    },
    handle: async ({ context, params: { credentialId } }) => {
      const body = await parsedJsonBody(context, revocation, ports.limits);
      const { statusListCredential, statusListIndex } = body.credentialStatus;
      const entry = { statusListCredential, statusListIndex };
      const change = { ...entry, status: body.status ?? body.credentialStatus.status ?? true };
      note(context, { target: credentialId, details: change });
      return wholeAnswer(context, await revokeCredential(ports.revocation, credentialId, change), jsonType);
    },
  });
}
