import { z } from 'zod';
import { jsonObject, uuidField } from '../values.ts';

export const credential = jsonObject.meta({
  id: 'Credential',
  description: 'A credential of VC Data Model 2.0 or 1.1',
});

const status = z.boolean().optional().describe('false lifts a suspension. Default: true');

export const revocation = z
  .strictObject({
    credentialStatus: z
      .looseObject({
        statusListCredential: z.string().min(1).max(2_000),
        statusListIndex: z.string().regex(/^[0-9]{1,9}$/, 'must be a whole number as a text'),
        status,
      })
      .describe('An entry from the credentialStatus of the credential'),
    status,
  })
  .refine(
    (body) => (body.status ?? body.credentialStatus.status) === (body.credentialStatus.status ?? body.status),
    { path: ['status'], message: 'contradicts credentialStatus.status' },
  )
  .meta({ id: 'Revocation' });

const check = z.object({ result: z.enum(['ok', 'failed', 'unknown']), reason: z.string().optional() });

export const credentialVerification = z
  .object({
    verified: z.boolean().describe('Whether every check is ok'),
    checks: z.object({ proof: check, dates: check, status: check, issuer: check }),
  })
  .meta({ id: 'CredentialVerification' });

export type CredentialVerificationAnswer = z.output<typeof credentialVerification>;

export const credentialStatus = z
  .object({
    credential_id: z.string(),
    revoked: z.boolean(),
    suspended: z.boolean(),
    entries: z.array(
      z.object({
        statusPurpose: z.enum(['revocation', 'suspension']),
        statusListCredential: z.string(),
        statusListIndex: z.string(),
        status: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'CredentialStatus' });

export const didDocumentAnswer = z
  .object({
    '@context': z.array(z.string()),
    id: z.string().describe('The did:web of the service'),
    alsoKnownAs: z.array(z.string()).describe('The did:key of the active key'),
    verificationMethod: z.array(
      z.object({
        id: z.string(),
        type: z.literal('Multikey'),
        controller: z.string(),
        publicKeyMultibase: z.string(),
      }),
    ),
    assertionMethod: z.array(z.string()),
  })
  .meta({ id: 'DidDocument' });

export const revocationParams = z.object({
  credentialId: z.string().max(2_000).describe('A UUID, with or without urn:uuid:, or a percent-encoded URI'),
});

export const credentialToVerify = z.strictObject({ credential: jsonObject });

const text = z.string().max(2_000).optional();

export const credentialStatusQuery = z.object({
  credential_id: text.describe('The id of the credential'),
  status_list_credential: text.describe('The URL of a status list'),
  status_list_index: z
    .string()
    .max(10)
    .optional()
    .meta({ pattern: '^[0-9]{1,9}$', description: 'The index in that list' }),
});

export const statusListParams = z.object({ id: uuidField });
