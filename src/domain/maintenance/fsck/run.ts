import type { CheckedStore, IsWanted } from '../contents.ts';
import type { Repairing } from '../problems.ts';
import type { Verifier } from '../verifier.ts';

export interface FsckCounts {
  /** Hashed blobs. */
  blobs: number;
  /** Statements whose ids were computed again. */
  statements: number;
  /** Statements that could not be checked, because their contexts are damaged. */
  unchecked: number;
  graphs: number;
  /** Users, jobs, audit records and so on. */
  records: number;
}

/** What each part of fsck works with. */
export interface FsckRun extends Repairing {
  readonly store: CheckedStore;
  readonly verifier: Verifier;
  readonly isWanted: IsWanted;
  /** Adds to a count and shows the progress. */
  readonly count: (name: keyof FsckCounts, added?: number) => void;
}
