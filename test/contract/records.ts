import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Collection, collection, type RecordStore } from '../../src/domain/collections/collection.ts';
import { removeExpired } from '../../src/domain/collections/expiry.ts';
import { eachRecord, type PageRequest, type Scalar } from '../../src/domain/collections/records.ts';

const shape = z.object({
  isbn: z.string(),
  author: z.string(),
  title: z.string(),
  code: z.string().nullable(),
  shelf: z.object({ floor: z.int(), name: z.string() }),
  at: z.int(),
  price: z.number(),
  isSold: z.boolean(),
  dueAt: z.int().nullable(),
  notes: z.unknown(),
  edition: z.int().default(1),
});
type Book = z.output<typeof shape>;

const declaration = {
  shape,
  key: 'isbn',
  unique: { byTitle: ['author', 'title'], byCode: ['author', 'code'] },
  indexes: {
    byTime: ['at'],
    byAuthor: ['author', 'at'],
    byFloor: ['shelf.floor', 'isSold', 'at'],
    byPrice: ['isSold', 'price'],
    sold: ['author', 'price'],
  },
  partial: { sold: { isSold: true } },
  expiry: 'dueAt',
} as const;
const books = collection('books', declaration);
/** Members with the names of columns that SQLite's own tables have. */
const columns = collection('columns', {
  shape: z.object({ id: z.string(), value: z.string(), key: z.string() }),
  key: 'id',
  indexes: { byValue: ['value', 'key'] },
});
const newest = collection('newest_books', { ...declaration, order: 'descending' });
export const recordCollections: readonly Collection[] = [books, newest, columns];

function book(more: Partial<Book> = {}): Book {
  const isbn = randomUUID();
  return {
    isbn,
    author: `Author ${isbn}`,
    title: 'A title with "quotes", ä and 🪨',
    code: null,
    shelf: { floor: 1, name: 'left' },
    at: 5,
    price: 9.5,
    isSold: false,
    dueAt: null,
    notes: null,
    edition: 1,
    ...more,
  };
}

/** What the records of every store do. */
export function recordsContract(open: () => Promise<RecordStore & AsyncDisposable>): void {
  describe('records', () => {
    let store: RecordStore & AsyncDisposable;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store[Symbol.asyncDispose]());
    const records = () => store.of(books);

    async function inserted(more: Partial<Book> = {}): Promise<Book> {
      const record = book(more);
      expect(await records().insert([record])).toEqual([true]);
      return record;
    }

    async function all(index: keyof (typeof books)['indexes'], prefix: Scalar[], limit = 3, more = {}) {
      const found: Book[] = [];
      for (let after: string | null | undefined = null; after !== undefined; ) {
        const page = await records().page(index, prefix, { ...more, after, limit });
        expect(page.records.length).toBeLessThanOrEqual(limit);
        found.push(...(page.records as Book[]));
        after = page.next;
      }
      return found;
    }

    test('keeps records with nulls and nested JSON', async () => {
      const notes = { list: [1, 'two', null, { deep: [true] }], empty: {}, text: '\u0000"\\' };
      const whole = await inserted({ code: 'a', dueAt: 2 ** 42, notes });
      const bare = await inserted();
      expect(await records().get(whole.isbn)).toEqual(whole);
      expect(await records().get(bare.isbn)).toEqual(bare);
      expect(await records().get(randomUUID())).toBeUndefined();
    });

    test('reads a record of an earlier version with the defaults of the members that it lacks', async () => {
      const { edition, ...earlier } = book();
      await records().insert([earlier as Book]);
      expect(await records().get(earlier.isbn)).toEqual({ ...earlier, edition });
      expect(await all('byAuthor', [earlier.author])).toEqual([{ ...earlier, edition }]);
      expect(await records().update(earlier.isbn, {}, { price: 1 })).toEqual({
        ...earlier,
        edition,
        price: 1,
      });
    });

    test('insert reports which records are new, and keeps existing ones', async () => {
      const known = await inserted();
      const [one, other] = [book(), book()];
      expect(await records().insert([])).toEqual([]);
      const changed = { ...known, price: 1 };
      expect(await records().insert([one, changed, other, { ...one, at: 6 }])).toEqual([
        true,
        false,
        true,
        false,
      ]);
      for (const record of [known, one, other]) expect(await records().get(record.isbn)).toEqual(record);
      expect(await records().insert([one, other])).toEqual([false, false]);
    });

    test('insert refuses a taken unique set, and ignores sets with a null', async () => {
      const { author, title } = await inserted({ code: 'c' });
      expect(await records().insert([book({ author, title })])).toEqual([false]);
      expect(await records().insert([book({ author, title: 'Other', code: 'c' })])).toEqual([false]);
      const others = [book({ author, title: 'B' }), book({ author, title: 'C' })];
      expect(await records().insert(others)).toEqual([true, true]);
    });

    test('twenty concurrent inserts of one unique set store one', async () => {
      const { author, title } = book();
      const twenty = Array.from({ length: 20 }, () => book({ author, title }));
      const results = await Promise.all(twenty.map((record) => records().insert([record])));
      expect(results.flat().filter((isNew) => isNew)).toHaveLength(1);
      expect(await all('byAuthor', [author])).toHaveLength(1);
    });

    test('concurrent inserts of the same batch store each record once', async () => {
      const batch = Array.from({ length: 20 }, () => book());
      const results = await Promise.all([1, 2, 3].map(() => records().insert(batch)));
      for (const at of batch.keys()) expect(results.filter((isNew) => isNew[at])).toHaveLength(1);
    });

    test('counts records and sums a number in them, by the next index member', async () => {
      const author = randomUUID();
      const made = [1, 2, 2].map((at, index) =>
        book({ author, title: String(index), at, price: index / 2, shelf: { floor: 10 * at, name: 'left' } }),
      );
      await records().insert([...made, book({ author: randomUUID() })]);
      const totals = async (member: string) => await records().totals('byAuthor', [author], member);
      const sums = (one: number, two: number) =>
        new Map([
          [1, { count: 1, sum: one }],
          [2, { count: 2, sum: two }],
        ]);
      expect(await totals('price')).toEqual(sums(0, 1.5));
      expect(await totals('shelf.floor')).toEqual(sums(10, 40));
      expect(await totals('notes')).toEqual(sums(0, 0));
      expect(await records().totals('byAuthor', [randomUUID()], 'at')).toEqual(new Map());
    });

    test('finds the first records of many values at once', async () => {
      const [few, many] = [randomUUID(), randomUUID()];
      const made = [3, 1, 2].map((at) => book({ author: many, title: String(at), at }));
      const other = book({ author: few, title: 'Other' });
      await records().insert([...made, other]);
      const found = await records().among('byAuthor', [few, randomUUID(), many, few], 2);
      expect(found).toEqual([[other], [], [made[1], made[2]], [other]]);
      expect(await records().among('byAuthor', [many], 1)).toEqual([[made[1]]]);
      expect(await store.of(newest).among('byAuthor', [many], 2)).toEqual([[]]);
      expect(await records().among('key', [other.isbn, 'unknown'], 1)).toEqual([[other], []]);
      expect(await records().among('byTitle', [many], 5)).toEqual([made.toSorted((a, b) => a.at - b.at)]);
      expect(await records().among('byAuthor', [], 1)).toEqual([]);
      expect(await records().among('byAuthor', [few, many], 2, [2])).toEqual([[], [made[2]]]);
      const crowd = Array.from({ length: 5 }, (_, at) => book({ author: few, title: String(at), at: 2 }));
      await records().insert(crowd);
      const counts = (await records().among('byAuthor', [few, many], 3, [2])).map(({ length }) => length);
      expect(counts).toEqual([3, 1]);
      const record = { id: few, value: many, key: 'k' };
      await store.of(columns).insert([record]);
      expect(await store.of(columns).among('key', [few], 1)).toEqual([[record]]);
      expect(await store.of(columns).among('byValue', [many], 1)).toEqual([[record]]);
    });

    test('update changes members of one record if it is as expected', async () => {
      const record = await inserted({ code: 'x', notes: { a: 1, b: [2] } });
      const { isbn } = record;
      const change = {
        code: null,
        price: 1,
        isSold: true,
        dueAt: 7,
        notes: { a: null },
        shelf: { floor: 2, name: '' },
      };
      const expected = { code: 'x', isSold: false, dueAt: null, price: 9.5 };
      const other = await inserted();
      for (const wrong of [{ code: 'y' }, { isSold: true }, { dueAt: 0 }, { price: 9 }, { code: null }])
        expect(await records().update(isbn, { ...expected, ...wrong }, change)).toBeUndefined();
      expect(await records().get(isbn)).toEqual(record);
      expect(await records().update(isbn, expected, change)).toEqual({ ...record, ...change });
      expect(await records().get(isbn)).toEqual({ ...record, ...change });
      expect(await records().get(other.isbn)).toEqual(other);
      expect(await records().update(isbn, { code: null, isSold: true }, { at: 8 })).toMatchObject({ at: 8 });
      expect(await records().update(randomUUID(), {}, { at: 8 })).toBeUndefined();
    });

    test('updateAll changes those records that are as expected', async () => {
      const wanted = [await inserted({ isSold: true }), await inserted({ isSold: true })];
      const others = [await inserted({ isSold: true, price: 2 }), await inserted({ isSold: true })];
      const keys = [...wanted, ...others.slice(0, 1)].map(({ isbn }) => isbn);
      await records().updateAll([...keys, randomUUID()], { price: 9.5 }, { isSold: false, dueAt: 7 });
      for (const book of wanted)
        expect(await records().get(book.isbn)).toEqual({ ...book, isSold: false, dueAt: 7 });
      for (const book of others) expect(await records().get(book.isbn)).toEqual(book);
      await records().updateAll([], {}, { isSold: false });
      await records().updateAll(keys, {}, { dueAt: null });
      expect((await records().get(String(keys[0])))?.dueAt).toBeNull();
    });

    test('one of twenty concurrent updates with the same expectation happens', async () => {
      const { isbn } = await inserted();
      const twenty = Array.from({ length: 20 }, (_, price) =>
        records().update(isbn, { at: 5 }, { at: 6, price }),
      );
      expect((await Promise.all(twenty)).filter((record) => record !== undefined)).toHaveLength(1);
    });

    test('update cannot take a unique set until it is free', async () => {
      const author = randomUUID();
      const one = await inserted({ author, title: '1', code: 'c' });
      const other = await inserted({ author, title: '2' });
      expect(await records().update(other.isbn, {}, { code: 'c', at: 9 })).toBeUndefined();
      expect(await records().get(other.isbn)).toEqual(other);
      await records().update(one.isbn, {}, { code: null });
      const twenty = await Promise.all(
        [one, other].flatMap(({ isbn }) =>
          Array.from({ length: 10 }, () => records().update(isbn, { code: null }, { code: 'c' })),
        ),
      );
      expect(twenty.filter((record) => record !== undefined)).toHaveLength(1);
      expect(await all('byCode', [author, 'c'])).toHaveLength(1);
    });

    test('remove removes a record once, and only if it is as expected', async () => {
      const { isbn } = await inserted({ code: 'c' });
      expect(await records().remove(isbn, { code: 'd' })).toBe(false);
      expect(await records().remove(isbn, { code: null })).toBe(false);
      expect(await records().remove(isbn, { code: 'c', isSold: false })).toBe(true);
      expect(await records().remove(isbn)).toBe(false);
      expect(await records().get(isbn)).toBeUndefined();
    });

    test('a page continues after the last record despite inserts and removals', async () => {
      const author = randomUUID();
      const ten = Array.from({ length: 10 }, (_, at) => book({ author, title: String(at), at: at * 10 }));
      await records().insert(ten);
      const first = await records().page('byAuthor', [author], { after: null, limit: 4 });
      await records().insert([book({ author, title: 'a', at: 1 }), book({ author, title: 'b', at: 95 })]);
      await records().remove(ten[3]?.isbn ?? '');
      await records().remove(ten[5]?.isbn ?? '');
      const rest = await records().page('byAuthor', [author], { after: first.next ?? '', limit: 9 });
      expect(rest.records.map(({ at }) => at)).toEqual([40, 60, 70, 80, 90, 95]);
      expect(rest.next).toBeUndefined();
    });

    test('a page finds one record behind thousands of others', async () => {
      const author = randomUUID();
      const many = Array.from({ length: 2_500 }, (_, at) => book({ author, title: String(at), at }));
      const sought = { ...book({ author, at: 9_999 }), price: 1, shelf: { floor: 3, name: 'deep' } };
      await records().insert([...many, sought]);
      expect(await all('byAuthor', [author], 100, { where: { price: 1, 'shelf.name': 'deep' } })).toEqual([
        sought,
      ]);
    });

    test('a page ends at a number of bytes, after one record at least', async () => {
      const author = randomUUID();
      const sizes = [100, 900_000, 900_000, 900_000, 5_000_000, 100];
      const made = sizes.map((size, at) => book({ author, title: String(at), at, notes: 'x'.repeat(size) }));
      await records().insert(made);
      const pages: number[][] = [];
      for (let after: string | null | undefined = null; after !== undefined; ) {
        const page = await records().page('byAuthor', [author], { after, limit: 1_000 });
        pages.push(page.records.map(({ at }) => at));
        after = page.next;
      }
      expect(pages).toEqual([[0, 1, 2, 3], [4], [5]]);
      expect((await all('byAuthor', [author], 1_000, { where: { at: 5 } })).map(({ at }) => at)).toEqual([5]);
    });

    test('forged cursors and cursors of other queries are refused', async () => {
      const author = randomUUID();
      await records().insert(['1', '2', '3'].map((title) => book({ author, title })));
      const request = { after: null, limit: 1 };
      const { next = '' } = await records().page('byAuthor', [author], request);
      expect(next).not.toBe('');
      const ask = (prefix: Scalar[], more: Partial<PageRequest>) =>
        records().page('byAuthor', prefix, { limit: 1, after: next, ...more });
      for (const question of [
        ask([author], { after: 'x' }),
        ask([author], { after: `1${next}` }),
        ask([randomUUID()], {}),
        ask([author], { range: { from: 1 } }),
        ask([author], { where: { isSold: true } }),
        ask([author], { order: 'descending' }),
        records().page('byTime', [], { limit: 1, after: next }),
        store.of(newest).page('byAuthor', [author], { limit: 1, after: next }),
      ])
        await expect(question).rejects.toMatchObject({ code: 'invalid_request' });
    });

    test('removes only expired records', async () => {
      const over = await inserted({ dueAt: 1_000 });
      const goingOn = [await inserted({ dueAt: 1_001 }), await inserted()];
      await removeExpired(store, [books], 999);
      expect(await records().get(over.isbn)).toEqual(over);
      await removeExpired(store, [books], 1_000);
      expect(await records().get(over.isbn)).toBeUndefined();
      for (const record of goingOn) expect(await records().get(record.isbn)).toEqual(record);
    });
  });

  describe.each([books, newest])('pages of $name', (declared) => {
    const text = fc.constantFrom('a', 'B', 'ä', '🪨', '', '￿');
    const time = fc.integer({ min: -3, max: 9 });
    const some = fc.record({
      isbn: fc.uuid(),
      author: text,
      title: fc.uuid(),
      code: fc.constant(null),
      shelf: fc.record({ floor: fc.constantFrom(1, 2), name: text }),
      at: time,
      price: fc.constantFrom(0, 0.5, 1, 1e9),
      isSold: fc.boolean(),
      dueAt: fc.option(time),
      notes: fc.constant(null),
      edition: fc.constant(1),
    });
    const library = fc.sample(some, { numRuns: 120, seed: 7 });
    let store: RecordStore & AsyncDisposable;
    beforeAll(async () => {
      store = await open();
      await store.of(declared).insert(library);
    });
    afterAll(() => store[Symbol.asyncDispose]());

    const question = fc.record({
      index: fc.constantFrom('key', 'byTime', 'byAuthor', 'byFloor', 'byPrice', 'sold', 'expiry'),
      like: fc.constantFrom(...library),
      depth: fc.nat({ max: 2 }),
      from: fc.option(time),
      until: fc.option(time),
      where: fc.subarray(['author', 'shelf.floor', 'isSold', 'dueAt'] as const, { maxLength: 2 }),
      limit: fc.integer({ min: 1, max: 50 }),
      order: fc.constantFrom(undefined, 'ascending', 'descending'),
    });

    test('are those of a sorted and filtered list', async () => {
      await fc.assert(
        fc.asyncProperty(
          question,
          async ({ index, like, depth, from, until, where, limit, order: asked }) => {
            const members = declared.indexes[index] ?? [];
            const prefix = members.slice(0, depth).map((member) => memberOf(like, member));
            const first = members[depth];
            const hasRange = first === 'at' || first === 'price' || first === 'dueAt';
            const conditions = Object.fromEntries(where.map((member) => [member, memberOf(like, member)]));
            const request = { ...(hasRange && { range: { from, until } }), where: conditions };
            const found: unknown[] = [];
            for (let after: string | null | undefined = null; after !== undefined; ) {
              const page = await store.of(declared).page(index, prefix, {
                ...request,
                ...(asked && { order: asked }),
                after,
                limit,
              });
              found.push(...page.records.map(({ isbn }) => isbn));
              after = page.next;
            }
            const order = [...members.slice(depth), 'isbn'];
            const inRange = (value: Scalar) =>
              (from === null || Number(value) >= from) && (until === null || Number(value) < until);
            const wanted = library
              .filter((one) =>
                members.slice(0, depth).every((member, at) => memberOf(one, member) === prefix[at]),
              )
              .filter((one) => index !== 'sold' || one.isSold)
              .filter((one) => order.every((member) => memberOf(one, member) !== null))
              .filter((one) => !hasRange || inRange(memberOf(one, first)))
              .filter((one) => where.every((member) => memberOf(one, member) === memberOf(like, member)))
              .toSorted((a, b) => compared(order, a, b));
            if ((asked ?? declared.order) === 'descending') wanted.reverse();
            expect(found).toEqual(wanted.map(({ isbn }) => isbn));
          },
        ),
        { numRuns: 60 },
      );
    });

    test('come one after the other', async () => {
      const read = await Array.fromAsync(eachRecord(store.of(declared), 'key', []));
      expect(read).toHaveLength(120);
    });
  });
}

function memberOf(record: object, member: string): Scalar {
  const value = member
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], record);
  return value as Scalar;
}

/** Texts are ordered by their UTF-8 bytes. */
function compared(order: readonly string[], one: object, other: object): number {
  for (const member of order) {
    const [a, b] = [memberOf(one, member), memberOf(other, member)];
    const difference =
      typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : Number(a) - Number(b);
    if (difference !== 0) return difference;
  }
  return 0;
}
