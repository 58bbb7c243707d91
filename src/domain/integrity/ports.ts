import type { CallerName } from '../access/access.ts';
import type { Visibility } from '../access/visibility.ts';
import type { ServiceError } from '../errors.ts';
import type { EnvelopePart, SplitEnvelope } from '../json/split-envelope.ts';
import type { ContextDocument, ContextSet } from './contexts/world.ts';
import type { Uncovered } from './identification/coverage.ts';
import type { CanonicalJson } from './identification/jcs.ts';
import type { Cid } from './identifiers/cid.ts';
import type { PackedNames } from './statements/packed-names.ts';
import type { Reference } from './statements/references.ts';

/** A group of statements. Graphs form trees. A tree belongs to the project of its root. */
export interface Graph {
  readonly graphId: string;
  readonly name: string;
  /** Null for a root graph. */
  readonly parentId: string | null;
  readonly projectId: string;
}

/** One stored form of a statement. There is one row per `jcs_cid`. */
export interface StatementRow {
  readonly jcsCid: Cid;
  /** Forms share it if they differ only in content that it does not cover or in the order of arrays. */
  readonly rdfcCid: Cid;
  /** The RFC 8785 form in UTF-8, whose CID is `jcsCid`. */
  readonly jcs: Uint8Array;
  readonly kind: string;
  readonly references: readonly Reference[];
  /** Milliseconds since 1970 of the statement's `timestamp`; null if it has no valid one. */
  readonly time: number | null;
  /** The CID of the context set. Its documents are blobs of the same store. */
  readonly contextSet: string;
  /** Whether every context is bundled, the operator's, or certified by the CID in its URL. */
  readonly isTrusted: boolean;
}

export interface StoredStatement extends StatementRow {
  /** The visible graphs of the statement, oldest first. */
  readonly graphIds: readonly string[];
}

/** `stored`: the row is new. `joined`: it was there, and gained the graph or became verified. `known`: nothing changed. */
export type PutOutcome = 'stored' | 'joined' | 'known';

/** How many rows of a write had each outcome. */
export type PutCounts = Readonly<Record<PutOutcome, number>>;

export interface StatementStore {
  /**
   * Stores rows under a graph, all durable when it resolves. If the store fails in the middle, it may have some of them.
   * Idempotent: a repeat stores the rest, and existing rows are `known`. `rows` may contain duplicates. A verified row
   * replaces an unverified one with the same `jcs_cid` and takes over its graphs. If a verified row exists, an unverified
   * one with its `jcs_cid` only adds it to the graph.
   * @param registrar who stores them. Kept for each verified row when it is stored first. Default: nobody.
   * @returns how many rows had each outcome.
   * @throws ServiceError `unknown_graph`, `storage_full`.
   */
  putMany(
    rows: Iterable<StatementRow>,
    graphId: string | null,
    registrar?: string | null,
  ): Promise<PutCounts>;

  /** Who stored a verified row first; null if nobody is known. */
  registrarOf(jcsCid: Cid): Promise<string | null>;

  /** The first stored form among the verified, visible ones. */
  byRdfcCid(rdfcCid: Cid, visibility: Visibility): Promise<StoredStatement | undefined>;

  /** One form. Unverified rows are not found, because only their graph shows them. */
  byJcsCid(jcsCid: Cid, visibility: Visibility): Promise<StoredStatement | undefined>;
}

/** The statements of a query: verified ones, or all of one graph, limited to what the reader may see. */
export interface StatementScope {
  readonly graphId: string | null;
  readonly visibility: Visibility;
  /** Who asks, to know whose names they may see. Default: nobody in particular. */
  readonly viewer?: CallerName;
}

export interface Page {
  /** `next` of the previous page, or null for the first page. Anything else is `invalid_request`. */
  readonly after: string | null;
  readonly limit: number;
}

/** May be short or empty if too many rows had to be skipped. The last page has no `next`. */
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
  readonly graphs: readonly Graph[];
  readonly next?: string;
}

export interface GraphStore {
  /** Durable when it resolves. `exists` if the id is taken. */
  add(graph: Graph): Promise<'added' | 'exists'>;

  get(graphId: string): Promise<Graph | undefined>;

  /**
   * The children of a graph (null: the root graphs) in the order of registration.
   * @param page `after` is the `next` of the previous page. Anything else is `invalid_request`.
   */
  children(
    parentId: string | null,
    page: { after: string | null; limit: number },
    visibility: Visibility,
  ): Promise<GraphPage>;

  /** The first graphs with exactly this name, on every level, in the order of registration. */
  named(name: string, limit: number, visibility: Visibility): Promise<readonly Graph[]>;

  /**
   * The number of statements directly in each registered graph (null: of verified statements in no graph). Counting
   * stops at `most + 1`, which means that there are more than `most`.
   */
  statementCounts(graphIds: readonly (string | null)[], most: number): Promise<number[]>;
}

/** Bytes that are being written. They are invisible before `commit`. `commit` or `discard` ends it. */
export interface Staged<Name> {
  /** @throws ServiceError `storage_full`. The caller keeps `chunk` unchanged until it resolves. */
  write(chunk: Uint8Array): Promise<void>;
  /** Flushes the bytes to disk and frees resources, so thousands of finished blobs can wait. No writes after it. */
  finish(): Promise<void>;
  /**
   * Makes the bytes readable under the name (the multihash of a CID), durable when it resolves. Finishes first if needed.
   * `known`: the store had them.
   */
  commit(name: Name): Promise<'stored' | 'known'>;
  /** Removes the bytes. Harmless after `commit`. */
  discard(): Promise<void>;
}

export type StagedBlob = Staged<Cid>;

/** First and last byte, both inclusive and inside the blob. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Reading to the end, leaving early and disposing all free its resources. */
export interface BlobContent extends AsyncDisposable {
  readonly size: number;
  /** The requested bytes. Can be read once. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export type SmallBlob = Readonly<{ cid: Cid; bytes: Uint8Array }>;

/** Blobs by multihash. CIDs that differ only in the codec name the same blob. */
export interface BlobStore {
  stage(): Promise<StagedBlob>;
  size(cid: Cid): Promise<number | undefined>;
  /** @param range default: the whole blob. */
  read(cid: Cid, range?: ByteRange): Promise<BlobContent | undefined>;
  /** As `Bucket.readSmall`. Those that are damaged are undefined too. */
  readSmall(cids: readonly Cid[], limit: number): Promise<(Uint8Array | undefined)[]>;
  /** As `Bucket.putSmall`. The caller knows that the bytes hash to their CIDs, and names each once. */
  putSmall(blobs: readonly SmallBlob[]): Promise<('stored' | 'known')[]>;
}

/** A source of context documents beside the bundled ones. */
export interface ContextSource {
  find(url: string): Promise<string | undefined>;
}

/** Statements that were identified together. What each has is packed; what few have is listed by index, in order. */
export interface Identified {
  /** The number of statements, with those that are refused. */
  readonly count: number;
  readonly refused: readonly RefusedStatement[];
  /** The indexes of those that carry a proof, a credential or another signature. */
  readonly signed: readonly number[];
  readonly uncovered: readonly UncoveredStatement[];
  /** The context sets of those that are not refused, each once. */
  readonly contextSets: readonly ContextSet[];
  /** The names of those that are not refused, in order. */
  readonly names: PackedNames;
  /** The rows of the same statements. They stay packed until somebody iterates over them. */
  readonly rows: Iterable<StatementRow>;
}

export interface RefusedStatement {
  readonly index: number;
  readonly error: ServiceError;
}

/** A statement with content that its id does not cover. */
export interface UncoveredStatement {
  readonly index: number;
  /** Empty unless `reportCoverage` is set. */
  readonly places: readonly Uncovered[];
}

export interface IdentifiedRow extends StatementRow {
  readonly contexts: ContextSet;
  /** Whether it carries a proof, a credential or another signature. */
  readonly isSigned: boolean;
  readonly isCovered: boolean;
}

export type Identification = { readonly row: IdentifiedRow } | { readonly error: ServiceError };

/** A semaphore for one kind of work in this process. */
export interface WorkLimit {
  /**
   * Runs the work when a permit is free. Callers take turns.
   * @param caller as `callerKey` names it.
   * @throws ServiceError `unavailable` if that takes too long.
   */
  run<Result>(work: () => Promise<Result>, caller?: string): Promise<Result>;
}

export type WriteLimit = WorkLimit;

/** A separate set of context documents. The same `id` means the same documents. */
export interface ClosedWorld {
  readonly id: string;
  readonly documents: readonly ContextDocument[];
  /** Whether its statements are stored already, so that limits on the contexts of new ones do not apply. */
  readonly isStored?: boolean;
}

/** A body whose statements are not parsed yet. */
export interface JsonStatements extends SplitEnvelope {
  /** The same bytes, possibly in shared memory. */
  readonly body: Uint8Array;
}

/** Reads large JSON bodies off the main thread. */
export interface JsonReader {
  /** @throws ServiceError `invalid_json`, `too_large`. */
  readStatements(body: Uint8Array, part: EnvelopePart): Promise<JsonStatements>;

  /** The RFC 8785 form of any JSON, and its CID. @throws ServiceError `invalid_json`, `too_deep`, `too_large`. */
  jcs(body: Uint8Array): Promise<CanonicalJson>;
}

/** Processes statements and JSON-LD documents off the main thread. */
export interface Identifier {
  /**
   * Identifies the statements of a body.
   * @param ranges start and end of each statement in `body`, in pairs.
   * A statement that takes too long is `too_complex`.
   */
  identify(
    body: Uint8Array,
    ranges: readonly number[],
    options: { generateId: boolean; strict: boolean; reportCoverage: boolean },
  ): Promise<Identified>;

  /**
   * Identifies statements with an `@id` in a separate world, whose documents come before trusted ones of the same URL.
   * Every row is returned as trusted; the caller, who knows the documents, must decide whether it is.
   */
  identifyUnder(body: Uint8Array, ranges: readonly number[], world: ClosedWorld): Promise<Identification[]>;

  /** N-Quads of a JSON-LD document under the trusted contexts, canonical or in jsonld's order. */
  nquads(document: Uint8Array, options: { canonical: boolean }): Promise<string>;

  /**
   * Canonical N-Quads of small JSON-LD documents under the trusted contexts, in their order.
   * @throws ServiceError `not_covered` if JSON-LD drops members of one.
   */
  canonicalNQuads(documents: readonly Uint8Array[]): Promise<string[]>;

  /** SHA-256 of what `canonicalNQuads` returns. For many documents, because the texts stay where they are made. */
  canonicalDigests(documents: readonly Uint8Array[]): Promise<Uint8Array[]>;

  /** Canonical N-Quads of a stored statement under exactly these context documents. */
  nquadsUnder(
    statement: Uint8Array,
    contexts: { set: string; documents: readonly ContextDocument[] },
  ): Promise<string>;
}
