import type { PutOutcome, StatementRow, StatementStore } from '../../../domain/integrity/ports.ts';
import { PackedRows } from '../../../domain/integrity/statements/packed-rows.ts';
import type { Database } from '../database.ts';

export class EmbeddedStatements implements Pick<StatementStore, 'putMany'> {
  readonly #writes: Database['writes'];

  constructor({ writes }: Database) {
    this.#writes = writes;
  }

  async putMany(rows: Iterable<StatementRow>, graphId: string | null): Promise<PutOutcome[]> {
    return await this.#writes.run('putStatements', { graphId, slices: PackedRows.of(rows).slices });
  }
}
