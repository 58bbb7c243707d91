import type { Collection } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import type {
  GraphAttachments,
  GraphImport,
  GraphImports,
} from '../../../domain/integrity/manifest/ports.ts';
import type { Graph, PutOutcome, StatementRow } from '../../../domain/integrity/ports.ts';
import { graphCounter, takeNumbers } from '../counters.ts';
import type { Database } from '../database.ts';
import { isDuplicate, translated } from '../errors.ts';
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
      const number = await takeNumbers(this.#database, graphCounter);
      await importCollection(this.#database).insertOne({ _id: number, importing: this.#database.now() });
      return new MongoGraphImport(this.#database, number, projectId);
    });
  }
}

class MongoGraphImport implements GraphImport {
  readonly #database: Database;
  readonly #imports: Collection<ImportDocument>;
  readonly #number: number;
  readonly #projectId: string;

  constructor(database: Database, number: number, projectId: string) {
    this.#database = database;
    this.#imports = importCollection(database);
    this.#number = number;
    this.#projectId = projectId;
  }

  async put(rows: readonly StatementRow[]): Promise<PutOutcome[]> {
    return await translated(() =>
      putStatements(this.#database, rows, async () => {
        await this.#keep();
        return { number: this.#number, projectId: this.#projectId };
      }),
    );
  }

  /** Says that somebody still works on it. */
  async #keep(): Promise<void> {
    const kept = await this.#imports.updateOne(
      { _id: this.#number, ...isComing },
      { $set: { importing: this.#database.now() } },
    );
    if (kept.matchedCount === 0) refuseAbandoned();
  }

  async publish(graph: Graph, attachments: GraphAttachments): Promise<'added' | 'exists'> {
    const { graphId, name, parentId, projectId } = graph;
    return await translated(async () => {
      await this.#keep();
      await putAttachments(this.#database, this.#number, attachments);
      try {
        const update = { $set: { graphId, name, parentId, projectId }, $unset: { importing: '' } } as const;
        const { matchedCount } = await writeUnique(graphId, () =>
          this.#imports.updateOne({ _id: this.#number, ...isComing }, update),
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
    return (await graphCollection(this.#database).findOne({ _id: this.#number }))?.graphId === graphId;
  }

  async abandon(): Promise<void> {
    await translated(() => forgetImport(this.#database, this.#number));
  }
}

function refuseAbandoned(): never {
  throw new ServiceError('conflict', 'The import was given up.');
}
