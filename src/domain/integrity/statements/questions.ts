import type { Cid } from '../identifiers/cid.ts';
import type {
  Page,
  ReferencePage,
  StatementFilter,
  StatementPage,
  StatementScope,
  StoredStatement,
} from '../ports.ts';
import type { ReferringStatement } from './rows.ts';

/** Where identifiers may stand, and how many statements are wanted for each of them there. */
export interface WantedPlace {
  /** See `placeNumber`. */
  readonly place: number;
  readonly limit: number;
}

export interface ReferringQuery {
  readonly identifiers: readonly string[];
  readonly places: readonly WantedPlace[];
  /** Most statements for all identifiers together. */
  readonly most: number;
}

/** What refers to one identifier; a statement comes once for each role in which the identifier stands in it. */
export interface Referring {
  readonly found: readonly { readonly role: string; readonly statement: ReferringStatement }[];
  /** Whether there can be more than was found. */
  readonly isCut: boolean;
}

/** Questions across statements. A statement takes part from the moment its write resolved. */
export interface StatementIndex {
  /** One form by its `jcs_cid`. */
  form(jcsCid: Cid, scope: StatementScope): Promise<StoredStatement | undefined>;

  /** All forms of an id, oldest first; of one graph, the unverified ones before the others. */
  forms(rdfcCid: Cid, page: Page, scope: StatementScope): Promise<StatementPage>;

  /** What refers to an identifier, by the number of the place, each newest first; once for each role. */
  references(identifier: string, page: Page, scope: StatementScope): Promise<ReferencePage>;

  /** By place in the order of the query, each newest first. One answer for each identifier. */
  referringTo(query: ReferringQuery, scope: StatementScope): Promise<Referring[]>;

  /**
   * Statements that fit, in all of their forms, newest stored first; latest timestamp first where a span of time alone
   * leads to them. Of one graph, the unverified ones come before the others.
   */
  search(filter: StatementFilter, page: Page, scope: StatementScope): Promise<StatementPage>;
}
