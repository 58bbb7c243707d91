import type { Collection } from 'mongodb';
import type {
  AuditFilter,
  AuditLogStore,
  AuditPage,
  AuditRecord,
} from '../../../domain/audit-log/audit-log.ts';
import type { Database } from '../database.ts';
import { repeatingDeadlocks } from '../deadlocks.ts';
import { translated } from '../errors.ts';
import type { CollectionIndexes } from '../indexes.ts';
import { timedPage } from '../timed-documents.ts';

export interface AuditDocument extends Omit<AuditRecord, 'id'> {
  /** The record's id. */
  readonly _id: string;
}

export const auditLogIndexes: CollectionIndexes = {
  collection: 'audit_log',
  indexes: [
    { name: 'time', key: { at: -1, _id: -1 } },
    { name: 'actor', key: { 'actor.subject': 1, at: -1, _id: -1 } },
    { name: 'action', key: { action: 1, at: -1, _id: -1 } },
    { name: 'target', key: { target: 1, at: -1, _id: -1 } },
  ],
};

export class MongoAuditLog implements AuditLogStore {
  readonly #records: Collection<AuditDocument>;

  constructor(database: Database) {
    this.#records = auditLogCollection(database);
  }

  async put(records: readonly AuditRecord[]): Promise<void> {
    if (records.length === 0) return;
    const writes = records.map(({ id, ...rest }) => ({
      replaceOne: { filter: { _id: id }, replacement: rest, upsert: true },
    }));
    await translated(() => repeatingDeadlocks(() => this.#records.bulkWrite(writes, { ordered: false })));
  }

  async list(filter: AuditFilter, page: { after: string | null; limit: number }): Promise<AuditPage> {
    const { actor, action, target, from, until } = filter;
    const question = { wanted: { 'actor.subject': actor, action, target }, from, until };
    const order = { time: 'at', order: 'newest first' } as const;
    const { documents, ...rest } = await timedPage(this.#records, order, question, page);
    return { records: documents.map(recordOf), ...rest };
  }
}

export function auditLogCollection(database: Database): Collection<AuditDocument> {
  return database.collection<AuditDocument>('audit_log');
}

export function recordOf({ _id, ...rest }: AuditDocument): AuditRecord {
  return { id: _id, ...rest };
}
