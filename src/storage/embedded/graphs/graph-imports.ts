import type {
  GraphAttachments,
  GraphImport,
  GraphImports,
} from '../../../domain/integrity/manifest/ports.ts';
import type { Graph, PutOutcome, StatementRow } from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';
import { statementSlices } from '../statements/statement-slices.ts';

type Writes = Database['writes'];

export class EmbeddedGraphImports implements GraphImports {
  readonly #writes: Writes;

  constructor({ writes }: Database) {
    this.#writes = writes;
  }

  async begin(): Promise<GraphImport> {
    return new EmbeddedGraphImport(this.#writes, await this.#writes.run('beginImport', undefined));
  }
}

class EmbeddedGraphImport implements GraphImport {
  readonly #writes: Writes;
  readonly #id: number;

  constructor(writes: Writes, id: number) {
    this.#writes = writes;
    this.#id = id;
  }

  async put(rows: readonly StatementRow[]): Promise<PutOutcome[]> {
    return await this.#writes.run('putImported', { graph: this.#id }, statementSlices(rows));
  }

  async publish(graph: Graph, attachments: GraphAttachments): Promise<'added' | 'exists'> {
    return await this.#writes.run('publishImport', { id: this.#id, graph, attachments });
  }

  async abandon(): Promise<void> {
    await forgetImport(this.#writes, this.#id);
  }
}

/**
 * Forgets what a process has left behind that ended in the middle of an import. Nobody sees any of it meanwhile; what
 * is left when the store closes is forgotten at the next start.
 */
export async function forgetImports({ reader, writes }: Database): Promise<void> {
  const left = reader.prepare('SELECT id FROM graph_imports').all();
  try {
    for (const { id } of left) await forgetImport(writes, Number(id));
  } catch {
    // A store that cannot write any more says so to everybody.
  }
}

/** Step by step: other writes have their turn in between. */
async function forgetImport(writes: Writes, id: number): Promise<void> {
  while (!(await writes.run('forgetImport', { id })));
}
