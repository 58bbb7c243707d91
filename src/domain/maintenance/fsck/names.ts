import { jcs } from '../../integrity/identification/jcs.ts';
import { cidIn } from '../../integrity/identifiers/cid.ts';
import { documentLimit } from '../../integrity/names/name.ts';
import { type Naming, nameRecords, namingOf } from '../../integrity/names/name-records.ts';
import { recordsOf } from '../../integrity/names/naming.ts';
import type { StatementRow } from '../../integrity/ports.ts';
import { orphan, repairable, type StoreProblem, unfinished } from '../problems.ts';
import type { FsckRun } from './run.ts';

type Run = Pick<FsckRun, 'store' | 'repair'>;

/** Compares the names that statements and their documents give with the index. */
export async function* namesOfRows(
  { store, repair }: Run,
  rows: readonly StatementRow[],
): AsyncGenerator<StoreProblem> {
  const namings = rows.flatMap((row) => namingOf(row) ?? []);
  if (namings.length === 0) return;
  const right = await recordsOf(store.blobs, namings);
  const stored = await store.of(nameRecords).among(
    'key',
    right.map(({ id }) => id),
    1,
  );
  yield* wronglyNamed({ store, repair }, namings, new Set(right.map(({ id }) => id)));
  for (const [at, record] of right.entries()) {
    const [known] = stored[at] ?? [];
    if (known && jcs(known) === jcs(record)) continue;
    if (repair) await store.putRecord(nameRecords, record);
    if (known) yield repairable('name', record.id, 'The index has another name for its subject', repair);
    else yield unfinished('name', record.id, 'The index has no name for its subject yet', repair);
  }
}

/** Finds the names of statements whose documents give none, such as SPDX files. */
async function* wronglyNamed(
  { store, repair }: Run,
  namings: readonly Naming[],
  named: ReadonlySet<string>,
): AsyncGenerator<StoreProblem> {
  const nameless = new Map(namings.filter(({ id }) => !named.has(id)).map((one) => [one.id, one]));
  for (const { id } of (await store.of(nameRecords).among('key', [...nameless.keys()], 1)).flat()) {
    const document = cidIn(nameless.get(id)?.document ?? '');
    const [isThere] = document ? await store.blobs.readSmall([document], documentLimit) : [];
    if (!isThere) continue;
    if (repair) await store.removeRecord(nameRecords, id);
    yield repairable('name', id, 'The index has a name that its document does not give', repair);
  }
}

/** Finds names without a statement. */
export async function* fsckNames({ store, repair }: Run): AsyncGenerator<StoreProblem> {
  for await (const page of store.records(nameRecords)) {
    const cids = page.map(({ id }) => cidIn(id));
    const known = await store.hasStatements(cids.filter((cid) => cid !== undefined));
    for (const { id } of page) {
      if (known.has(id)) continue;
      if (repair) await store.removeRecord(nameRecords, id);
      yield orphan('name', id, 'No statement gives this name', repair);
    }
  }
}
