import { z } from 'zod';
import { isDid } from '../../domain/integrity/identifiers/identifiers.ts';
import { patterns } from '../patterns.ts';
import { cidText, uuidField } from '../values.ts';

export const evidenceQuery = z.object({
  graph_id: uuidField.optional(),
  registered_by: z
    .string()
    .max(2_000)
    .refine(isDid, 'must be a DID')
    .optional()
    .meta({ pattern: patterns.did, description: 'The DID of who brings the file. Default: this service' }),
});

const taken = {
  kind: z.string().describe('Which format it is in').meta({ example: 'in-toto' }),
  blob: cidText.describe('The CID of the file, which is stored as it is'),
  statements: z.array(z.string()).describe('The ids of the statements that follow from it'),
  signatures: z
    .array(
      z.object({
        result: z.enum(['ok', 'failed', 'unknown']).describe('unknown: nobody gave the key or authority'),
        signer: z.string().nullable().describe('The DID of the key, or the identity in the certificate'),
        reason: z.string().optional().describe('A sentence, unless the result is ok'),
      }),
    )
    .describe('The signatures in the file, as they were checked'),
};

export const importedEvidence = z.object(taken).meta({ id: 'ImportedEvidence' });

export const importedLines = z
  .object({
    results: z
      .array(
        z.union([
          z.object({ line: z.int().min(1), ...taken }),
          z.object({
            line: z.int().min(1),
            error: z.string().describe('Why the line is refused'),
            code: z.string(),
            pointer: z.string().optional().describe('RFC 6901 pointer into the line'),
          }),
        ]),
      )
      .describe('In the order of the lines. Blank lines are left out'),
  })
  .meta({ id: 'ImportedEvidenceLines', description: 'What became of each line of JSON lines' });

export type ImportedLine = z.output<typeof importedLines>['results'][number];
