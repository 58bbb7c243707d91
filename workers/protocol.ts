import type { ContextDocument } from '../src/domain/integrity/contexts/world.ts';
import type { CanonicalJson } from '../src/domain/integrity/identification/jcs.ts';
import type { ClosedWorld } from '../src/domain/integrity/ports.ts';
import type { EnvelopePart, SplitEnvelope } from '../src/domain/json/split-envelope.ts';
import type { PackedError, PackedResults } from './packing.ts';

export interface ThreadSettings {
  readonly maxDepth: number;
  /** CPU time for the canonicalization of one document. */
  readonly documentMs: number;
}

export interface TaskBase {
  /** Trusted documents that the thread asked for in a `needs` answer. */
  readonly documents: readonly ContextDocument[];
  /** Whether no source has more documents. A context that is still missing is unknown. */
  readonly isLastTry: boolean;
  /** The buffer of `TaskCells`, which the main thread watches. */
  readonly cells: SharedArrayBuffer;
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
  readonly body: SharedArrayBuffer;
  /** Start and end of each document, in pairs. */
  readonly ranges: readonly number[];
  readonly canonical: boolean;
  readonly covered: boolean;
  /** Whether SHA-256 of each text is enough. */
  readonly digests: boolean;
}

export type Work =
  | IdentifyWork
  | NQuadsWork
  | { readonly kind: 'stored-nquads'; readonly statement: Uint8Array; readonly world: ClosedWorld }
  /** Finds the statements of a body. */
  | { readonly kind: 'split'; readonly body: SharedArrayBuffer; readonly part: EnvelopePart }
  /** Makes the RFC 8785 form of a body. */
  | { readonly kind: 'jcs'; readonly body: SharedArrayBuffer };
export type Task = Work & TaskBase;

export type Answer =
  | { readonly results: PackedResults }
  /** In the order of the documents. */
  | { readonly nquads: readonly string[] }
  | { readonly digests: readonly Uint8Array[] }
  | SplitEnvelope
  | CanonicalJson
  | { readonly error: PackedError }
  /** Contexts that the thread lacks. The task must be sent again with their documents. */
  | { readonly needs: readonly string[] };
