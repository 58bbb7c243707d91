import type { App } from '../../../platform/http/app.ts';
import { type DeclarationRoutes, declarationRoutes } from './declarations.ts';
import { type DocumentRoutes, documentRoutes } from './documents.ts';
import { type PolicyManifestRoutes, policyManifestRoutes } from './policy-manifest.ts';

export type GovernanceRoutes = DocumentRoutes & DeclarationRoutes & PolicyManifestRoutes;

export function governanceRoutes(app: App, ports: GovernanceRoutes): void {
  documentRoutes(app, ports);
  declarationRoutes(app, ports);
  policyManifestRoutes(app, ports);
}
