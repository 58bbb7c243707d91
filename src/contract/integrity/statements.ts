import { z } from 'zod';
import { patterns } from '../patterns.ts';
import { cidText, jsonObject, statementCid, uuidField } from '../values.ts';
import { trust } from './trust.ts';

/** The members beside the statements. Only these are parsed here. Statements stay bytes. */
const putFields = {
  generate_id: z
    .boolean()
    .optional()
    .describe('Compute the id and set it as @id. If false, the statement must have its correct @id'),
  graph_id: uuidField.nullish(),
  issue_vc: z
    .boolean()
    .optional()
    .describe(
      'Issue a verifiable credential for each statement, signed by the service and registered in the same graph',
    ),
};

const statement = jsonObject.meta({
  id: 'Statement',
  description: 'An integrity statement: a JSON-LD object',
});

export const putStatementBody = z.strictObject({ statement, ...putFields }).meta({ id: 'PutStatement' });

export const putBatchBody = z
  .strictObject({ statements: z.array(statement), ...putFields })
  .meta({ id: 'PutStatementBatch' });

export const computeIdBody = z.strictObject({ statement }).meta({ id: 'ComputeId' });

const issued = {
  credential_id: z.string().optional().describe('With issue_vc: the id of the credential'),
  credential_cid: cidText.optional().describe('With issue_vc: the JCS CID of the signed credential'),
};

export const storedStatement = z
  .object({ jcs_cid: cidText, rdfc_cid: cidText, ...issued })
  .meta({ id: 'StoredStatement' });

const statementNames = z.object({ statement_id: z.string(), jcs_cid: cidText, rdfc_cid: cidText });

const storedInBatch = statementNames.extend(issued);

export const storedBatch = z.object({ results: z.array(storedInBatch) }).meta({ id: 'StoredBatch' });

export const registeredDid = statementNames.extend({ statement: jsonObject }).meta({ id: 'RegisteredDid' });

export const computedId = z
  .object({
    id: z.string().describe('The statement id: urn:cid: followed by the rdfc_cid'),
    rdfc_cid: cidText,
    jcs_cid: cidText,
    statement: jsonObject.describe('The statement with its @id set'),
    uncovered: z
      .array(z.object({ pointer: z.string(), reason: z.string() }))
      .describe('Members that the id does not cover. The jcs_cid always covers them'),
  })
  .meta({ id: 'ComputedId' });

export const statementParams = z.object({
  id: statementCid.describe('The statement id, with or without urn:cid:'),
});

export const formQuery = z.object({
  jcs_cid: statementCid
    .optional()
    .describe(
      'Which JSON form to read, if the id has several. Default: the oldest that the id covers in the own context or a bundled one, otherwise the oldest of the projects of the caller',
    ),
});

const result = z.enum(['ok', 'failed', 'unknown']).describe('unknown: it cannot be checked; reason says why');

const reason = z.string().optional().describe('A sentence, unless the result is ok');

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
            .enum(['proof', 'credential', 'dsse', 'sigstore'])
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

export const didParams = z.object({
  did_key: z
    .string()
    .max(2_000)
    .meta({ pattern: patterns.didKey, example: 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp' }),
});

export const didQuery = z.object({ graph_id: uuidField.optional() });
