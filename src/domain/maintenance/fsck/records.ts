import { z } from 'zod';
import { collections } from '../../collections/all.ts';
import type { StoreContents, StoreProblem } from './ports.ts';
import { lost } from './problems.ts';

/** Whether each record of each collection is as its declaration says. Indexes and unique sets are the database's. */
export async function* fsckRecords(
  { records }: Pick<StoreContents, 'records'>,
  onRecord: () => void,
): AsyncGenerator<StoreProblem> {
  for (const declared of collections) {
    const { name, shape } = declared;
    for await (const page of records(declared)) {
      for (const { id, record } of page) {
        onRecord();
        const problem = recordProblem(shape, record);
        if (problem !== undefined)
          yield lost('record', `${name}/${id}`, problem, 'Restore the store from a backup.');
      }
    }
  }
}

/** What is wrong with a record, if anything is. */
export function recordProblem(shape: z.ZodType, record: unknown): string | undefined {
  const { error } = shape.safeParse(record);
  return error && `Its record is damaged: ${z.prettifyError(error)}`.replaceAll('\n', ' ');
}
