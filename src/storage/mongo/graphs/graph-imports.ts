import type { Collection, ObjectId } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import type { GraphImport, GraphImports } from '../../../domain/integrity/manifest/ports.ts';
import type { Database } from '../database.ts';
import { isDuplicate, translated } from '../errors.ts';
import { Intents } from '../log/intents.ts';
import { nextPosition } from '../positions.ts';
import {
  graphsWithout,
  onlyIn,
  type StatementDocument,
  statementCollections,
} from '../statements/statement-documents.ts';
import { putStatements } from '../statements/statement-writes.ts';
import { repeatingDeadlocks, writeUnique } from '../unique-writes.ts';
import { forgetAttachments, putAttachments } from './graph-attachments.ts';
import { graphCollection, type ImportDocument, importCollection, isComing } from './graph-documents.ts';

export function mongoGraphImports(database: Database, intents: Intents): GraphImports {
  return {
    begin: (projectId) =>
      translated(async () => {
        const importing = database.now();
        const key = nextPosition(importing);
        await importCollection(database).insertOne({ _id: key, importing });
        return mongoGraphImport({ database, intents }, key, projectId);
      }),
  };
}

interface ImportPorts {
  readonly database: Database;
  readonly intents: Intents;
}

function mongoGraphImport({ database, intents }: ImportPorts, key: ObjectId, projectId: string): GraphImport {
  const imports = importCollection(database);

  /** Records that somebody still works on the import. */
  async function keep(): Promise<void> {
    const update = { $set: { importing: database.now() } };
    const kept = await imports.updateOne({ _id: key, ...isComing }, update);
    if (kept.matchedCount === 0) throwAbandoned();
  }

  /** The driver repeats an update whose answer was lost. */
  async function isPublishedAs(graphId: string): Promise<boolean> {
    return (await graphCollection(database).findOne({ _id: key }))?.graphId === graphId;
  }

  return {
    put: (rows) =>
      translated(() =>
        putStatements(database, rows, { registrar: null, intents, isImport: true }, async () => {
          await keep();
          return { key, projectId };
        }),
      ),

    publish: ({ graphId, name, parentId, projectId }, attachments) =>
      translated(async () => {
        await keep();
        await putAttachments(database, key, attachments);
        await intents.noteGraph(key);
        try {
          const update = { $set: { graphId, name, parentId, projectId }, $unset: { importing: '' } } as const;
          const { matchedCount } = await writeUnique(graphId, () =>
            imports.updateOne({ _id: key, ...isComing }, update),
          );
          return matchedCount === 1 || (await isPublishedAs(graphId)) ? 'added' : throwAbandoned();
        } catch (error) {
          if (isDuplicate(error)) return 'exists';
          throw error;
        }
      }),

    abandon: () => translated(() => forgetImport(database, key)),
  };
}

function throwAbandoned(): never {
  throw new ServiceError('conflict', 'The import was abandoned.');
}

/** An import that did not change for this long is an orphan. */
const orphanMs = 24 * 3_600_000;
const rowsAtOnce = 1_000;

export async function sweepImports(database: Database, now: Date): Promise<void> {
  for (const { _id } of await oldImports(database, now)) await forgetImport(database, _id);
}

export async function oldImports(database: Database, now: Date): Promise<ImportDocument[]> {
  const isOld = { importing: { $lt: new Date(now.getTime() - orphanMs) } };
  return await importCollection(database).find(isOld).toArray();
}

/**
 * Removes the content of an import, unless it is registered. The first step closes the import. A repeat continues where
 * the work was interrupted.
 */
export async function forgetImport(database: Database, key: ObjectId): Promise<void> {
  const imports = importCollection(database);
  const close = { $set: { isAbandoned: true } } as const;
  const { matchedCount } = await imports.updateOne({ _id: key, importing: { $exists: true } }, close);
  if (matchedCount === 0) return;
  const { verified, unverified } = statementCollections(database);
  while (await repeatingDeadlocks(() => removeUnverified(unverified, key)));
  const intents = new Intents(database);
  while (await repeatingDeadlocks(() => leaveGraph(verified, key, intents)));
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

async function leaveGraph(
  rows: Collection<StatementDocument>,
  graph: ObjectId,
  intents: Intents,
): Promise<boolean> {
  const members = await membersOf(rows, graph);
  // They stay, without a graph.
  const alone = await rows.find({ ...members, ...onlyIn([graph]) }, { projection: { _id: 1 } }).toArray();
  await intents.note(
    null,
    alone.map(({ _id }) => _id),
  );
  await rows.updateMany(members, [{ $set: { graphs: graphsWithout([graph]) } }]);
  return members._id.$in.length > 0;
}

async function membersOf(rows: Collection<StatementDocument>, graphs: ObjectId) {
  const options = { projection: { _id: 1 }, limit: rowsAtOnce, hint: 'graph' };
  const found = await rows.find({ graphs }, options).toArray();
  return { _id: { $in: found.map(({ _id }) => _id) } };
}
