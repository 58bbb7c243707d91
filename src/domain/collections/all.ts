import { authServiceIssuers } from '../access/auth-service-issuer.ts';
import { auditRecords } from '../audit-log/audit-log.ts';
import { administrators } from '../control-plane/administrators.ts';
import { agentBindings, agentKeys, agentStatusEvents, agents } from '../control-plane/agents/agents.ts';
import { registrationTokens } from '../control-plane/agents/registration-tokens.ts';
import { projectBindings, projectMemberships } from '../control-plane/gateway/project-records.ts';
import { auditExchanges, pluginEvents, stateRecords } from '../control-plane/gateway/runtime-records.ts';
import { stateBlobs } from '../control-plane/gateway/state-blobs.ts';
import { sessionSecrets } from '../control-plane/session-secrets.ts';
import { sessions } from '../control-plane/sessions.ts';
import { users } from '../control-plane/users.ts';
import { blobHashes } from '../integrity/blobs/blob-hashes.ts';
import { blobSizes } from '../integrity/blobs/blob-store.ts';
import { digestReferences } from '../integrity/blobs/digest-references.ts';
import { unhashedBlobs } from '../integrity/blobs/hash-unhashed.ts';
import { credentials } from '../integrity/credentials/credential-records.ts';
import { signedStatusLists, statusEntries, statusLists } from '../integrity/credentials/status-entries.ts';
import { runTimeLimits } from '../integrity/dynamic-config.ts';
import { evidenceImports } from '../integrity/evidence/evidence-records.ts';
import { lineageRuns, lineageUses } from '../integrity/evidence/openlineage/run-records.ts';
import { folderRecords, memberRecords } from '../integrity/folders/folder-records.ts';
import {
  certificateRequests,
  governanceDocuments,
  governanceRecords,
} from '../integrity/governance/governance-records.ts';
import { attachedBlobs } from '../integrity/manifest/attached-blobs.ts';
import { nameRecords } from '../integrity/names/name-records.ts';
import { retractions } from '../integrity/retractions/retraction-records.ts';
import { searchedFolders } from '../integrity/search/files.ts';
import { searchEntries } from '../integrity/search/search-entries.ts';
import { signatures } from '../integrity/signatures/signatures.ts';
import { didRegistrations } from '../integrity/statements/did-registrations.ts';
import { jobs } from '../jobs/jobs.ts';
import { logBacklogs } from '../log/appending/unlogged-records.ts';
import {
  logBatches,
  logCheckpoints,
  logEntries,
  logHeads,
  logs,
  logTiles,
  logTurns,
} from '../log/records.ts';
import { logStandings } from '../log/witnessing/standings.ts';
import { upgradeSteps } from '../maintenance/upgrades/upgrades.ts';
import type { Collection } from './collection.ts';

export const collections: readonly Collection[] = [
  users,
  administrators,
  sessions,
  sessionSecrets,
  authServiceIssuers,
  agents,
  agentKeys,
  agentBindings,
  agentStatusEvents,
  registrationTokens,
  auditRecords,
  jobs,
  runTimeLimits,
  attachedBlobs,
  blobSizes,
  blobHashes,
  unhashedBlobs,
  digestReferences,
  didRegistrations,
  evidenceImports,
  lineageRuns,
  lineageUses,
  governanceDocuments,
  governanceRecords,
  certificateRequests,
  signatures,
  retractions,
  nameRecords,
  folderRecords,
  memberRecords,
  searchedFolders,
  searchEntries,
  credentials,
  statusLists,
  statusEntries,
  signedStatusLists,
  auditExchanges,
  pluginEvents,
  stateRecords,
  stateBlobs,
  projectMemberships,
  projectBindings,
  logs,
  logBatches,
  logTiles,
  logEntries,
  logHeads,
  logCheckpoints,
  logTurns,
  logBacklogs,
  logStandings,
  upgradeSteps,
];
