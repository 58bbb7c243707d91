import type { Collection, ObjectId } from 'mongodb';
import type { Database } from '../database.ts';
import { graphsWithout, onlyIn } from '../statements/graph-updates.ts';
import { type StatementDocument, statementCollections } from '../statements/statement-documents.ts';
import { repeatingDeadlocks } from '../unique-writes.ts';
import { forgetAttachments } from './graph-attachments.ts';
import { type ImportDocument, importCollection } from './graph-documents.ts';

/** An import that did not change for this long is an orphan. */
const orphanMs = 24 * 3_600_000;
const rowsAtOnce = 1_000;

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
 * Removes the content of an import, unless it is registered. The first step closes the import. A repeat continues where
 * the work was interrupted.
 */
export async function forgetImport(database: Database, key: ObjectId): Promise<void> {
  const imports = importCollection(database);
  const abandoned = await imports.updateOne(
    { _id: key, importing: { $exists: true } },
    { $set: { isAbandoned: true } },
  );
  if (abandoned.matchedCount === 0) return;
  const { verified, unverified } = statementCollections(database);
  while (await repeatingDeadlocks(() => removeUnverified(unverified, key)));
  while (await repeatingDeadlocks(() => leaveGraph(verified, key)));
  await forgetAttachments(database, key);
  await imports.deleteOne({ _id: key });
}

/** Removes some rows from the graph, and deletes those that are in no other graph. @returns false when none was left. */
async function removeUnverified(rows: Collection<StatementDocument>, graph: ObjectId): Promise<boolean> {
  const members = await membersOf(rows, graph);
  await rows.deleteMany({ ...members, ...onlyIn([graph]) });
  await rows.updateMany(members, [{ $set: { graphs: graphsWithout([graph]) } }]);
  // Several imports may remove a shared row from their graphs at the same time.
  await rows.deleteMany({ ...members, graphs: [] });
  return members._id.$in.length > 0;
}

async function leaveGraph(rows: Collection<StatementDocument>, graph: ObjectId): Promise<boolean> {
  const members = await membersOf(rows, graph);
  await rows.updateMany(members, [{ $set: { graphs: graphsWithout([graph]) } }]);
  return members._id.$in.length > 0;
}

async function membersOf(rows: Collection<StatementDocument>, graphs: ObjectId) {
  const options = { projection: { _id: 1 }, limit: rowsAtOnce, hint: 'graph' };
  const found = await rows.find({ graphs }, options).toArray();
  return { _id: { $in: found.map(({ _id }) => _id) } };
}
