import type { ControlPlaneApp } from '../operation.ts';
import { projectAgentRoutes } from './project-agents.ts';
import { type RuntimePorts, runtimeRoutes } from './runtime.ts';

/** Everything below /v1/projects. */
export function projectRoutes(app: ControlPlaneApp, ports: RuntimePorts): void {
  projectAgentRoutes(app, ports);
  runtimeRoutes(app, ports);
}
