import { auditLogIndexes } from './audit-log.ts';
import { blobIndexes, resultIndexes } from './blob-places.ts';
import { attachmentIndexes } from './graph-attachments.ts';
import { graphIndexes } from './graph-documents.ts';
import type { CollectionIndexes } from './indexes.ts';
import { jobIndexes } from './jobs.ts';
import { sessionIndexes } from './sessions.ts';
import { statementIndexes } from './statement-indexes.ts';
import { userIndexes } from './user-documents.ts';

/** All indexes of a store. */
export const storeIndexes: readonly CollectionIndexes[] = [
  graphIndexes,
  attachmentIndexes,
  ...blobIndexes,
  ...resultIndexes,
  statementIndexes,
  jobIndexes,
  userIndexes,
  sessionIndexes,
  auditLogIndexes,
];
