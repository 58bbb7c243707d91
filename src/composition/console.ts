import { auditRecords } from '../domain/audit-log/audit-log.ts';
import { agentRecords } from '../domain/control-plane/agents/agents.ts';
import type { ActivityPorts } from '../http/control-plane/console/agent-activity.ts';
import type { ConsolePorts } from '../http/control-plane/console/console.ts';
import type { Settings } from '../platform/settings/setting-table.ts';
import type { Store } from '../storage/open.ts';

export function consolePorts(
  store: Pick<Store, 'of'>,
  settings: Settings,
  projectReads: ActivityPorts,
): Omit<ConsolePorts, 'links' | 'besideIntegrity'> {
  return {
    ...projectReads,
    ...agentRecords(store),
    auditLog: store.of(auditRecords),
    mintsTokens: settings.authRegistrationTokenSecret !== null,
  };
}
