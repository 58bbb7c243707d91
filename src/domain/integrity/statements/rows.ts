import { isVisible, type Visibility } from '../../access/visibility.ts';
import type { Cid } from '../identifiers/cid.ts';
import type { GraphAttachments } from '../manifest/ports.ts';
import type { StatementRow, StatementScope, StoredStatement } from '../ports.ts';

/** A registered graph that contains a row. */
export interface Membership {
  readonly graphId: string;
  readonly projectId: string;
}

/** The parts of a row that a traversal needs. */
export interface ReferringStatement
  extends Pick<StatementRow, 'rdfcCid' | 'kind' | 'references' | 'time' | 'isTrusted'> {
  /** See `associationType`. */
  readonly associationType: string | null;
  /** As in `WholeStatement`. */
  readonly memberships: readonly Membership[];
}

/** Where a row is, without its content. */
export interface PlacedStatement extends Pick<StatementRow, 'jcsCid'> {
  /** Grows in the order of storing, among verified rows and among unverified ones. A safe integer. */
  readonly position: number;
  /** Oldest first, without graphs that are being imported. */
  readonly memberships: readonly Membership[];
}

export interface WholeStatement extends StatementRow, PlacedStatement {}

export interface ListedStatement extends WholeStatement {
  /** Where the list continues after this row: text of the store, at most 200 characters. */
  readonly mark: string;
}

export interface ReferringRow extends ReferringStatement {
  /** Traversals do not use it, so a store can compute it on access. */
  readonly jcsCid: Cid;
  /** The row's mark in lists by reference. */
  readonly mark: string;
}

export interface ListedPage {
  readonly rows: readonly ListedStatement[];
  /** Where the list continues after this page; null at the end. */
  readonly next: string | null;
}

/** A list of rows with an index. Newest stored first unless stated otherwise. */
export type StatementList =
  | { readonly by: 'storing' }
  | { readonly by: 'kind'; readonly kind: string }
  /**
   * Latest `timestamp` first, then newest stored: from `from`, before `until`, in milliseconds since 1970 (null: no
   * limit). Rows without a time are excluded.
   */
  | { readonly by: 'time'; readonly from: number | null; readonly until: number | null }
  | { readonly by: 'graph'; readonly graphId: string }
  /** Distinct rows of all graphs of these projects. */
  | { readonly by: 'projects'; readonly projects: readonly string[] }
  /** Oldest stored first. */
  | { readonly by: 'id'; readonly rdfcCid: Cid }
  /** Distinct rows that refer to an identifier from any of these places (see `placeNumber`). */
  | { readonly by: 'reference'; readonly identifier: string; readonly places: readonly number[] };

/**
 * Either the verified or the unverified rows, as `isTrusted` says. Rows are included as soon as their write has
 * resolved. An unverified row that is stored again as verified moves to the verified rows with all its graphs, as a
 * new row.
 */
export interface StatementRows {
  /**
   * At most `limit` rows after a mark (null: from the start). Large rows make a page shorter, but not empty.
   * @throws ServiceError `invalid_request` for a mark of another list.
   */
  page(list: StatementList, after: string | null, limit: number): Promise<ListedPage>;

  /**
   * For each identifier the distinct rows that refer to it from these places (null: from any), newest stored first;
   * null if they are more than `limit`, or too large. A row that refers to several identifiers is one object. The
   * rows may include others that do not refer to it from there.
   */
  referring(
    identifiers: readonly string[],
    places: readonly number[] | null,
    limit: number,
  ): Promise<(readonly ReferringRow[] | null)[]>;

  /** Rows by `jcs_cid`, in the given order; undefined for unknown ones. */
  whole(jcsCids: readonly Cid[]): Promise<(WholeStatement | undefined)[]>;

  /** As `whole`, without the contents, which are neither read nor compared with their digests. */
  placed(jcsCids: readonly Cid[]): Promise<(PlacedStatement | undefined)[]>;
}

export interface BySort<Rows> {
  readonly verified: Rows;
  readonly unverified: Rows;
}

export type StatementRowsOfStore = BySort<StatementRows>;

/** The rows of graphs, either verified or not, in the order of manifests. */
export interface OrderedRows {
  /**
   * At most `limit` marks of the rows of a graph (null: those in no registered graph, and possibly others; verified
   * rows only) in the order of manifests: by the digest of their `rdfc_cid`, then oldest stored first. Shorter only at
   * the end. A mark is the first 32 hexadecimal digits of the digest and text of the store. Marks sort like their rows,
   * and a row has the same mark in all graphs. @throws ServiceError `invalid_request` for an invalid mark.
   */
  contents(graphId: string | null, after: string | null, limit: number): Promise<string[]>;

  /** The rows of marks of `contents`, in the given order; undefined for removed rows. */
  atMarks(marks: readonly string[]): Promise<(StatementRow | undefined)[]>;
}

/** The content of a store at one moment, if the store supports that. */
export interface RowsSnapshot extends AsyncDisposable {
  readonly rows: BySort<OrderedRows>;
  readonly graphReads: Pick<GraphReads, 'visible' | 'sizes'>;
}

/** What manifests read from registered graphs beside rows. */
export interface GraphReads {
  /** The visible ones of these graphs (null: of all), in the order of registration. */
  visible(graphIds: readonly string[] | null, visibility: Visibility): Promise<string[]>;
  /** The stored number of statements of each graph; null if the store counts them each time. */
  sizes(graphIds: readonly string[]): Promise<ReadonlyMap<string, number> | null>;
  /** In the order of the graphs. */
  attachments(graphIds: readonly string[]): Promise<GraphAttachments>;
}

/** A longer `type` of an association is not shown. */
const typeLength = 100;

export function referringStatement(
  row: StatementRow & Partial<Pick<WholeStatement, 'memberships'>>,
): ReferringStatement {
  const { rdfcCid, kind, references, time, isTrusted, memberships = [] } = row;
  return { rdfcCid, kind, references, time, isTrusted, memberships, associationType: associationType(row) };
}

/** The `type` of an association; null for other kinds. */
export function associationType({ kind, jcs }: Pick<StatementRow, 'kind' | 'jcs'>): string | null {
  return kind === 'AssociationRegistration' ? shownType(JSON.parse(Buffer.from(jcs).toString()).type) : null;
}

export function shownType(type: unknown): string | null {
  return typeof type === 'string' && type.length <= typeLength ? type : null;
}

/** The rows for a query: verified ones. In a graph also the unverified ones, which come first. */
export function rowsIn(
  { verified, unverified }: StatementRowsOfStore,
  { graphId, visibility: { projects } }: StatementScope,
): StatementRows[] {
  if (projects !== 'all' && projects.size === 0) return [];
  return graphId === null ? [verified] : [unverified, verified];
}

export function isInScope(
  { memberships }: { readonly memberships: readonly Membership[] },
  { graphId, visibility }: StatementScope,
): boolean {
  if (graphId === null && visibility.projects === 'all') return true;
  return memberships.some(
    (one) => (graphId === null || one.graphId === graphId) && isVisible(one.projectId, visibility),
  );
}

/** The statement with its visible graphs. */
export function storedStatement(
  { memberships, mark: _, position: _position, ...row }: WholeStatement & { readonly mark?: string },
  { visibility }: StatementScope,
): StoredStatement {
  const visible = memberships.filter(({ projectId }) => isVisible(projectId, visibility));
  return { ...row, graphIds: visible.map(({ graphId }) => graphId) };
}
