import { z } from '@hono/zod-openapi';
import { cidText, identifierParameter, uuidField } from '../../../contract/values.ts';
import { authorizeProject, known, onNamedProject } from '../../../domain/access/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { isRegistered } from '../../../domain/integrity/governance/documents.ts';
import {
  decisions,
  type GovernanceDocuments,
  type GovernanceRecord,
} from '../../../domain/integrity/governance/governance-records.ts';
import {
  certificateStandings,
  type GovernanceStatus,
  governanceStatus,
  governanceStatuses,
  type ReviewRecord,
  type StatusPorts,
} from '../../../domain/integrity/governance/status.ts';
import { cidIn } from '../../../domain/integrity/identifiers/cid.ts';
import { isDid } from '../../../domain/integrity/identifiers/identifiers.ts';
import { statementTime } from '../../../domain/integrity/identifiers/timestamp.ts';
import type { App } from '../../../platform/http/app.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { operation } from '../operation.ts';
import { tag } from './document-body.ts';

const registered = z.object({
  documentCid: cidText,
  statementCid: cidText,
  submittedAt: z.string().nullable().describe('A claim, in UTC and whole seconds'),
  submittedBy: z.string().nullable().describe('A claim'),
  registeredAt: z.string().describe('When this service registered it'),
  principal: z
    .object({ issuer: z.string(), subject: z.string() })
    .describe('The authenticated caller who registered it')
    .openapi('Registrar'),
});
const review = registered
  .extend({ declarationCid: cidText, decision: z.enum(decisions), controlCids: z.array(cidText) })
  .nullable()
  .openapi('GovernanceReview');

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
const subject = z.string().describe('urn:cid: and a CID, or a DID');
const status = z.object({ subject, ...inProject }).openapi('GovernanceStatus');
const statuses = z.object({ subject, projects: z.array(z.object(inProject)) }).openapi('GovernanceStatuses');

export type StatusRoutes = StatusPorts & {
  readonly governanceDocuments: Pick<GovernanceDocuments, 'page'>;
};

export function statusRoutes(app: App, ports: StatusRoutes): void {
  operation(app, 'GET /gov/v1/status/{subject_cid}/{project_uuid}', {
    access: onNamedProject('view_project_data'),
    tag,
    summary: 'Read what stands for a subject in a project',
    params: z.object({ subject_cid: identifierParameter, project_uuid: uuidField('project_uuid') }),
    answers: {
      200: jsonAnswer('Declarations, reviews and certificates', status),
      404: errorAnswer('The subject is not registered'),
    },
    handle: async ({ answer, principal, params: { subject_cid: subject, project_uuid: project } }) => {
      await authorizeProject(principal, 'view_project_data', project);
      await demandSubject(ports, subject);
      const found = await governanceStatus(ports, subject, project);
      return answer(200, { subject, ...statusJson(found) }, { 'cache-control': 'no-store' });
    },
  });

  operation(app, 'GET /gov/v1/status/{subject_cid}', {
    access: known,
    tag,
    summary: 'Read what stands for a subject in the projects of the caller',
    params: z.object({ subject_cid: identifierParameter }),
    answers: { 200: jsonAnswer('The projects that have something about the subject', statuses) },
    handle: async ({ answer, principal, params: { subject_cid: subject } }) => {
      const found = await governanceStatuses(ports, subject, await principal.grants.visible());
      return answer(200, { subject, projects: found.map(statusJson) }, { 'cache-control': 'no-store' });
    },
  });
}

async function demandSubject(ports: StatusRoutes, subject: string): Promise<void> {
  const cid = cidIn(subject);
  if (cid ? await isRegistered(ports, 'subject', cid) : isDid(subject)) return;
  throw new ServiceError(
    'not_found',
    `There is no subject ${subject}. Subjects are registered with POST /gov/v1/cid/subject; members are DIDs.`,
  );
}

function statusJson({ projectId, declarations, controls, certificates }: GovernanceStatus) {
  return {
    project: projectId,
    declarations: declarations.map(({ declaration, review }) => ({
      ...registeredJson(declaration),
      controlCids: declaration.controlCids,
      review: reviewJson(review),
    })),
    controls: controls.map(({ controlCid, declaration, review }) => ({
      controlCid,
      declarationCid: declaration?.documentCid ?? null,
      review: reviewJson(review),
    })),
    certificates: certificates.map(({ record, standing }) => {
      const { documentCid, statementCid, registeredAt, principal } = registeredJson(record);
      const { kind, credentialId, policyCid, validUntil } = record;
      return {
        kind,
        credentialId,
        sourceCid: documentCid,
        statementCid,
        policyCid,
        validUntil: timeText(validUntil),
        standing,
        registeredAt,
        principal,
      };
    }),
  };
}

function registeredJson(record: GovernanceRecord) {
  const { documentCid, statementCid, submittedBy, submittedAt, createdAt, caller } = record;
  return {
    documentCid,
    statementCid,
    submittedAt: timeOrNull(submittedAt),
    submittedBy,
    registeredAt: timeText(createdAt),
    principal: caller,
  };
}

function reviewJson(record: ReviewRecord | undefined) {
  if (record === undefined) return null;
  const { declarationCid, decision, controlCids } = record;
  return { ...registeredJson(record), declarationCid, decision, controlCids };
}

function timeOrNull(time: number | null): string | null {
  return time === null ? null : timeText(time);
}

function timeText(time: number): string {
  return statementTime(new Date(time));
}
