import { type CheckAnswer, checkJson } from '../../../contract/integrity/checks.ts';
import {
  governanceProject,
  governanceStatusAnswer,
  governanceStatusesAnswer,
  statusParams,
} from '../../../contract/integrity/governance.ts';
import {
  authorizeProject,
  callerKey,
  known,
  onNamedProject,
  type Principal,
} from '../../../domain/access/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { isRegistered } from '../../../domain/integrity/governance/documents.ts';
import type {
  GovernanceDocuments,
  GovernanceRecord,
} from '../../../domain/integrity/governance/governance-records.ts';
import {
  type GovernanceStatus,
  governanceStatus,
  governanceStatuses,
  type ReviewRecord,
  type StatusPorts,
} from '../../../domain/integrity/governance/status.ts';
import { cidIn } from '../../../domain/integrity/identifiers/cid.ts';
import { isDid } from '../../../domain/integrity/identifiers/identifiers.ts';
import { statementTime } from '../../../domain/integrity/identifiers/timestamp.ts';
import { type CheckingPorts, checkStored } from '../../../domain/integrity/policies/check-stored.ts';
import type { WorkLimit } from '../../../domain/integrity/ports.ts';
import type { App } from '../../../platform/http/app.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { operation } from '../operation.ts';
import { tag } from './documents.ts';

export type StatusRoutes = StatusPorts &
  CheckingPorts & {
    readonly governanceDocuments: Pick<GovernanceDocuments, 'page'>;
    readonly lineages: WorkLimit;
  };

export function statusRoutes(app: App, ports: StatusRoutes): void {
  operation(app, 'GET /gov/v1/status/{subject_cid}/{project_uuid}', {
    access: onNamedProject('view_project_data'),
    tag,
    summary: 'Read what stands for a subject in a project',
    params: statusParams.extend(governanceProject.shape),
    answers: {
      200: jsonAnswer('Declarations, reviews and certificates', governanceStatusAnswer),
      404: errorAnswer('The subject is not registered'),
    },
    handle: async ({ answer, principal, params: { subject_cid: subject, project_uuid: project } }) => {
      await authorizeProject(principal, 'view_project_data', project);
      const found = await governanceStatus(ports, subject, project);
      // A check certifies things that nobody has registered as subjects.
      if (found.declarations.length + found.certificates.length === 0) await assertSubject(ports, subject);
      const checks = await checksOf(ports, principal, subject, found);
      const uncheckedPolicyCids = [...found.furtherPolicies];
      return answer(
        200,
        { subject, ...statusJson(found), checks, uncheckedPolicyCids },
        { 'cache-control': 'no-store' },
      );
    },
  });

  operation(app, 'GET /gov/v1/status/{subject_cid}', {
    access: known,
    tag,
    summary: 'Read what stands for a subject in the projects of the caller',
    params: statusParams,
    answers: {
      200: jsonAnswer('The projects that have something about the subject', governanceStatusesAnswer),
    },
    handle: async ({ answer, principal, params: { subject_cid: subject } }) => {
      const found = await governanceStatuses(ports, subject, await principal.grants.visible());
      return answer(200, { subject, projects: found.map(statusJson) }, { 'cache-control': 'no-store' });
    },
  });
}

async function assertSubject(ports: StatusRoutes, subject: string): Promise<void> {
  const cid = cidIn(subject);
  if (cid ? await isRegistered(ports, 'subject', cid) : isDid(subject)) return;
  throw new ServiceError(
    'not_found',
    `There is no subject ${subject}. Subjects are registered with POST /gov/v1/cid/subject; members are DIDs.`,
  );
}

/** What the rules say that controls of the subject's policies carry. */
async function checksOf(
  ports: StatusRoutes,
  principal: Principal,
  subject: string,
  { policies }: GovernanceStatus,
): Promise<CheckAnswer[]> {
  const checks: CheckAnswer[] = [];
  for (const policy of policies) {
    const asked = { subject, policy, graphId: null, explain: false };
    const { check } = await ports.lineages.run(
      () => checkStored(ports, principal, asked),
      callerKey(principal),
    );
    checks.push(checkJson(check));
  }
  return checks;
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
    certificates: certificates.map(({ record, standing, lost, unreviewedControls }) => {
      const { documentCid: sourceCid, statementCid, registeredAt, principal } = registeredJson(record);
      const { kind, credentialId, policyCid } = record;
      const ids = { kind, credentialId, sourceCid, statementCid, policyCid };
      const validUntil = timeText(record.validUntil);
      const stands = { standing, lost: lost ?? null, unreviewedControlCids: [...unreviewedControls] };
      return { ...ids, validUntil, ...stands, registeredAt, principal };
    }),
  };
}

function registeredJson(record: GovernanceRecord) {
  const { documentCid, statementCid, submittedBy, submittedAt, createdAt, caller } = record;
  return {
    documentCid,
    statementCid,
    submittedAt: submittedAt === null ? null : timeText(submittedAt),
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

function timeText(time: number): string {
  return statementTime(new Date(time));
}
