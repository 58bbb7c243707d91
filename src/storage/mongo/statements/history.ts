import type { StoredStatement } from '../../../domain/integrity/ports.ts';
import type { Unreadable } from '../../../domain/maintenance/fsck/ports.ts';
import type { HistoryPage } from '../../../domain/maintenance/migration/ports.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import { readStatement } from '../fsck/statements.ts';
import type { GraphNumbers } from '../graphs/graph-numbers.ts';
import { endOfPositions } from '../positions.ts';
import { type StatementDocument, statementCollection } from './statement-documents.ts';
import type { StatementFilter } from './statement-reader.ts';

type StatementKey = Pick<StatementDocument, '_id' | 'position'>;
type Entry = StoredStatement | Unreadable;

/** What every store takes in one step. */
const pageRows = 200;
const pageBytes = 1 << 20;
const unknownReported = 1_000;
const projection = { position: 1 } as const;

/** Statements in the order in which they were stored: the trusted ones and the others, merged. */
export async function* statementsInOrder(
  database: Database,
  numbers: GraphNumbers,
  after: string | null,
): AsyncGenerator<HistoryPage> {
  const from = after === null ? Buffer.alloc(0) : Buffer.from(after, 'hex');
  let page: StatementKey[] = [];
  for await (const key of merged(keysInOrder(database, true, from), keysInOrder(database, false, from))) {
    page.push(key);
    if (page.length < pageRows) continue;
    yield* pagesOf(database, numbers, page);
    page = [];
  }
  yield* pagesOf(database, numbers, page);
  const unknownDocuments = await withoutPlace(database);
  if (unknownDocuments.length > 0)
    yield { entries: unknownDocuments, last: Buffer.from(endOfPositions).toString('hex') };
}

/** The keys of one list, from milestone to milestone: some servers sort a whole list for the first of it. */
async function* keysInOrder(
  database: Database,
  isTrusted: boolean,
  after: Uint8Array,
): AsyncGenerator<StatementKey> {
  const statements = statementCollection(database);
  for (let from: Uint8Array | undefined = after; from; ) {
    const beyond: StatementFilter = { isTrusted, position: { $gt: from } };
    const mark: StatementKey | null = await translated(() =>
      statements.findOne<StatementKey>(
        { ...beyond, milestone: true },
        { projection, sort: { position: 1 }, hint: 'trusted_milestones' },
      ),
    );
    const stretch: StatementFilter = mark
      ? { isTrusted, position: { $gt: from, $lte: mark.position } }
      : beyond;
    const options = { projection, sort: { position: 1 }, hint: 'trusted' } as const;
    yield* await translated(() => statements.find<StatementKey>(stretch, options).toArray());
    from = mark?.position;
  }
}

async function* merged(
  ...lists: readonly [AsyncIterator<StatementKey>, AsyncIterator<StatementKey>]
): AsyncGenerator<StatementKey> {
  const [one, other] = lists;
  let [head, otherHead] = await Promise.all([one.next(), other.next()]);
  while (!head.done || !otherHead.done) {
    const isFirst =
      !head.done && (otherHead.done || Buffer.compare(head.value.position, otherHead.value.position) < 0);
    if (isFirst) {
      yield head.value;
      head = await one.next();
    } else if (!otherHead.done) {
      yield otherHead.value;
      otherHead = await other.next();
    }
  }
}

/** One page, or more where statements are large. */
async function* pagesOf(
  database: Database,
  numbers: GraphNumbers,
  keys: readonly StatementKey[],
): AsyncGenerator<HistoryPage> {
  let entries: Entry[] = [];
  let bytes = 0;
  let last = '';
  for await (const document of documentsOf(database, keys)) {
    const entry = await readStatement(document, numbers);
    entries.push('statement' in entry ? entry.statement : entry);
    bytes += document.jcs?.length ?? 0;
    last = Buffer.from(document.position).toString('hex');
    if (bytes < pageBytes) continue;
    yield { entries, last };
    [entries, bytes] = [[], 0];
  }
  if (entries.length > 0) yield { entries, last };
}

const documentsAtOnce = 16;

/** In the order of the keys. */
async function* documentsOf(
  database: Database,
  keys: readonly StatementKey[],
): AsyncGenerator<StatementDocument> {
  for (let at = 0; at < keys.length; at += documentsAtOnce) {
    const ids = keys.slice(at, at + documentsAtOnce).map(({ _id }) => _id);
    const found = await translated(() =>
      statementCollection(database)
        .find({ _id: { $in: ids } })
        .toArray(),
    );
    yield* found.sort((one, other) => Buffer.compare(one.position, other.position));
  }
}

/** What no list has. */
async function withoutPlace(database: Database): Promise<Unreadable[]> {
  const filter = {
    $or: [{ position: { $not: { $type: 'binData' } } }, { isTrusted: { $not: { $type: 'bool' } } }],
  };
  const found = await translated(() =>
    statementCollection(database)
      .find(filter as never, { projection: { _id: 1 }, limit: unknownReported })
      .toArray(),
  );
  return found.map(({ _id }) => ({
    id: _id instanceof Uint8Array ? Buffer.from(_id).toString('hex') : String(_id),
    problem: 'Its document has no place in the order of statements',
  }));
}

export async function memberships(database: Database): Promise<number> {
  const graphs = { $size: { $cond: [{ $isArray: '$graphs' }, '$graphs', []] } };
  const [found] = await translated(() =>
    statementCollection(database)
      .aggregate<{ count: number }>([{ $group: { _id: null, count: { $sum: graphs } } }])
      .toArray(),
  );
  return found?.count ?? 0;
}
