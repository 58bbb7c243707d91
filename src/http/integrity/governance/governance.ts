import {
  certificate,
  complianceAnswer,
  complianceBody,
  governanceProject,
  membershipBody,
  policyManifestRequest,
} from '../../../contract/integrity/governance.ts';
import { manifest } from '../../../contract/integrity/manifests.ts';
import {
  authorizeProject,
  callerKey,
  onNamedProject,
  type Principal,
} from '../../../domain/access/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import {
  type CertificatePorts,
  issueCompliance,
  issueMembership,
} from '../../../domain/integrity/governance/certificates.ts';
import {
  exportPolicies,
  type PolicyManifestPorts,
} from '../../../domain/integrity/governance/policy-manifest.ts';
import { governedPolicy } from '../../../domain/integrity/governance/policy-rules.ts';
import { unreviewedControls } from '../../../domain/integrity/governance/status.ts';
import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import { checkStored } from '../../../domain/integrity/policies/check-stored.ts';
import type { Policy } from '../../../domain/integrity/policies/read-policy.ts';
import type { WorkLimit } from '../../../domain/integrity/ports.ts';
import { note } from '../../../platform/audit-trail/entry.ts';
import type { App } from '../../../platform/http/app.ts';
import { streamAnswer } from '../../answering.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { type JsonLimits, parsedJsonBody } from '../../parsed-request.ts';
import { operation } from '../operation.ts';
import { usablePolicy } from '../policy-reading.ts';
import { type DeclarationRoutes, declarationRoutes } from './declarations.ts';
import { type DocumentRoutes, documentRoutes, tag } from './documents.ts';
import { type StatusRoutes, statusRoutes } from './status.ts';

export type GovernanceRoutes = DocumentRoutes &
  DeclarationRoutes &
  CertificateRoutes &
  PolicyManifestRoutes &
  StatusRoutes;

export function governanceRoutes(app: App, ports: GovernanceRoutes): void {
  documentRoutes(app, ports);
  declarationRoutes(app, ports);
  certificateRoutes(app, ports);
  policyManifestRoutes(app, ports);
  statusRoutes(app, ports);
}

type PolicyManifestRoutes = PolicyManifestPorts & {
  /** Limits how many exports gather statements at once while callers wait. */
  readonly exportTurns: WorkLimit;
  readonly limits: JsonLimits;
};

function policyManifestRoutes(app: App, ports: PolicyManifestRoutes): void {
  operation(app, 'POST /gov/v1/policy/manifest/{project_uuid}', {
    access: onNamedProject('view_project_data'),
    audit: 'none',
    tag,
    summary: 'Export what a project has under some policies',
    description:
      'A manifest of version 3 with the declarations about the controls of the policies, their reviews, the compliance certificates, and the memberships of the project. With includeBlobs it has their documents, the policies and the controls. The header Cairn-Missing-Blobs counts blobs that the store lacks.',
    params: governanceProject,
    body: { 'application/json': { schema: policyManifestRequest } },
    answers: { 200: jsonAnswer('The manifest', manifest) },
    handle: async ({ context, principal, params: { project_uuid: projectId } }) => {
      await authorizeProject(principal, 'view_project_data', projectId);
      const asked = await parsedJsonBody(context, policyManifestRequest, ports.limits);
      const filter = {
        projectId,
        policyCids: asked.policyCids ?? null,
        includeContext: asked.includeContext ?? false,
        includeBlobs: asked.includeBlobs ?? false,
      };
      const exported = await ports.exportTurns.run(
        () => exportPolicies(ports, principal, filter),
        callerKey(principal),
      );
      const headers = new Headers({
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
        ...(filter.includeBlobs && { 'cairn-missing-blobs': String(exported.missingBlobs) }),
      });
      return await streamAnswer(context, exported.bytes, exported, { headers });
    },
  });
}

const answers = { 200: jsonAnswer('The credential', certificate) };
const repeats = 'The same request gets the same credential until that is revoked.';

type CertificateRoutes = CertificatePorts &
  StatusRoutes & {
    readonly limits: JsonLimits;
  };

function certificateRoutes(app: App, ports: CertificateRoutes): void {
  operation(app, 'POST /gov/v1/identity/membership/{project_uuid}', {
    access: onNamedProject('create_agent_memberships'),
    tag,
    summary: 'Issue a membership credential',
    description: `It is signed, can be revoked, and is registered in the graph of the project. ${repeats}`,
    params: governanceProject,
    body: { 'application/json': { schema: membershipBody } },
    answers,
    beginsLate: true,
    handle: async ({ context, answer, principal, params: { project_uuid: projectId }, begin }) => {
      note(context, { target: projectId });
      await authorizeProject(principal, 'create_agent_memberships', projectId);
      const { role, ...fields } = await parsedJsonBody(context, membershipBody, ports.limits);
      await begin();
      const membership = { projectId, roles: role ?? [], ...fields };
      return answer(200, { credential: await issueMembership(ports, principal, membership) });
    },
  });

  operation(app, 'POST /gov/v1/policy/compliance/{project_uuid}', {
    access: onNamedProject('create_credentials'),
    tag,
    summary: 'Certify that a subject complies with a policy',
    description: `The certificate is a credential that is signed, can be revoked, and is registered in the graph of the project. ${repeats} If controls of the policy carry rules, the subject must pass them. The answer lists the controls that the last review did not approve, or nobody has reviewed.`,
    params: governanceProject,
    body: { 'application/json': { schema: complianceBody } },
    answers: {
      200: jsonAnswer('The credential', complianceAnswer),
      409: errorAnswer('The subject does not pass the rules of the policy'),
    },
    beginsLate: true,
    handle: async ({ context, answer, principal, params: { project_uuid: projectId }, begin }) => {
      note(context, { target: projectId });
      await authorizeProject(principal, 'create_credentials', projectId);
      const fields = await parsedJsonBody(context, complianceBody, ports.limits);
      await begin();
      const { policyCid, subjectCid } = fields;
      const governed = await governedPolicy(ports, policyCid);
      const rules = governed?.rules && usablePolicy(governed.rules, { isText: false });
      if (rules) await assertPasses(ports, principal, cidUrn(subjectCid), rules);
      const credential = await issueCompliance(ports, principal, { projectId, ...fields });
      const controls = governed?.controlCids ?? [];
      const unreviewedControlCids = await unreviewedControls(ports, controls, cidUrn(subjectCid), projectId);
      return answer(200, { credential, unreviewedControlCids });
    },
  });
}

/** @throws ServiceError `conflict` with the rules that the subject does not pass. */
async function assertPasses(ports: CertificateRoutes, principal: Principal, subject: string, policy: Policy) {
  const asked = { subject, policy, graphId: null, explain: false };
  const work = () => checkStored(ports, principal, asked);
  const { check } = await ports.lineages.run(work, callerKey(principal));
  if (check.result === 'pass') return;
  const open = check.verdicts
    .flatMap(({ rules }) => rules)
    .filter(
      ({ severity, result }) => severity === 'error' && (result === 'fail' || result === 'cannot_tell'),
    );
  const names = open.map(({ name }) => `"${name}"`).join(', ');
  const message = `The subject does not pass the rules of the policy: ${names}. POST /checks/v1 says what is missing.`;
  throw new ServiceError('conflict', message);
}
