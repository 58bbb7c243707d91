import type { Visibility } from '../../access/visibility.ts';
import type { RandomAccess } from '../../json/random-access.ts';
import type { Cid } from '../identifiers/cid.ts';
import type { Graph, PutCounts, StatementRow } from '../ports.ts';

/** What exports and imports read from graphs. */
export interface GraphContents {
  /**
   * The statements directly under the visible ones of the graphs (null: all graphs), verified or not, each row once. With
   * null, a reader who sees everything also gets the verified ones in no graph. Ordered by the digest of their ids; of one
   * id the verified rows come first, oldest stored first. Includes at least every row that existed at the start. A store
   * without snapshots can miss an unverified row that becomes verified meanwhile, if its id changes with that.
   */
  statements(
    graphIds: readonly string[] | null,
    visibility: Visibility,
  ): AsyncIterable<readonly StatementRow[]>;

  /** The visible ones of these graphs (null: of all), in the order of registration. */
  visible(graphIds: readonly string[] | null, visibility: Visibility): Promise<string[]>;

  /** How many of these distinct forms are registered under the graph. */
  count(graphId: string, jcsCids: readonly Cid[]): Promise<number>;

  /** The attachments of the graphs, in the order in which the graphs were registered. */
  attachments(graphIds: readonly string[] | null, visibility: Visibility): Promise<GraphAttachments>;
}

/** Documents of graphs beside statements. They are stored as blobs and given by CID. */
export interface GraphAttachments {
  /** Context documents that only the import vouches for, and those that its anchors need. */
  readonly contexts: readonly { readonly url: string; readonly cid: string }[];
  readonly anchors: readonly string[];
}

/** Imports a whole graph at once. The rest of an import that was interrupted is removed later. */
export interface GraphImports {
  /** @param projectId of the new graph. */
  begin(projectId: string): Promise<GraphImport>;
}

/** A running import. The graph is invisible before `publish`. */
export interface GraphImport {
  /** Like `StatementStore.putMany`, under the new graph. */
  put(rows: Iterable<StatementRow>): Promise<PutCounts>;
  /**
   * Makes the graph and all its rows visible at once, durable when it resolves. `exists`: the id is taken, and nothing
   * became visible.
   */
  publish(graph: Graph, attachments: GraphAttachments): Promise<'added' | 'exists'>;
  /**
   * Discards the graph. Trusted statements stay; statements that only this graph shows are removed. Harmless after
   * `publish`.
   */
  abandon(): Promise<void>;
}

/** A temporary file. Nobody can address it, and disposing removes it. */
export interface Spool extends RandomAccess, AsyncDisposable {
  /** Appends. The caller keeps `chunk` unchanged until it resolves. @throws ServiceError `storage_full`. */
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves when all bytes are in memory or have room on the disk. @throws ServiceError `storage_full`. */
  flush(): Promise<void>;
}

export interface SpoolStore {
  open(): Promise<Spool>;
}
