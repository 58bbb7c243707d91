import { DatabaseSync } from 'node:sqlite';
import { lost, type Repairing, repairable, type StoreProblem } from '../../../domain/maintenance/problems.ts';
import { isSqliteError } from '../errors.ts';
import { createSchema } from '../schema.ts';

const problemsReported = 1_000;
/** SQLITE_CONSTRAINT. */
const constraint = 19;
/** What SQLite says when an index lacks rows of its table, or has some that are not there. */
const ofIndex = /\b(?:missing from|entries in|entry in|order in|values? in) index (\S+)/;

/** SQLite's own check of the file: its pages, and its indexes against the rows; and whether all of those are there. */
export function* fsckDatabase(writer: DatabaseSync, { repair }: Repairing): Generator<StoreProblem> {
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
