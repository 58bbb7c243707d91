import type { Visibility } from '../access/visibility.ts';
import type { ServiceError } from '../errors.ts';
import type { ContextDocument, ContextSet } from './contexts/world.ts';
import type { RunTimeLimits } from './dynamic-config.ts';
import type { Uncovered } from './identification/coverage.ts';
import type { Cid } from './identifiers/cid.ts';
import type { Reference } from './statements/references.ts';

/** A group of statements. Graphs form trees; a tree belongs to the project of its root. */
export interface Graph {
  readonly graphId: string;
  readonly name: string;
  /** null for a root graph. */
  readonly parentId: string | null;
  readonly projectId: string;
}

/** One form of a statement, as the store keeps it: a row for each `jcs_cid`. */
export interface StatementRow {
  readonly jcsCid: Cid;
  /** Several rows can share it: forms that differ in what it does not cover, or in the order of arrays. */
  readonly rdfcCid: Cid;
  /** UTF-8 of the RFC 8785 form, the bytes that `jcsCid` names. */
  readonly jcs: Uint8Array;
  readonly kind: string;
  readonly references: readonly Reference[];
  /** Milliseconds since 1970 of the statement's `timestamp`; null without one that is RFC 3339. */
  readonly time: number | null;
  /** The CID of the context set; its documents are blobs of the same store. */
  readonly contextSet: string;
  /** Whether every context was bundled, the operator's, or certified by its own name. */
  readonly isTrusted: boolean;
}

export interface StoredStatement extends StatementRow {
  /** Graphs under which it is registered, oldest first, as far as the reader may see them. */
  readonly graphIds: readonly string[];
}

/** `stored`: the row is new. `joined`: it was there, and gained the graph or became verified. `known`: nothing changed. */
export type PutOutcome = 'stored' | 'joined' | 'known';

export interface StatementStore {
  /**
   * Stores rows under a graph, all of them and durable when it resolves; none that is refused. Where the store itself
   * fails in the middle, it may have some of them. Idempotent: a repeat stores the rest, and what was there is `known`.
   * Duplicates inside `rows` are fine. A verified row takes the place of an unverified one with the same `jcs_cid`, and
   * its graphs; an unverified row of which there is a verified one adds that to the graph.
   * @returns one outcome for each row, in order.
   * @throws ServiceError `unknown_graph`, `storage_full`.
   */
  putMany(rows: Iterable<StatementRow>, graphId: string | null): Promise<PutOutcome[]>;

  /** The form that was stored first among the verified, visible ones. */
  byRdfcCid(rdfcCid: Cid, visibility: Visibility): Promise<StoredStatement | undefined>;

  /** One form. An unverified row is not found: it is visible through its graph alone. */
  byJcsCid(jcsCid: Cid, visibility: Visibility): Promise<StoredStatement | undefined>;
}

/** What a question is about: verified statements, or all statements of one graph; of those, what the reader may see. */
export interface StatementScope {
  readonly graphId: string | null;
  readonly visibility: Visibility;
}

export interface Page {
  /** `next` of the page before, or null for the first one. Anything else is `invalid_request`. */
  readonly after: string | null;
  readonly limit: number;
}

/** Shorter than its limit, even empty, where much had to be passed over; the last one has no `next`. */
export interface StatementPage {
  readonly statements: readonly StoredStatement[];
  readonly next?: string;
}

export interface ReferencePage {
  readonly references: readonly { readonly role: string; readonly statement: StoredStatement }[];
  readonly next?: string;
}

export interface StatementFilter {
  readonly kind: string | null;
  /** An identifier in the role `subject`, `credentialSubject` or `payload`. */
  readonly subject: string | null;
  readonly registeredBy: string | null;
  /** Milliseconds since 1970: `from` and later, earlier than `until`. */
  readonly from: number | null;
  readonly until: number | null;
}

export interface GraphPage {
  readonly graphs: readonly (Graph & { readonly statements: number })[];
  /** Pass as `after` for the next page; absent on the last. */
  readonly next?: string;
}

export interface GraphStore {
  /** Durable when it resolves. `exists` when the id is taken, whatever else the graph says. */
  add(graph: Graph): Promise<'added' | 'exists'>;

  get(graphId: string): Promise<Graph | undefined>;

  /**
   * Children of a graph, or root graphs for null, in the order of their registration, with the number of
   * statements directly in each.
   * @param page `after` is the `next` of a page before; anything else is `invalid_request`.
   */
  children(
    parentId: string | null,
    page: { after: string | null; limit: number },
    visibility: Visibility,
  ): Promise<GraphPage>;
}

/** A blob on its way in: nobody sees it before `commit`. One of `commit` and `discard` ends it. */
export interface StagedBlob {
  /** @throws ServiceError `storage_full`. The caller keeps `chunk` unchanged until it resolves. */
  write(chunk: Uint8Array): Promise<void>;
  /** Brings the bytes to disk and frees what writing held; thousands may wait finished. No write after it. */
  finish(): Promise<void>;
  /**
   * Makes the bytes readable under the CID's multihash, durable when it resolves; finishes first if need be.
   * `known`: they were there.
   */
  commit(cid: Cid): Promise<'stored' | 'known'>;
  /** Forgets the bytes. Harmless after `commit`. */
  discard(): Promise<void>;
}

/** First and last byte, both inclusive, both inside of the blob. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** To be read to its end, left early, or disposed of: each frees what it holds. */
export interface BlobContent extends AsyncDisposable {
  /** Bytes of the whole blob. */
  readonly size: number;
  /** The bytes asked for, once. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Blobs by their multihash: CIDs that differ in the codec alone name the same blob. */
export interface BlobStore {
  stage(): Promise<StagedBlob>;
  size(cid: Cid): Promise<number | undefined>;
  /** @param range of the bytes wanted; the whole blob without it. */
  read(cid: Cid, range?: ByteRange): Promise<BlobContent | undefined>;
}

export interface RunTimeLimitStore {
  /** undefined until limits have been written. */
  read(): Promise<RunTimeLimits | undefined>;
  /** Durable when it resolves. */
  write(limits: RunTimeLimits): Promise<void>;
}

/** Where context documents come from beside the bundled ones. First source first. */
export interface ContextSource {
  /** The text behind a context URL, if this source has it. */
  find(url: string): Promise<string | undefined>;
}

/** What is told of a statement that has been identified, beside its row. */
export interface IdentifiedFacts {
  readonly contexts: ContextSet;
  readonly isCovered: boolean;
  readonly uncovered: readonly Uncovered[];
}

/** One result for each statement, in order. */
export interface Identified {
  readonly results: readonly IdentificationResult[];
  /** The rows of those that were identified, in order. They stay packed until somebody iterates over them. */
  readonly rows: Iterable<StatementRow>;
}

/** The texts of a statement's CIDs. */
export interface IdentifiedNames extends IdentifiedFacts {
  readonly jcsCid: string;
  readonly rdfcCid: string;
}

export type IdentificationResult = IdentifiedNames | { readonly error: ServiceError };

export type IdentifiedRow = StatementRow & IdentifiedFacts;
export type Identification = { readonly row: IdentifiedRow } | { readonly error: ServiceError };

/** Bounds how much work of one sort runs at once in this process. */
export interface WorkLimit {
  /** Runs the work when its turn has come. @throws ServiceError `unavailable` when that takes too long. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Of the writes. */
export type WriteLimit = WorkLimit;

/** Context documents for work apart from others; the same `id` means the same documents. */
export interface ClosedWorld {
  readonly id: string;
  readonly documents: readonly ContextDocument[];
}

/** What is done with statements and JSON-LD documents off the main thread. */
export interface Identifier {
  /**
   * Identifies statements that stand in a body.
   * @param ranges start and end of each statement in `body`, in pairs.
   * A statement that takes too long is `too_complex`.
   */
  identify(
    body: Uint8Array,
    ranges: readonly number[],
    options: { generateId: boolean; strict: boolean; reportCoverage: boolean },
  ): Promise<Identified>;

  /**
   * Identifies statements that have an `@id` in a world of contexts of their own, where these documents come before
   * the trusted ones of the same URL. Nobody else ever meets them. Every row is answered as trusted: whether it is
   * is for the caller to judge, who knows the documents.
   */
  identifyUnder(body: Uint8Array, ranges: readonly number[], world: ClosedWorld): Promise<Identification[]>;

  /** Canonical N-Quads of a JSON-LD document under the trusted contexts; not canonical: in JSON-LD's own order. */
  nquads(document: Uint8Array, options: { canonical: boolean }): Promise<string>;

  /** Canonical N-Quads of a stored statement under exactly these context documents. */
  nquadsUnder(
    statement: Uint8Array,
    contexts: { set: string; documents: readonly ContextDocument[] },
  ): Promise<string>;
}
