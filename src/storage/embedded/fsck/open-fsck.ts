import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { collections } from '../../../domain/collections/all.ts';
import type { Collection } from '../../../domain/collections/collection.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { CheckedDatabase, RecordEntry } from '../../../domain/maintenance/contents.ts';
import {
  lost,
  orphan,
  type Repairing,
  repairable,
  type StoreProblem,
} from '../../../domain/maintenance/problems.ts';
import { valueAt } from '../../record-pages.ts';
import { stagingIn } from '../buckets/folder-bucket.ts';
import { type SmallBlobs, smallBlobsOf } from '../buckets/small-blobs.ts';
import { recordReads } from '../collections/records.ts';
import { hasTables, quoted } from '../collections/tables.ts';
import { openReader, openWriter } from '../connections.ts';
import { lockFolder } from '../data-folder.ts';
import { isMissingFile, isSqliteError, namingDamage, readError, reading, startError } from '../errors.ts';
import { graphImportWrites } from '../graphs/graph-import-writes.ts';
import { graphOf, graphReads } from '../graphs/graphs.ts';
import { embeddedLoggedRows } from '../log/unlogged.ts';
import { embeddedUnloggedRows } from '../log/unlogged-rows.ts';
import { unloggedWrites } from '../log/unlogged-writes.ts';
import { assertSchema, createSchema, throwOlder } from '../schema.ts';
import { sortWrites } from '../statements/row-writes.ts';
import { derivedData } from './derived.ts';
import { statementPages, statementRewriting, storedStatements } from './statements.ts';

/**
 * Opens the database of a data folder as it is, for this process alone. Opening changes nothing in it.
 * @throws ServiceError that names the folder and what to do; `not_found` if it has no store.
 */
export async function openEmbeddedFsck(
  folder: string,
): Promise<CheckedDatabase & { readonly smallBlobs: SmallBlobs }> {
  using opened = new DisposableStack();
  const file = join(folder, 'cairn.db');
  if (!existsSync(file))
    throw new ServiceError(
      'not_found',
      `There is no store in ${folder}. Name the data folder of the service.`,
    );
  try {
    opened.use(lockFolder(folder));
    const writer = opened.use(openWriter(file));
    assertSchema(writer, folder);
    if (!hasTables(writer, collections)) throwOlder(folder);
    const reader = opened.use(openReader(file));
    const statementCount = reader.prepare(
      'SELECT (SELECT count(*) FROM verified_rows) + (SELECT count(*) FROM unverified_rows) AS count',
    );
    const graphs = reader.prepare('SELECT * FROM graphs ORDER BY id');
    const graph = reader.prepare('SELECT * FROM graphs WHERE graph_id = ?');
    const contents = graphReads(reader);
    const derived = derivedData(writer);
    const stack = opened.move();
    return {
      place: `the data folder ${folder}`,
      smallBlobs: smallBlobsOf(writer),
      statementCount: () => read(() => Number(statementCount.get()?.count)),
      statements: (isWanted) =>
        reading(function* () {
          yield* statementPages(reader, 'verified', isWanted);
          yield* statementPages(reader, 'unverified', isWanted);
        }),
      graphs: () => reading(() => graphs.iterate().map(graphOf)),
      graph: (graphId) => read(() => graph.all(graphId).map(graphOf)[0]),
      attachments: (graphId) => read(() => contents.attachments([graphId])),
      records: (declared) => reading(() => recordPages(reader, declared)),
      of: (declared) => recordReads(reader, declared),
      loggedRows: embeddedLoggedRows({ reader }),
      unlogged: namingDamage('the rows that are in no log', embeddedUnloggedRows(writer)),
      now: () => new Date(),
      database: (run) => reading(() => fsckDatabase(writer, run)),
      hasStatements: (cids) => read(() => storedStatements(reader, cids)),
      putRecord: (declared, record) => read(() => putRecord(writer, declared, record)),
      removeRecord: (declared, key) => read(() => removeRecord(writer, declared, key)),
      rewrite: statementRewriting(writer),
      derived: { check: () => reading(derived.check), rebuild: derived.rebuild },
      orphans: (run) => reading(() => fsckOrphans(folder, writer, run)),
      [Symbol.asyncDispose]: async () => stack.dispose(),
    };
  } catch (error) {
    throw startError(error, folder);
  }
}

async function read<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw readError(error);
  }
}

const pageRows = 500;

function* recordPages(reader: DatabaseSync, { name, key }: Collection): Generator<readonly RecordEntry[]> {
  const page = reader.prepare(
    `SELECT rowid, record FROM ${quoted(name)} WHERE rowid > ? ORDER BY rowid LIMIT ${pageRows}`,
  );
  for (let rows = page.all(0); rows.length > 0; rows = page.all(Number(rows.at(-1)?.rowid)))
    yield rows.map(({ rowid, record }) => entryOf(`row ${rowid}`, String(record), key));
}

function removeRecord(writer: DatabaseSync, { name, key }: Collection, value: string): void {
  writer.prepare(`DELETE FROM ${quoted(name)} WHERE ${quoted(key)} = ?`).run(value);
}

function putRecord(writer: DatabaseSync, declared: Collection, record: object): void {
  removeRecord(writer, declared, String(valueAt(record, declared.key)));
  writer.prepare(`INSERT INTO ${quoted(declared.name)} (record) VALUES (?)`).run(JSON.stringify(record));
}

function entryOf(place: string, text: string, key: string): RecordEntry {
  try {
    const record = JSON.parse(text);
    return { id: String(valueAt(record, key) ?? place), record };
  } catch {
    return { id: place, record: undefined };
  }
}

/** No other process uses this folder, so everything unfinished is an orphan. */
async function* fsckOrphans(dataDir: string, writer: DatabaseSync, { repair }: Repairing) {
  const staging = stagingIn(dataDir);
  const names = await readdir(staging).catch((error: unknown) => {
    if (isMissingFile(error)) return [];
    throw error;
  });
  for (const name of names) {
    if (repair) await rm(join(staging, name), { recursive: true, force: true });
    yield orphan('upload', name, 'It was interrupted', { repair });
  }
  const imports = writer.prepare('SELECT id, statements FROM graph_imports').all();
  for (const { id, statements } of imports) {
    if (repair) forget(writer, Number(id));
    yield orphan('import', `number ${id}`, `It was interrupted after ${statements} statements`, { repair });
  }
}

function forget(writer: DatabaseSync, id: number): void {
  const { forgetImport } = graphImportWrites(writer, sortWrites(writer), unloggedWrites(writer));
  for (let isDone = false; !isDone; ) {
    writer.exec('BEGIN IMMEDIATE');
    isDone = forgetImport({ id });
    writer.exec('COMMIT');
  }
}

const problemsReported = 1_000;
/** SQLITE_CONSTRAINT. */
const constraint = 19;
/** What SQLite says when an index lacks rows of its table, or has some that are not there. */
const ofIndex = /\b(?:missing from|entries in|entry in|order in|values? in) index (\S+)/;

/** SQLite's own check of the file: its pages, and its indexes against the rows; and whether all of those are there. */
function* fsckDatabase(writer: DatabaseSync, { repair }: Repairing): Generator<StoreProblem> {
  yield* missingIndexes(writer, { repair });
  const told = writer
    .prepare(`PRAGMA integrity_check(${problemsReported})`)
    .all()
    .map((row) => String(Object.values(row)[0]))
    .filter((text) => text !== 'ok');
  const isRepaired = repair && told.length > 0 && told.every((text) => ofIndex.test(text));
  if (isRepaired) reindex(writer, new Set(told.map((text) => String(ofIndex.exec(text)?.[1]))));
  for (const text of told) {
    const index = ofIndex.exec(text)?.[1];
    if (index) yield repairable('index', index, `SQLite finds: ${text}`, { repair: isRepaired });
    else
      yield lost('database', 'cairn.db', `SQLite finds: ${text}`, 'Restore the data folder from a backup.');
  }
}

function* missingIndexes(writer: DatabaseSync, { repair }: Repairing): Generator<StoreProblem> {
  using newest = new DatabaseSync(':memory:');
  createSchema(newest, ':memory:');
  const wanted = newest.prepare(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
  );
  const find = writer.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?");
  for (const { name, sql } of wanted.all()) {
    if (find.get(String(name))) continue;
    const isRepaired = repair && isMade(writer, String(sql));
    yield repairable('index', String(name), 'This index is missing', { repair: isRepaired });
  }
}

/** Rows that are there twice are in the way of an index that is unique. */
function isMade(writer: DatabaseSync, sql: string): boolean {
  try {
    writer.exec(sql);
    return true;
  } catch (error) {
    if (isSqliteError(error) && (error.errcode & 0xff) === constraint) return false;
    throw error;
  }
}

function reindex(writer: DatabaseSync, names: ReadonlySet<string>): void {
  for (const name of names) writer.exec(`REINDEX "${name.replaceAll('"', '""')}"`);
}
