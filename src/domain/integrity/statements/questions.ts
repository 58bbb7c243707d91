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

/** A place of identifiers, and the most statements to find there for each identifier. */
export interface WantedPlace {
  /** See `placeNumber`. */
  readonly place: number;
  readonly limit: number;
}

export interface ReferringQuery {
  readonly identifiers: readonly string[];
  readonly places: readonly WantedPlace[];
  /** The most statements for all identifiers together. */
  readonly most: number;
}

/** The statements that refer to one identifier, once for each role. */
export interface Referring {
  readonly found: readonly { readonly role: string; readonly statement: ReferringStatement }[];
  readonly isCut: boolean;
}

/** Queries across statements. They include every statement whose write has resolved. */
export interface StatementIndex {
  form(jcsCid: Cid, scope: StatementScope): Promise<StoredStatement | undefined>;

  /** All forms of an id, oldest first. In a graph, unverified forms come before verified ones. */
  forms(rdfcCid: Cid, page: Page, scope: StatementScope): Promise<StatementPage>;

  /**
   * What refers to something by any of its identifiers, by number of the place, each newest first; once for each identifier and
   * role. A cursor belongs to the first identifier.
   */
  references(identifiers: readonly string[], page: Page, scope: StatementScope): Promise<ReferencePage>;

  /** One answer for each identifier: by place in the order of the query, each newest first. */
  referringTo(query: ReferringQuery, scope: StatementScope): Promise<Referring[]>;

  /**
   * All forms of the matching statements, newest stored first. Filters with only a time range order by timestamp,
   * latest first. In a graph, unverified statements come before verified ones.
   */
  search(filter: StatementFilter, page: Page, scope: StatementScope): Promise<StatementPage>;
}
