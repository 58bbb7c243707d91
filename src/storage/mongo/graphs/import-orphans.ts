import type { Database } from '../database.ts';
import { repeatingDeadlocks } from '../deadlocks.ts';
import { statementCollection } from '../statements/statement-documents.ts';
import { forgetAttachments } from './graph-attachments.ts';
import { type ImportDocument, importCollection } from './graph-documents.ts';

/** An import that was not added to for so long has nobody who works on it. */
const orphanMs = 24 * 3_600_000;
const rowsAtOnce = 1_000;

/** Forgets the imports that processes have left behind which ended in the middle of them. */
export async function sweepImports(database: Database, now: Date): Promise<void> {
  for (const { _id } of await oldImports(database, now)) await forgetImport(database, _id);
}

export async function oldImports(database: Database, now: Date): Promise<ImportDocument[]> {
  const limit = new Date(now.getTime() - orphanMs);
  return await importCollection(database)
    .find({ importing: { $lt: limit } })
    .toArray();
}

/**
 * Forgets what an import has brought, unless it is a graph by now. From the first step on nobody can add to it or
 * publish it; a repeat goes on where it was cut off.
 */
export async function forgetImport(database: Database, number: number): Promise<void> {
  const imports = importCollection(database);
  const abandoned = await imports.updateOne(
    { _id: number, importing: { $exists: true } },
    { $set: { isAbandoned: true } },
  );
  if (abandoned.matchedCount === 0) return;
  while (await repeatingDeadlocks(() => forgetSome(database, number)));
  await forgetAttachments(database, number);
  await imports.deleteOne({ _id: number });
}

/** Rows that nothing else shows go; the others leave the graph. */
async function forgetSome(database: Database, number: number): Promise<boolean> {
  const statements = statementCollection(database);
  const members = await statements
    .find({ graphs: number }, { projection: { _id: 1 } })
    .limit(rowsAtOnce)
    .toArray();
  const query = { _id: { $in: members.map(({ _id }) => _id) } };
  if (members.length === 0) return false;
  await statements.deleteMany({ ...query, isTrusted: false, graphs: [number] });
  await statements.updateMany(query, { $pull: { graphs: number } });
  // What several imports share that leave at the same time was nobody's to delete before.
  await statements.deleteMany({ ...query, isTrusted: false, graphs: [] });
  return true;
}
