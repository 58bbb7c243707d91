import type { Collection, ObjectId } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import type {
  GraphAttachments,
  GraphImport,
  GraphImports,
} from '../../../domain/integrity/manifest/ports.ts';
import type { Graph, PutOutcome, StatementRow } from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';
import { isDuplicate, translated } from '../errors.ts';
import { nextPosition } from '../positions.ts';
import { putStatements } from '../statements/statement-writes.ts';
import { writeUnique } from '../unique-writes.ts';
import { putAttachments } from './graph-attachments.ts';
import { graphCollection, type ImportDocument, importCollection, isComing } from './graph-documents.ts';
import { forgetImport } from './import-orphans.ts';

export class MongoGraphImports implements GraphImports {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async begin(projectId: string): Promise<GraphImport> {
    return await translated(async () => {
      const importing = this.#database.now();
      const key = nextPosition(importing);
      await importCollection(this.#database).insertOne({ _id: key, importing });
      return new MongoGraphImport(this.#database, key, projectId);
    });
  }
}

class MongoGraphImport implements GraphImport {
  readonly #database: Database;
  readonly #imports: Collection<ImportDocument>;
  readonly #key: ObjectId;
  readonly #projectId: string;

  constructor(database: Database, key: ObjectId, projectId: string) {
    this.#database = database;
    this.#imports = importCollection(database);
    this.#key = key;
    this.#projectId = projectId;
  }

  async put(rows: Iterable<StatementRow>): Promise<PutOutcome[]> {
    return await translated(() =>
      putStatements(this.#database, rows, async () => {
        await this.#keep();
        return { key: this.#key, projectId: this.#projectId };
      }),
    );
  }

  /** Records that the import is still being worked on. */
  async #keep(): Promise<void> {
    const kept = await this.#imports.updateOne(
      { _id: this.#key, ...isComing },
      { $set: { importing: this.#database.now() } },
    );
    if (kept.matchedCount === 0) refuseAbandoned();
  }

  async publish(graph: Graph, attachments: GraphAttachments): Promise<'added' | 'exists'> {
    const { graphId, name, parentId, projectId } = graph;
    return await translated(async () => {
      await this.#keep();
      await putAttachments(this.#database, this.#key, attachments);
      try {
        const update = { $set: { graphId, name, parentId, projectId }, $unset: { importing: '' } } as const;
        const { matchedCount } = await writeUnique(graphId, () =>
          this.#imports.updateOne({ _id: this.#key, ...isComing }, update),
        );
        return matchedCount === 1 || (await this.#isPublishedAs(graphId)) ? 'added' : refuseAbandoned();
      } catch (error) {
        if (isDuplicate(error)) return 'exists';
        throw error;
      }
    });
  }

  /** The driver repeats an update whose answer was lost. */
  async #isPublishedAs(graphId: string): Promise<boolean> {
    return (await graphCollection(this.#database).findOne({ _id: this.#key }))?.graphId === graphId;
  }

  async abandon(): Promise<void> {
    await translated(() => forgetImport(this.#database, this.#key));
  }
}

function refuseAbandoned(): never {
  throw new ServiceError('conflict', 'The import was abandoned.');
}
