/** Finds the records of a collection that declares terms. */
export interface TermSearch<Item> {
  /**
   * Records that have at least one term of each set, those with the highest `order` first. A store leaves out sets that seem to
   * make the answer hardly smaller, so others may come, too. A record that exists from the first page to the last, and that has
   * a term of each set, is on exactly one.
   * @param groups of sets. Each group is about a part of what is looked for, and its sets are often found together.
   * @param request `after`: the mark of the last record of the previous page; null for the first page. `isExact`: leave out
   * no set, because too many others came.
   * @throws ServiceError `invalid_request` for a mark that no record can have.
   */
  matching(
    groups: readonly TermGroup[],
    request: { readonly after: string | null; readonly limit: number; readonly isExact?: boolean },
  ): Promise<TermPage<Item>>;

  /** All that `matching` answers, if these are at most `most`; otherwise undefined, which is quicker than a page. */
  few(groups: readonly TermGroup[], most: number): Promise<TermPage<Item>['found'] | undefined>;
}

export type TermSet = readonly string[];
export type TermGroup = readonly TermSet[];

export interface TermPage<Item> {
  readonly found: readonly { readonly record: Item; readonly mark: string }[];
  readonly isLast: boolean;
}

/** What a collection is searched by. */
export interface Terms<Item> {
  /** Lower-case letters and digits of ASCII. They never change. */
  of(record: Item): readonly string[];
  /** A number that decides which records come first. */
  readonly order: string;
}
