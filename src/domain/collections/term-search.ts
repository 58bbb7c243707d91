/** Finds the records of a collection that declares terms. */
export interface TermSearch<Item> {
  /**
   * Records that have at least one term of each set, those with the highest `order` first. A record that exists from the
   * first page to the last is on exactly one.
   * @param request `after`: the mark of the last record of the previous page; null for the first page.
   * @throws ServiceError `invalid_request` for a mark that no record can have.
   */
  matching(
    sets: readonly (readonly string[])[],
    request: { readonly after: string | null; readonly limit: number },
  ): Promise<TermPage<Item>>;
}

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
