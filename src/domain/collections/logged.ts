import { loggedAuditRecords } from '../audit-log/logged-records.ts';
import { loggedStatusEvents } from '../control-plane/agents/logged-events.ts';
import { loggedRuntimeRecords } from '../control-plane/gateway/logged-records.ts';
import { loggedStatusLists } from '../integrity/credentials/logged-lists.ts';
import type { LoggedKind } from '../log/appending/logged-kind.ts';

/** The records that have entries in logs, in the order in which older ones get there. */
export const loggedKinds: readonly LoggedKind[] = [
  loggedStatusEvents,
  ...loggedRuntimeRecords,
  loggedStatusLists,
  loggedAuditRecords,
];
