import type { App } from '../../../platform/http/app.ts';
import { type DeclarationRoutes, declarationRoutes } from './declarations.ts';
import { type DocumentRoutes, documentRoutes } from './documents.ts';

export type GovernanceRoutes = DocumentRoutes & DeclarationRoutes;

export function governanceRoutes(app: App, ports: GovernanceRoutes): void {
  documentRoutes(app, ports);
  declarationRoutes(app, ports);
}
