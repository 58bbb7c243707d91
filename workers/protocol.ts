import type { ContextDocument } from '../src/domain/integrity/contexts/world.ts';
import type { ClosedWorld } from '../src/domain/integrity/ports.ts';
import type { PackedError } from './packed-error.ts';
import type { PackedResults } from './packing.ts';

/** What every thread of the pool is told when it starts. */
export interface ThreadSettings {
  readonly maxDepth: number;
  /** Wall-clock time for the canonicalization of one document. */
  readonly documentMs: number;
}

/** What every task of a thread carries. */
export interface TaskBase {
  /** Trusted documents for the world of the task, which it asked for in a `needs` answer. */
  readonly documents: readonly ContextDocument[];
  /** No source has more: a context that is still missing is unknown. */
  readonly isLastTry: boolean;
  /** One 32-bit cell: how many documents of the task the thread has begun. The main thread watches it. */
  readonly begun: SharedArrayBuffer;
}

export interface IdentifyWork {
  readonly kind: 'identify';
  /** The request body, shared by the tasks that it was cut into. */
  readonly body: SharedArrayBuffer;
  /** Start and end of each statement of this task, in pairs. */
  readonly ranges: readonly number[];
  readonly generateId: boolean;
  readonly strict: boolean;
  readonly reportCoverage: boolean;
  /** Where the documents of the task go, and what is asked first; the trusted world without it. */
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
  readonly set: string;
  readonly contexts: readonly ContextDocument[];
}

export type Work = IdentifyWork | NQuadsWork | StoredNQuadsWork;
export type Task = Work & TaskBase;

export type Answer =
  | { readonly results: PackedResults }
  | { readonly nquads: string }
  | { readonly error: PackedError }
  /** Contexts that the thread lacks: the task is to be sent again with their documents. */
  | { readonly needs: readonly string[] };
