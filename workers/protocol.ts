import type { ContextDocument } from '../src/domain/integrity/contexts/world.ts';
import type { ClosedWorld } from '../src/domain/integrity/ports.ts';
import type { PackedError } from './packed-error.ts';
import type { PackedResults } from './packing.ts';

export interface ThreadSettings {
  readonly maxDepth: number;
  /** Wall-clock time for the canonicalization of one document. */
  readonly documentMs: number;
}

export interface TaskBase {
  /** Trusted documents that the thread asked for in a `needs` answer. */
  readonly documents: readonly ContextDocument[];
  /** Whether no source has more documents. A context that is still missing is unknown. */
  readonly isLastTry: boolean;
  /** One 32-bit cell: the number of documents that the thread has started. The main thread watches it. */
  readonly begun: SharedArrayBuffer;
}

export interface IdentifyWork {
  readonly kind: 'identify';
  readonly body: SharedArrayBuffer;
  /** Start and end of each statement of this task, in pairs. */
  readonly ranges: readonly number[];
  readonly generateId: boolean;
  readonly strict: boolean;
  readonly reportCoverage: boolean;
  /** The world to identify in. Default: the trusted world. */
  readonly world?: ClosedWorld;
}

export interface NQuadsWork {
  readonly kind: 'nquads';
  readonly document: Uint8Array;
  readonly canonical: boolean;
}

export interface StoredNQuadsWork {
  readonly kind: 'stored-nquads';
  readonly statement: Uint8Array;
  readonly world: ClosedWorld;
}

export type Work = IdentifyWork | NQuadsWork | StoredNQuadsWork;
export type Task = Work & TaskBase;

export type Answer =
  | { readonly results: PackedResults }
  | { readonly nquads: string }
  | { readonly error: PackedError }
  /** Contexts that the thread lacks. The task must be sent again with their documents. */
  | { readonly needs: readonly string[] };
