import { z } from 'zod';
import { decisions } from '../domain/integrity/governance/governance-records.ts';
import { certificateStandings } from '../domain/integrity/governance/status.ts';
import { cidText } from './values.ts';

export const registered = z.object({
  documentCid: cidText,
  statementCid: cidText,
  submittedAt: z.string().nullable().describe('A claim, in UTC and whole seconds'),
  submittedBy: z.string().nullable().describe('A claim'),
  registeredAt: z.string().describe('When this service registered it'),
  principal: z
    .object({ issuer: z.string(), subject: z.string() })
    .describe('The authenticated caller who registered it')
    .meta({ id: 'Registrar' }),
});

export const review = registered
  .extend({ declarationCid: cidText, decision: z.enum(decisions), controlCids: z.array(cidText) })
  .nullable()
  .meta({ id: 'GovernanceReview' });

const inProject = {
  project: z.uuid(),
  declarations: z
    .array(registered.extend({ controlCids: z.array(cidText), review }))
    .describe('Oldest first, each with its last review'),
  controls: z
    .array(z.object({ controlCid: cidText, declarationCid: cidText.nullable(), review }))
    .describe('The last declaration and the last review about each control'),
  certificates: z
    .array(
      registered.omit({ submittedAt: true, submittedBy: true, documentCid: true }).extend({
        kind: z.enum(['membership', 'compliance']),
        credentialId: z.string(),
        sourceCid: cidText.describe('The signed credential'),
        policyCid: cidText.nullable(),
        validUntil: z.string(),
        standing: z.enum(certificateStandings),
      }),
    )
    .describe('Memberships and compliance certificates, oldest first'),
};

export const subject = z.string().describe('urn:cid: and a CID, or a DID');

export const governanceStatusAnswer = z.object({ subject, ...inProject }).meta({ id: 'GovernanceStatus' });

export const governanceStatusesAnswer = z
  .object({ subject, projects: z.array(z.object(inProject)) })
  .meta({ id: 'GovernanceStatuses' });

export type GovernanceStatusAnswer = z.output<typeof governanceStatusAnswer>;
export type GovernanceStatusesAnswer = z.output<typeof governanceStatusesAnswer>;
