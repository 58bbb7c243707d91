import type { Bucket } from '../../bucket.ts';
import type { RecordStore } from '../../collections/collection.ts';
import type { GraphContents, GraphImports } from '../../integrity/manifest/ports.ts';
import type { BlobStore, GraphStore, StatementStore } from '../../integrity/ports.ts';
import type { LoggedRows } from '../../log/ports.ts';
import type { StoreContents } from '../contents.ts';
import { lost, messageOfDamage, type StoreProblem } from '../problems.ts';
import type { Verifier } from '../verifier.ts';

export interface MigrationTarget extends RecordStore {
  readonly blobs: BlobStore;
  readonly graphs: Pick<GraphStore, 'add' | 'get'>;
  readonly graphImports: GraphImports;
  readonly graphContents: Pick<GraphContents, 'attachments'>;
  readonly statements: Pick<StatementStore, 'putMany'>;
  readonly sealedContents: Pick<Bucket, 'read' | 'stage'>;
  readonly loggedRows: Pick<LoggedRows, 'positionsOf'>;
}

export interface MigrationCounts {
  graphs: number;
  blobs: number;
  statements: number;
  /** Users, audit records and so on. */
  records: number;
  /** How many of all these were new in the target. */
  stored: number;
  /** Damaged content that is not in the target. */
  leftOut: number;
  /** Problems of graphs, which are copied unchanged. */
  damaged: number;
}

export interface Migration {
  /** What other processes store in a MongoDB meanwhile is copied in part. */
  readonly source: StoreContents;
  readonly target: MigrationTarget;
  readonly verifier: Verifier;
  readonly onProgress: (part: MigrationPart, done: number, total: number | undefined) => void;
}

export type MigrationPart = 'graphs' | 'blobs' | 'statements' | 'records';

/** What each part of a migration works with. */
export interface MigrationRun extends Omit<Migration, 'onProgress'> {
  readonly counts: MigrationCounts;
  /** Parts of the source that could not be read to their ends. */
  readonly unread: StoreProblem[];
  /** Ids of the graphs that the target has. */
  readonly copiedGraphs: Set<string>;
  /** Adds to a count and shows the progress. */
  readonly count: (part: MigrationPart, added: number) => void;
}

/** Reports content that is not copied. */
export function leftOut(
  { counts }: Pick<MigrationRun, 'counts'>,
  { kind, id, problem }: Pick<StoreProblem, 'kind' | 'id' | 'problem'>,
  advice = 'Restore it from a backup and repeat, or store it again in the target.',
): StoreProblem {
  counts.leftOut += 1;
  return lost(kind, id, `Left out: ${problem}`, advice);
}

/** Reads the source until damage stops it, so that everything before that is copied. */
export async function* readable<Item>(
  run: MigrationRun,
  part: string,
  items: AsyncIterable<Item>,
): AsyncGenerator<Item, void> {
  try {
    yield* items;
  } catch (error) {
    const problem = `${messageOfDamage(error)}, and nothing behind that was read`;
    run.counts.leftOut += 1;
    run.unread.push(lost('database', part, problem, 'Restore the source from a backup.'));
  }
}
