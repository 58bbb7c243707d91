export type Scalar = string | number | boolean | null;

/** Members that have to equal, by their names; those of members are named like `owner.issuer`. */
export type Members = Readonly<Record<string, Scalar | undefined>>;

/** The scalar members of a record. */
export type Expected<Item> = {
  readonly [Name in keyof Item as Item[Name] extends Scalar ? Name : never]?: Item[Name];
};

export interface PageRequest {
  /** `next` of the page before; null for the first one. */
  readonly after: string | null;
  readonly limit: number;
  /** Of the index's first member behind the prefix; `from` includes its value, `until` does not. */
  readonly range?: { readonly from?: string | number | null; readonly until?: string | number | null };
  /** What else records have to be. Only a limited number is looked at, so a page may be short, even empty. */
  readonly where?: Members;
}

export interface Page<Item> {
  readonly records: readonly Item[];
  /** Pass as `after` for the next page; absent on the last. */
  readonly next?: string;
}

/**
 * The records of a collection. Each call is atomic, durable when it resolves, and seen by every process from then on.
 * Failures of the store are thrown as ServiceError `unavailable` or `storage_full`.
 */
export interface Records<Item extends object, Index extends string = string> {
  get(key: string): Promise<Item | undefined>;

  /**
   * Stores records, each by itself.
   * @returns for each whether it is new. Where its key or a unique set is taken, nothing changes.
   */
  insert(records: readonly Item[]): Promise<boolean[]>;

  /**
   * Changes members of one record while it is as expected.
   * @returns the record afterwards; undefined when nothing changed, because there is no such record, it is not as
   * expected, or another one has a unique set that this one would get.
   */
  update(key: string, expected: Expected<Item>, change: Partial<Item>): Promise<Item | undefined>;

  /** Removes a record while it is as expected. @returns whether it did. */
  remove(key: string, expected?: Expected<Item>): Promise<boolean>;

  /**
   * Records whose first members of the index equal the prefix, ordered by the other members. A record with null in one
   * of those is on no page. Of a unique set the prefix has all members. A record that is there from the first page to the last is on exactly one.
   * @throws ServiceError `invalid_request` for a cursor of another question.
   */
  page(index: Index, prefix: readonly Scalar[], request: PageRequest): Promise<Page<Item>>;
}

const pageSize = 100;

/** All records of an index, page by page. */
export async function* eachRecord<Item extends object, Index extends string>(
  records: Pick<Records<Item, Index>, 'page'>,
  index: Index,
  prefix: readonly Scalar[],
  more: Pick<PageRequest, 'range' | 'where'> = {},
): AsyncGenerator<Item> {
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const page: Page<Item> = await records.page(index, prefix, { ...more, after, limit: pageSize });
    yield* page.records;
    after = page.next;
  }
}

/** The first record of an index, such as the only one of a unique set. */
export async function firstRecord<Item extends object, Index extends string>(
  records: Pick<Records<Item, Index>, 'page'>,
  index: Index,
  prefix: readonly Scalar[],
): Promise<Item | undefined> {
  return (await records.page(index, prefix, { after: null, limit: 1 })).records[0];
}
