export type Scalar = string | number | boolean | null;

/** Expected values by member. Nested members are written like `owner.issuer`. */
export type Members = Readonly<Record<string, Scalar | undefined>>;

export type Expected<Item> = {
  readonly [Name in keyof Item as Item[Name] extends Scalar ? Name : never]?: Item[Name];
};

export type Order = 'ascending' | 'descending';

export interface PageRequest {
  /** `next` of the previous page; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
  /** Default: that of the collection. A cursor belongs to its order. */
  readonly order?: Order;
  /** A range of the first index member after the prefix: from `from`, before `until`. */
  readonly range?: { readonly from?: string | number | null; readonly until?: string | number | null };
  /** More conditions. */
  readonly where?: Members;
}

export interface Page<Item> {
  readonly records: readonly Item[];
  /** Pass as `after` for the next page. Absent on the last page. */
  readonly next?: string;
}

/** The number of some records, and the sum of a number in them. */
export interface Total {
  readonly count: number;
  readonly sum: number;
}

/** Records of a store that is only read. */
export type ReadRecords<Item extends object, Index extends string = string> = Pick<
  Records<Item, Index>,
  'get' | 'page' | 'among'
>;

/**
 * The records of a collection. Each call is atomic, durable when it resolves, and then visible to every process.
 * Failures of the store are ServiceErrors `unavailable` or `storage_full`.
 */
export interface Records<Item extends object, Index extends string = string> {
  get(key: string): Promise<Item | undefined>;

  /** Stores each record, unless its key or a unique set is taken. @returns for each whether it is new. */
  insert(records: readonly Item[]): Promise<boolean[]>;

  /**
   * Changes members of one record if it is as expected. @returns the record afterwards; undefined if nothing changed,
   * because the record does not exist, is not as expected, or a unique set is taken.
   */
  update(key: string, expected: Expected<Item>, change: Partial<Item>): Promise<Item | undefined>;

  /** The same change of many records. Each is changed by itself if it is as expected. Members of unique sets cannot be changed. */
  updateAll(keys: readonly string[], expected: Expected<Item>, change: Partial<Item>): Promise<void>;

  /** Removes a record if it is as expected. @returns whether it was removed. */
  remove(key: string, expected?: Expected<Item>): Promise<boolean>;

  /**
   * Records whose first index members equal the prefix, ordered by the other members, without those that have a null
   * there. For a unique set, the prefix has all members. A record that exists from the first page to the last is on
   * exactly one. A page ends at a number of bytes, and reads a limited number of records. So it may be short, and with
   * `where` even empty, although more records follow.
   * @throws ServiceError `invalid_request` for a cursor of another query.
   */
  page(index: Index, prefix: readonly Scalar[], request: PageRequest): Promise<Page<Item>>;

  /**
   * Of all records whose first index members equal the prefix, by the value of the next index member.
   * @param member a number, which may be nested or missing.
   */
  totals(index: Index, prefix: readonly Scalar[], member: string): Promise<ReadonlyMap<Scalar, Total>>;

  /**
   * For each value the first `limit` records whose first index member equals it, in the order of the index.
   * @param then values of the index members after the first.
   */
  among(
    index: Index,
    values: readonly Scalar[],
    limit: number,
    then?: readonly Scalar[],
  ): Promise<(readonly Item[])[]>;
}

/** The records of all pages, which have up to `limit` records each. */
export async function* eachRecord<Item extends object, Index extends string>(
  records: Pick<Records<Item, Index>, 'page'>,
  index: Index,
  prefix: readonly Scalar[],
  { limit = 100, ...more }: Partial<Omit<PageRequest, 'after'>> = {},
): AsyncGenerator<Item> {
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const page: Page<Item> = await records.page(index, prefix, { ...more, after, limit });
    yield* page.records;
    after = page.next;
  }
}

/** The first record of an index, or the only one of a unique set. */
export async function firstRecord<Item extends object, Index extends string>(
  records: Pick<Records<Item, Index>, 'page'>,
  index: Index,
  prefix: readonly Scalar[],
): Promise<Item | undefined> {
  return (await records.page(index, prefix, { after: null, limit: 1 })).records[0];
}
