import { z } from 'zod';
import { cidText, jsonObject, uuidField } from './values.ts';

/** The members beside the statements. Only these are parsed here. Statements stay bytes. */
const putFields = {
  generate_id: z
    .boolean()
    .optional()
    .describe('Compute the id and set it as @id. If false, the statement must have its correct @id'),
  graph_id: uuidField('graph_id').nullish(),
  issue_vc: z
    .boolean()
    .optional()
    .describe(
      'Issue a verifiable credential for each statement, signed by the service and registered in the same graph',
    ),
};

export const statement = jsonObject.meta({
  id: 'Statement',
  description: 'An integrity statement: a JSON-LD object',
});

export const putStatementBody = z.strictObject({ statement, ...putFields }).meta({ id: 'PutStatement' });

export const putBatchBody = z
  .strictObject({ statements: z.array(statement), ...putFields })
  .meta({ id: 'PutStatementBatch' });

export const computeIdBody = z.strictObject({ statement }).meta({ id: 'ComputeId' });

export const issued = {
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
