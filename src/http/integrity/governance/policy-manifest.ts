import { governanceProject, policyManifestRequest } from '../../../contract/integrity/governance.ts';
import { manifest } from '../../../contract/integrity/manifests.ts';
import { authorizeProject, callerKey, onNamedProject } from '../../../domain/access/access.ts';
import {
  exportPolicies,
  type PolicyManifestPorts,
} from '../../../domain/integrity/governance/policy-manifest.ts';
import type { WorkLimit } from '../../../domain/integrity/ports.ts';
import type { App } from '../../../platform/http/app.ts';
import { streamAnswer } from '../../answering.ts';
import { jsonAnswer } from '../../answers.ts';
import { type JsonLimits, parsedJsonBody } from '../../parsed-request.ts';
import { operation } from '../operation.ts';
import { tag } from './document-body.ts';

export type PolicyManifestRoutes = PolicyManifestPorts & {
  /** Limits how many exports gather statements at once while callers wait. */
  readonly exportTurns: WorkLimit;
  readonly limits: JsonLimits;
};

export function policyManifestRoutes(app: App, ports: PolicyManifestRoutes): void {
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
