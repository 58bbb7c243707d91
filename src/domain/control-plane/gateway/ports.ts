import type { Bucket } from '../../bucket.ts';
import type { Agents } from '../agents/agents.ts';
import type { Users } from '../users.ts';
import type { ProjectBindings, ProjectMemberships } from './project-records.ts';
import type { AuditExchanges, PluginEvents, StateRecords } from './runtime-records.ts';
import type { StateBlobs } from './state-blobs.ts';

/** What the gateway routes work with. */
export interface GatewayPorts {
  readonly agents: Pick<Agents, 'among'>;
  readonly users: Pick<Users, 'page'>;
  readonly exchanges: Pick<AuditExchanges, 'among' | 'insert'>;
  readonly events: Pick<PluginEvents, 'among' | 'insert' | 'update' | 'page'>;
  readonly states: Pick<StateRecords, 'among' | 'insert' | 'update' | 'page'>;
  readonly stateBlobs: Pick<StateBlobs, 'insert'>;
  readonly memberships: Pick<ProjectMemberships, 'among' | 'insert'>;
  readonly bindings: Pick<ProjectBindings, 'among' | 'insert'>;
  readonly sealedContents: Pick<Bucket, 'stage' | 'remove'>;
  /** A UUID of version 7. */
  readonly newId: () => string;
  readonly now: () => Date;
}
