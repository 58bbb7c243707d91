import {
  certificate,
  complianceBody,
  governanceProject,
  membershipBody,
} from '../../../contract/integrity/governance.ts';
import { authorizeProject, onNamedProject } from '../../../domain/access/access.ts';
import {
  type Certificate,
  type CertificatePorts,
  issueCompliance,
  issueMembership,
} from '../../../domain/integrity/governance/certificates.ts';
import { note } from '../../../platform/audit-trail/entry.ts';
import type { App } from '../../../platform/http/app.ts';
import { jsonAnswer } from '../../answers.ts';
import { type JsonLimits, parsedJsonBody } from '../../parsed-request.ts';
import { operation } from '../operation.ts';
import { tag } from './document-body.ts';

const answers = {
  200: jsonAnswer('The credential', certificate),
};
const repeats = 'The same request gets the same credential until that is revoked.';

export type CertificateRoutes = CertificatePorts & { readonly limits: JsonLimits };

export function certificateRoutes(app: App, ports: CertificateRoutes): void {
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
      return answer(200, certificateJson(await issueMembership(ports, principal, membership)));
    },
  });

  operation(app, 'POST /gov/v1/policy/compliance/{project_uuid}', {
    access: onNamedProject('create_credentials'),
    tag,
    summary: 'Certify that a subject complies with a policy',
    description: `The certificate is a credential that is signed, can be revoked, and is registered in the graph of the project. ${repeats}`,
    params: governanceProject,
    body: { 'application/json': { schema: complianceBody } },
    answers,
    beginsLate: true,
    handle: async ({ context, answer, principal, params: { project_uuid: projectId }, begin }) => {
      note(context, { target: projectId });
      await authorizeProject(principal, 'create_credentials', projectId);
      const fields = await parsedJsonBody(context, complianceBody, ports.limits);
      await begin();
      return answer(200, certificateJson(await issueCompliance(ports, principal, { projectId, ...fields })));
    },
  });
}

function certificateJson(credential: Certificate) {
  return { credential };
}
