import { collections } from '../../collections/all.ts';
import { lost, type StoreProblem } from '../problems.ts';
import { recordProblem } from '../record-problem.ts';
import type { FsckRun } from './run.ts';

/** Compares each record with the declaration of its collection. The database itself keeps the unique sets. */
export async function* fsckRecords({ store, count }: FsckRun): AsyncGenerator<StoreProblem> {
  for (const declared of collections) {
    for await (const page of store.records(declared)) {
      for (const { id, record } of page) {
        const problem = recordProblem(declared.shape, record);
        if (problem !== undefined)
          yield lost('record', `${declared.name}/${id}`, problem, 'Restore the store from a backup.');
      }
      count('records', page.length);
    }
  }
}
