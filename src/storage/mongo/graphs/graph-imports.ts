import type { ObjectId } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import type { GraphImport, GraphImports } from '../../../domain/integrity/manifest/ports.ts';
import type { Database } from '../database.ts';
import { isDuplicate, translated } from '../errors.ts';
import { nextPosition } from '../positions.ts';
import { putStatements } from '../statements/statement-writes.ts';
import { writeUnique } from '../unique-writes.ts';
import { putAttachments } from './graph-attachments.ts';
import { graphCollection, importCollection, isComing } from './graph-documents.ts';
import { forgetImport } from './import-orphans.ts';

export function mongoGraphImports(database: Database): GraphImports {
  return {
    begin: (projectId) =>
      translated(async () => {
        const importing = database.now();
        const key = nextPosition(importing);
        await importCollection(database).insertOne({ _id: key, importing });
        return mongoGraphImport(database, key, projectId);
      }),
  };
}

function mongoGraphImport(database: Database, key: ObjectId, projectId: string): GraphImport {
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
        putStatements(database, rows, null, async () => {
          await keep();
          return { key, projectId };
        }),
      ),

    publish: ({ graphId, name, parentId, projectId }, attachments) =>
      translated(async () => {
        await keep();
        await putAttachments(database, key, attachments);
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
