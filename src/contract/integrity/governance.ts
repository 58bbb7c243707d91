import { z } from 'zod';
import { decisions } from '../../domain/integrity/governance/governance-records.ts';
import { certificateStandings } from '../../domain/integrity/governance/status.ts';
import { parseDid } from '../../domain/integrity/identifiers/did-key.ts';
import { patterns } from '../patterns.ts';
import { cidParameter, cidText, identifierParameter, jsonObject, uuidField, uuidText } from '../values.ts';
import { checkAnswer, checkBody } from './checks.ts';

const listLimit = 1_000;

const cidList = z.array(cidParameter).max(listLimit).nullish();

const didField = (name: string) =>
  z
    .string()
    .max(2_000)
    .meta({ pattern: patterns.did, example: 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp' })
    .transform((text) => parseDid(text, name));

const dateText = z.string().max(100);

const expiryDate = dateText.meta({
  pattern: patterns.dateOrDateTime,
  description: 'An RFC 3339 date-time, or a date, which means its end in UTC. It must be in the future',
});

export const membershipBody = z
  .strictObject({
    expiryDate,
    subjectDid: didField('subjectDid').describe('The DID of the agent or identity'),
    role: z.array(z.string().min(1).max(200)).max(100).nullish().describe('Roles within the project'),
  })
  .meta({ id: 'Membership' });

export const complianceBody = z
  .strictObject({ expiryDate, policyCid: cidParameter, subjectCid: cidParameter })
  .meta({ id: 'PolicyCompliance' });

export const certificate = z
  .object({
    credential: z.object({
      credentialId: z.string(),
      sourceCid: cidText.describe('The JCS CID of the signed credential'),
    }),
  })
  .meta({ id: 'GovernanceCredential' });

const unreviewedControlCids = z
  .array(cidText)
  .describe('Controls of the policy that the last review did not approve, or nobody has reviewed');

export const complianceAnswer = certificate
  .extend({ unreviewedControlCids })
  .meta({ id: 'ComplianceCredential' });

const text = z.string().nullish();

export const subjectBody = z
  .strictObject({
    id: z
      .string()
      .min(1)
      .max(2_000)
      .describe('What the subject is. A UUID, with or without urn:uuid:, names a project'),
    name: text,
    description: text,
    organizationId: z.string().min(1).max(2_000).nullish(),
    organizationName: text,
    organizationDescription: text,
    extra: jsonObject.nullish().describe('Any further properties'),
  })
  .meta({ id: 'GovernanceSubject' });

export const policyBody = z
  .strictObject({ policy: jsonObject, controls: z.array(jsonObject).max(1_000).nullish() })
  .meta({ id: 'GovernancePolicy' });

export const policyCids = z
  .object({ policyCid: cidText, controlCids: z.array(cidText).describe('In the order of the request') })
  .meta({ id: 'GovernancePolicyCids' });

const submission = {
  submittedAt: dateText.meta({
    format: 'date-time',
    pattern: patterns.dateTime,
    description: 'When. An RFC 3339 date-time',
  }),
  submittedBy: didField('submittedBy').describe(
    'Who, as a claim. The authenticated caller is recorded beside it',
  ),
  attachmentCid: cidList.describe('Documents that support it'),
  controlCid: cidList.describe('The controls that it is about'),
  documentType: z.string().nullish(),
  extra: z.record(z.string(), z.unknown()).nullish().describe('Any further properties'),
  statement: z.string().nullish(),
  subjectLine: z.string().nullish(),
};

export const declarationBody = z.strictObject(submission).meta({ id: 'Declaration' });

export const reviewBody = z
  .strictObject({
    ...submission,
    declarationCid: cidParameter.describe('The documentCid of the declaration'),
    decision: z.enum(decisions),
    comment: z.string().nullish(),
  })
  .meta({ id: 'Review' });

const statement = z.object({
  '@context': z.string(),
  '@id': z.string(),
  '@type': z.string(),
  document: z.string(),
  registeredBy: z.string(),
  subject: z.string(),
  timestamp: z.string(),
});

export const declared = z
  .object({
    documentCid: cidText.describe('The JCS CID of the document'),
    statement,
    statementCid: cidText.describe('The rdfc_cid of the statement'),
  })
  .meta({ id: 'GovernanceStatement' });

const registered = z.object({
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

const review = registered
  .extend({ declarationCid: cidText, decision: z.enum(decisions), controlCids: z.array(cidText) })
  .nullable()
  .meta({ id: 'GovernanceReview' });

const inProject = {
  project: uuidText,
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
        standing: z
          .enum(certificateStandings)
          .describe(
            'not_yet_valid: the clock of the service has gone back since. unsupported: a statement on which the check behind it rested was withdrawn. unknown: something that it rests on is not there, so nobody can tell',
          ),
        lost: z
          .object({ statement: z.string(), state: z.enum(['retracted', 'revoked', 'suspended']) })
          .nullable()
          .describe('Of an unsupported one: that statement'),
        unreviewedControlCids,
      }),
    )
    .describe('Memberships and compliance certificates, oldest first'),
};

const subject = z.string().describe('urn:cid: and a CID, or a DID');

export const governanceStatusAnswer = z
  .object({
    subject,
    ...inProject,
    checks: z
      .array(checkAnswer)
      .describe(
        'What the rules say that controls of its policies carry, as the caller sees the evidence. The ten such policies that were registered last',
      ),
    uncheckedPolicyCids: z
      .array(cidText)
      .describe('Earlier policies of the subject that were not looked at. POST /checks/v1 applies one'),
  })
  .meta({ id: 'GovernanceStatus' });

export const governanceStatusesAnswer = z
  .object({ subject, projects: z.array(z.object(inProject)) })
  .meta({ id: 'GovernanceStatuses' });

export const certifyBody = checkBody
  .omit({ explain: true })
  .extend({
    expiryDate,
    explain: z.literal(false).default(false).describe('Facts are not answered'),
  })
  .meta({ id: 'CertifyRequest' });

export const certifiedAnswer = checkAnswer
  .extend({
    credential: certificate.shape.credential.nullable().describe('Null because the check has not passed'),
    unreviewedControlCids,
  })
  .meta({ id: 'CertifiedCheck' });

export type GovernanceStatusAnswer = z.output<typeof governanceStatusAnswer>;
export type GovernanceStatusesAnswer = z.output<typeof governanceStatusesAnswer>;

const project_uuid = uuidField;

export const governanceProject = z.object({ project_uuid });

export const declarationParams = z.object({ subject_cid: cidParameter, project_uuid });

export const statusParams = z.object({ subject_cid: identifierParameter });

export const policyManifestRequest = z
  .strictObject({
    policyCids: z
      .array(cidParameter)
      .min(1)
      .max(100)
      .nullish()
      .describe('Default: every policy that the project uses, itself or one of its controls'),
    includeBlobs: z.boolean().nullish().describe('Include the documents. Default: false'),
    includeContext: z.boolean().nullish().describe('Include the context documents. Default: false'),
  })
  .meta({ id: 'PolicyManifestRequest' });
