import type { App } from '../../../platform/http/app.ts';
import { type CertificateRoutes, certificateRoutes } from './certificates.ts';
import { type DeclarationRoutes, declarationRoutes } from './declarations.ts';
import { type DocumentRoutes, documentRoutes } from './documents.ts';
import { type PolicyManifestRoutes, policyManifestRoutes } from './policy-manifest.ts';
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
