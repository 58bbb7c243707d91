import type {
  GraphAttachments,
  GraphImport,
  GraphImports,
} from '../../../domain/integrity/manifest/ports.ts';
import type { Graph, PutOutcome, StatementRow } from '../../../domain/integrity/ports.ts';
import { PackedRows } from '../../../domain/integrity/statements/packed-rows.ts';
import type { Database } from '../database.ts';

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

  async put(rows: Iterable<StatementRow>): Promise<PutOutcome[]> {
    return await this.#writes.run('putImported', { graph: this.#id, slices: PackedRows.of(rows).slices });
  }

  async publish(graph: Graph, attachments: GraphAttachments): Promise<'added' | 'exists'> {
    return await this.#writes.run('publishImport', { id: this.#id, graph, attachments });
  }

  async abandon(): Promise<void> {
    await forgetImport(this.#writes, this.#id);
  }
}

/**
 * Forgets the imports of a process that ended in the middle of them. Nobody sees any of it meanwhile; what is left when
 * the store closes is forgotten at the next start.
 */
export async function forgetImports({ reader, writes }: Database): Promise<void> {
  const left = reader.prepare('SELECT id FROM graph_imports').all();
  try {
    for (const { id } of left) await forgetImport(writes, Number(id));
  } catch {
    // A store that can no longer write says so to every other writer.
  }
}

/** Step by step, so that other writes have their turn. */
async function forgetImport(writes: Writes, id: number): Promise<void> {
  while (!(await writes.run('forgetImport', { id })));
}
