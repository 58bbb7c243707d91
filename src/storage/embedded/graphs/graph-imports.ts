import type { GraphImports } from '../../../domain/integrity/manifest/ports.ts';
import { PackedRows } from '../../../domain/integrity/statements/packed-rows.ts';
import type { Database } from '../database.ts';

type Writes = Database['writes'];

export function embeddedGraphImports({ writes }: Database): GraphImports {
  return {
    async begin() {
      const id = await writes.run('beginImport', undefined);
      return {
        put: async (rows) =>
          await writes.run('putImported', { graph: id, slices: PackedRows.of(rows).slices }),
        publish: (graph, attachments) => writes.run('publishImport', { id, graph, attachments }),
        abandon: () => forgetImport(writes, id),
      };
    },
  };
}

/** Removes imports of a process that ended. Nobody can see them. The next start continues what is left. */
export async function forgetImports({ reader, writes }: Database): Promise<void> {
  try {
    const left = reader.prepare('SELECT id FROM graph_imports').all();
    for (const { id } of left) await forgetImport(writes, Number(id));
  } catch {
    // Every other write reports the same failure.
  }
}

/** Works step by step, so that other writes can run in between. */
async function forgetImport(writes: Writes, id: number): Promise<void> {
  while (!(await writes.run('forgetImport', { id })));
}
