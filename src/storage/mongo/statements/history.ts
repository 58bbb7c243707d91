import type { Collection } from 'mongodb';
import type { StoredStatement } from '../../../domain/integrity/ports.ts';
import type { Unreadable } from '../../../domain/maintenance/fsck/ports.ts';
import type { HistoryPage } from '../../../domain/maintenance/migration/ports.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import { readStatement } from '../fsck/statements.ts';
import type { RegisteredGraphs } from '../graphs/registered-graphs.ts';
import { positionIn } from '../positions.ts';
import { countBoth, type StatementDocument, statementCollections } from './statement-documents.ts';
import { among } from './statement-inserts.ts';

type Sort = 'verified' | 'unverified';

const keysAtOnce = 4_000;
/** What every store takes in one step. */
const pageRows = 200;
const pageBytes = 1 << 20;
const documentsAtOnce = 16;
const unknownReported = 1_000;

/** Verified statements in the order of storing, then the unverified ones. */
export async function* statementsInOrder(
  database: Database,
  graphs: RegisteredGraphs,
  after: string | null,
): AsyncGenerator<HistoryPage> {
  const [start = 'verified', place = ''] = after?.split(' ') ?? [];
  if (start === 'verified') yield* ofSort(database, graphs, 'verified', place);
  yield* ofSort(database, graphs, 'unverified', start === 'unverified' ? place : '');
}

async function* ofSort(
  database: Database,
  graphs: RegisteredGraphs,
  sort: Sort,
  after: string,
): AsyncGenerator<HistoryPage> {
  const statements = statementCollections(database)[sort];
  let entries: (StoredStatement | Unreadable)[] = [];
  let [last, bytes] = [after, 0];
  for await (const document of inOrder(statements, after)) {
    const entry = await readStatement(document, sort === 'verified', graphs);
    entries.push('statement' in entry ? entry.statement : entry);
    bytes += document.jcs?.length ?? 0;
    last = `${sort} ${document.position}`;
    if (entries.length < pageRows && bytes < pageBytes) continue;
    yield { entries, last };
    [entries, bytes] = [[], 0];
  }
  entries.push(...(await withoutPosition(statements)));
  if (entries.length > 0) yield { entries, last };
}

/** Reads keys by the index first, then some documents at a time: a server may have to sort what it reads. */
async function* inOrder(
  statements: Collection<StatementDocument>,
  after: string,
): AsyncGenerator<StatementDocument> {
  const options = {
    projection: { position: 1 },
    sort: { position: 1 },
    hint: 'storing',
    limit: keysAtOnce,
  } as const;
  for (let last = positionIn(after); ; ) {
    const filter = last ? { position: { $gt: last } } : {};
    const keys = await translated(() => statements.find(filter, options).toArray());
    for (let at = 0; at < keys.length; at += documentsAtOnce) {
      const some = among(keys.slice(at, at + documentsAtOnce));
      const found = await translated(() => statements.find(some).toArray());
      yield* found.sort((one, other) => Buffer.compare(one.position.id, other.position.id));
    }
    last = keys.at(-1)?.position;
    if (keys.length < keysAtOnce) return;
  }
}

async function withoutPosition(statements: Collection<StatementDocument>): Promise<Unreadable[]> {
  const filter = { position: { $not: { $type: 'objectId' } } } as const;
  const options = { projection: { _id: 1 }, limit: unknownReported };
  const found = await translated(() => statements.find(filter, options).toArray());
  return found.map(({ _id }) => ({
    id: _id instanceof Uint8Array ? Buffer.from(_id).toString('hex') : String(_id),
    problem: 'Its document has no position in the order of storing',
  }));
}

/** How many graphs all statements are in together. */
export async function memberships(database: Database): Promise<number> {
  const size = { $size: { $cond: [{ $isArray: '$graphs' }, '$graphs', []] } };
  const stages = [{ $group: { _id: null, count: { $sum: size } } }];
  return await translated(() =>
    countBoth(database, async (statements) => {
      const [found] = await statements.aggregate<{ count: number }>(stages).toArray();
      return found?.count ?? 0;
    }),
  );
}
