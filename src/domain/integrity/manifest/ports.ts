import type { Visibility } from '../../access/visibility.ts';
import type { RandomAccess } from '../../json/random-access.ts';
import type { Cid } from '../identifiers/cid.ts';
import type { BlobContent, ByteRange, Graph, PutOutcome, StatementRow } from '../ports.ts';

/** What manifests read of graphs. */
export interface GraphContents {
  /**
   * The statements that are registered directly under the graphs (null: under any), as far as the reader may see
   * those; verified or not, each row once. Ordered by the digest of their ids; of one id the verified rows come first,
   * oldest stored first. Every row that was there when the reading began is among them. A store that cannot keep that
   * moment can miss an unverified row that becomes verified meanwhile, if its id changes with that.
   */
  statements(
    graphIds: readonly string[] | null,
    visibility: Visibility,
  ): AsyncIterable<readonly StatementRow[]>;

  /** How many of these forms, of which none is named twice, are registered under the graph. */
  count(graphId: string, jcsCids: readonly Cid[]): Promise<number>;

  /** What came with the graphs beside statements and blobs, in the order in which the graphs were registered. */
  attachments(graphIds: readonly string[] | null, visibility: Visibility): Promise<GraphAttachments>;
}

/** Documents that belong to graphs. They are kept as blobs and named by their CIDs. */
export interface GraphAttachments {
  /** Context documents for which nothing but the import of the graph vouches, and those that its anchors need. */
  readonly contexts: readonly { readonly url: string; readonly cid: string }[];
  /** Anchor records: proofs of publication. */
  readonly anchors: readonly string[];
}

/** Brings a whole graph in at once. What an import has left behind when its process ended is forgotten. */
export interface GraphImports {
  /** @param projectId of the graph that comes. */
  begin(projectId: string): Promise<GraphImport>;
}

/** A graph on its way in: nothing answers with it, or lists or counts it, before `publish`. */
export interface GraphImport {
  /** Like `StatementStore.putMany`, under the graph that comes. */
  put(rows: Iterable<StatementRow>): Promise<PutOutcome[]>;
  /**
   * The graph appears with everything that was put, at once and durable. `exists` when its id is taken: then
   * nothing has appeared.
   */
  publish(graph: Graph, attachments: GraphAttachments): Promise<'added' | 'exists'>;
  /**
   * Forgets the graph. Trusted statements stay, known by their ids; those that would be visible through this graph
   * alone go. Harmless after `publish`.
   */
  abandon(): Promise<void>;
}

/** Bytes on their way through the service: nobody can address them, and they go when they are disposed of. */
export interface Spool extends RandomAccess, AsyncDisposable {
  /** Appends. The caller keeps `chunk` unchanged until it resolves. @throws ServiceError `storage_full`. */
  write(chunk: Uint8Array): Promise<void>;
}

export interface SpoolStore {
  open(): Promise<Spool>;
}

/** A manifest on its way to the results. One of `commit` and `discard` ends it. */
export interface StagedResult {
  /** @throws ServiceError `storage_full`. The caller keeps `chunk` unchanged until it resolves. */
  write(chunk: Uint8Array): Promise<void>;
  /** Makes the bytes readable under a name that is new, durable when it resolves. */
  commit(name: string): Promise<unknown>;
  /** Forgets the bytes. Harmless after `commit`. */
  discard(): Promise<void>;
}

/** Manifests that wait to be fetched, by names of letters, digits, `-` and `.`. No CID leads to them. */
export interface ExportResults {
  stage(): Promise<StagedResult>;
  read(name: string, range?: ByteRange): Promise<BlobContent | undefined>;
  /** Harmless when there is none. */
  remove(name: string): Promise<void>;
  names(): AsyncIterable<string>;
}
