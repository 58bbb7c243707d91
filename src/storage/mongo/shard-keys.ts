import { collections } from '../../domain/collections/all.ts';
import { bucketNames } from './buckets/bucket-files.ts';
import { statementIndexes } from './statements/statement-documents.ts';

/**
 * The member by whose hash a collection is spread over shards, for each collection that grows with use. All others stay
 * on one shard. A unique index cannot reach over shards, unless it begins with the shard key.
 */
export const shardKeys: Readonly<Record<string, string>> = {
  ...Object.fromEntries(statementIndexes.map(({ collection }) => [collection, '_id'])),
  ...Object.fromEntries(bucketNames.map((bucket) => [`${bucket}.chunks`, 'files_id'])),
  ...Object.fromEntries(
    collections.filter(({ unique }) => Object.keys(unique).length === 0).map(({ name }) => [name, '_id']),
  ),
  // Known by what the gateway calls them, which is unique.
  audit_exchanges: 'sourceId',
  plugin_events: 'sourceId',
  state_records: 'sourceId',
};
