import { lost, repairable, type StoreProblem } from '../problems.ts';
import { compareDerived, derivedNames, derivedRetractions } from './derived-records.ts';
import type { FsckRun } from './run.ts';

/** Computes the ids of the statements again, and compares what is stored beside their bytes, their names, and what they withdraw. */
export async function* fsckStatements(run: FsckRun): AsyncGenerator<StoreProblem> {
  const { store, verifier, repair, isWanted, count } = run;
  const damagedSets = new Set<string>();
  for await (const page of verifier.verify(store.statements(isWanted))) {
    for (const result of page) {
      if ('row' in result) {
        const { entry, row } = result;
        if (entry.holds(row)) continue;
        const problem = 'Its id, kind, time or references are stored wrongly';
        yield repairable('statement', row.jcsCid.text, problem, repair && (await store.rewrite(row)));
      } else if (result.damagedSet === undefined) yield lost('statement', result.id, result.problem);
      else if (!damagedSets.has(result.damagedSet)) {
        damagedSets.add(result.damagedSet);
        yield lost('context-set', result.damagedSet, `Statement ${result.id}: ${result.problem}`);
      }
    }
    const verified = page.filter((result) => 'row' in result);
    yield* compareDerived(run, derivedNames, verified);
    yield* compareDerived(run, derivedRetractions, verified);
    const unchecked = page.filter((result) => 'damagedSet' in result).length;
    count('statements', page.length - unchecked);
    count('unchecked', unchecked);
  }
}
