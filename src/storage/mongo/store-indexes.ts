import { auditLogIndexes } from './audit-log/audit-log.ts';
import { blobIndexes, resultIndexes } from './blobs/blob-places.ts';
import { attachmentIndexes } from './graphs/graph-attachments.ts';
import { graphIndexes } from './graphs/graph-documents.ts';
import type { CollectionIndexes } from './indexes.ts';
import { jobIndexes } from './jobs/jobs.ts';
import { sessionIndexes } from './sessions/sessions.ts';
import { statementIndexes } from './statements/statement-documents.ts';
import { userIndexes } from './users/user-documents.ts';

/** All indexes of a store. */
export const storeIndexes: readonly CollectionIndexes[] = [
  graphIndexes,
  attachmentIndexes,
  ...blobIndexes,
  ...resultIndexes,
  ...statementIndexes,
  jobIndexes,
  userIndexes,
  sessionIndexes,
  auditLogIndexes,
];
