import { z } from 'zod';
import type { GovernanceStatusAnswer } from '../../../contract/integrity/governance.ts';
import { partsOf } from '../../client/answer-parts.ts';

const review = z
  .object({ decision: z.string(), submittedBy: z.string().nullable(), submittedAt: z.string().nullable() })
  .nullable();

/** The parts of the service's answer that the tables show. */
export const statusAnswer = partsOf<GovernanceStatusAnswer>()(
  z.object({
    subject: z.string(),
    project: z.string(),
    declarations: z.array(z.object({ documentCid: z.string(), controlCids: z.array(z.string()), review })),
    controls: z.array(z.object({ controlCid: z.string(), declarationCid: z.string().nullable(), review })),
    certificates: z.array(
      z.object({
        kind: z.string(),
        credentialId: z.string(),
        policyCid: z.string().nullable(),
        validUntil: z.string(),
        standing: z.string(),
      }),
    ),
  }),
);

export type StatusAnswer = z.output<typeof statusAnswer>;
