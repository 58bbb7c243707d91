import { collections } from '../../domain/collections/all.ts';
import { bucketIndexes } from './buckets/bucket-files.ts';
import { indexesOf } from './collections/documents.ts';
import { attachmentIndexes } from './graphs/graph-attachments.ts';
import { graphIndexes } from './graphs/graph-documents.ts';
import type { CollectionIndexes } from './indexes.ts';
import { statementIndexes } from './statements/statement-documents.ts';

export const storeIndexes: readonly CollectionIndexes[] = [
  graphIndexes,
  attachmentIndexes,
  ...bucketIndexes,
  ...statementIndexes,
  ...collections.map(indexesOf),
];
