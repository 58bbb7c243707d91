import type { Context } from 'hono';
import {
  credential,
  credentialToVerify,
  credentialVerification,
  revocation,
  revocationParams,
} from '../../../contract/integrity/credentials.ts';
import { checkAnswer } from '../../../contract/sentences.ts';
import { anywhere, known } from '../../../domain/access/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import {
  allocateCredential,
  type CredentialAllocation,
} from '../../../domain/integrity/credentials/allocate-credential.ts';
import { type RevocationPorts, revokeCredential } from '../../../domain/integrity/credentials/revoke.ts';
import {
  type CredentialVerification,
  verifyCredential,
} from '../../../domain/integrity/credentials/verify-credential.ts';
import { isObject, type JsonObject } from '../../../domain/json/is-object.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import { note } from '../../../platform/audit-trail/entry.ts';
import type { App } from '../../../platform/http/app.ts';
import { assertContentType, readBody } from '../../../platform/http/body.ts';
import { wholeAnswer } from '../../answering.ts';
import { errorAnswer, jsonAnswer, jsonType } from '../../answers.ts';
import { type JsonLimits, parsedJsonBody } from '../../parsed-request.ts';
import { operation } from '../operation.ts';
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

const credentialTypes = ['application/json', 'application/ld+json', 'application/vc'];
const mostBytes = 1 << 20;

/** A JSON object of at most 1 MiB, read strictly, with its text. */
async function credentialBody(
  context: Context,
  { maxJsonDepth: maxDepth }: Pick<JsonLimits, 'maxJsonDepth'>,
): Promise<{ readonly value: JsonObject; readonly bytes: Uint8Array }> {
  assertContentType(context, credentialTypes, true);
  const bytes = await readBody(context, { bytes: mostBytes, setting: null });
  const value = parseStrictJson(bytes, { maxDepth, exactNumbers: true });
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ServiceError('invalid_request', 'The body must be a JSON object.');
  return { value: value as JsonObject, bytes };
}

interface VerificationRoutes {
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
      const proof = checkAnswer(checks.proof);
      const dates = checkAnswer(checks.dates);
      const status = checkAnswer(checks.status);
      const issuer = checkAnswer(checks.issuer);
      return answer(200, { verified, checks: { proof, dates, status, issuer } });
    },
  });
}
