import type { Visibility } from '../../access/visibility.ts';
import type { Cid } from '../identifiers/cid.ts';
import type { GraphAttachments } from '../manifest/ports.ts';
import type { StatementRow } from '../ports.ts';

/** A registered graph in which a row is. */
export interface Membership {
  readonly graphId: string;
  readonly projectId: string;
}

/** As much of a row as a traversal needs. */
export interface ReferringStatement
  extends Pick<StatementRow, 'rdfcCid' | 'kind' | 'references' | 'isTrusted'> {
  /** `type` of an association; null for other kinds, and for a type of over 100 characters. */
  readonly associationType: string | null;
}

export interface WholeStatement extends StatementRow {
  /** Oldest first. A graph that is being imported is not among them. */
  readonly memberships: readonly Membership[];
}

export interface ListedStatement extends WholeStatement {
  /** Where the list goes on after this row: text of the store's own, at most 200 characters. */
  readonly mark: string;
}

/** A row that refers to an identifier. */
export interface ReferringRow extends ReferringStatement, Pick<ListedStatement, 'memberships'> {
  /** Traversals do not ask for it: a store may make it when it is read. */
  readonly jcsCid: Cid;
  /** The row's mark in lists by reference. */
  readonly mark: string;
}

export interface ListedPage {
  readonly rows: readonly ListedStatement[];
  /** Where the list goes on after this page; null when no row follows. */
  readonly next: string | null;
}

/** A list of rows with an index behind it. Newest stored first unless it says otherwise. */
export type StatementList =
  | { readonly by: 'storing' }
  | { readonly by: 'kind'; readonly kind: string }
  /**
   * Latest `timestamp` first, of equal ones the newest stored. `from` and later, earlier than `until`, in milliseconds
   * since 1970 (null: no bound). Rows without a time are in no span.
   */
  | { readonly by: 'time'; readonly from: number | null; readonly until: number | null }
  | { readonly by: 'graph'; readonly graphId: string }
  /** Rows of any graph of these projects, each once. */
  | { readonly by: 'projects'; readonly projects: readonly string[] }
  /** Oldest stored first. */
  | { readonly by: 'id'; readonly rdfcCid: Cid }
  /** Rows that refer to an identifier from any of these places (numbers of `placeNumber`), each once. */
  | { readonly by: 'reference'; readonly identifier: string; readonly places: readonly number[] };

/**
 * Rows of one sort: those whose contexts were verified, or the others, which live apart. `isTrusted` is the same for
 * all of them. A row takes part from the moment its write resolved. One that is put again, verified, leaves the
 * unverified rows with all its graphs and is stored as a new one among the verified.
 */
export interface StatementRows {
  /**
   * At most `limit` rows of a list after a mark (null: from its beginning); fewer, but not none, where they are large.
   * @throws ServiceError `invalid_request` for a mark that the list cannot have.
   */
  page(list: StatementList, after: string | null, limit: number): Promise<ListedPage>;

  /**
   * For each identifier the rows that refer to it from these places (null: from any), newest stored first, each once;
   * null where they are more than `limit`, or more than can be held together. A row that refers to several is the same
   * object for all. Rows that refer to it from elsewhere, or not at all, may be among them and count.
   */
  referring(
    identifiers: readonly string[],
    places: readonly number[] | null,
    limit: number,
  ): Promise<(readonly ReferringRow[] | null)[]>;

  /** Rows by their `jcs_cid`, in the order asked; undefined for those that are not there. */
  whole(jcsCids: readonly Cid[]): Promise<(WholeStatement | undefined)[]>;

  /**
   * At most `limit` marks of the rows of a graph, in the order of manifests: by the digest of their `rdfc_cid`, then
   * oldest stored first. Fewer only at the end. A mark is 32 hexadecimal digits, with which the digest begins, and then
   * text of the store's own. Marks sort by code units as their rows do, and are the same in all graphs of a row.
   * @throws ServiceError `invalid_request` for a mark that it cannot have.
   */
  contents(graphId: string, after: string | null, limit: number): Promise<string[]>;

  /** The rows of marks of `contents`, in the order asked; undefined for those that are gone. */
  atMarks(marks: readonly string[]): Promise<(StatementRow | undefined)[]>;
}

export interface StatementRowsOfStore {
  readonly verified: StatementRows;
  readonly unverified: StatementRows;
}

/** What a store has at one moment, as far as it can keep that. */
export interface RowsSnapshot extends AsyncDisposable {
  readonly rows: StatementRowsOfStore;
  readonly graphReads: GraphReads;
}

/** What manifests read of registered graphs beside their rows. */
export interface GraphReads {
  /** Those of the graphs (null: of all) that the reader may see, each once, in the order of their registration. */
  visible(graphIds: readonly string[] | null, visibility: Visibility): Promise<string[]>;
  /** In the order of the graphs. */
  attachments(graphIds: readonly string[]): Promise<GraphAttachments>;
}
