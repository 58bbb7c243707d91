import { collections } from '../../collections/all.ts';
import { type CheckedStore, countsOf } from '../contents.ts';
import { lost, messageOfDamage, recordProblem, repairable, type StoreProblem } from '../problems.ts';
import type { Verifier } from '../verifier.ts';
import { fsckBlobs } from './blobs.ts';
import { fsckCredentials } from './credentials.ts';
import {
  compareDerived,
  derivedNames,
  derivedRetractions,
  derivedSearchEntries,
  orphanedRecords,
} from './derived-records.ts';
import { fsckExports } from './exports.ts';
import { derivedFolders, derivedSearchedFolders, fsckFolders } from './folders.ts';
import { fsckGraphs } from './graphs.ts';
import { fsckLoggedRecords } from './logged-records.ts';
import { fsckLogs } from './logs.ts';
import type { FsckCounts, FsckRun } from './run.ts';
import type { Sample } from './sample.ts';
import { fsckSealed } from './sealed.ts';
import { fsckUnlogged } from './unlogged.ts';

export interface FsckOptions {
  /** Rebuild derived data and remove orphans. Content never changes. */
  readonly repair: boolean;
  /** Selects blobs and statements. Everything else is checked completely. */
  readonly sample: Sample;
  /** @param total undefined if unknown. */
  readonly onProgress: (part: FsckPart, done: number, total: number | undefined) => void;
}

type FsckPart =
  | 'database'
  | 'graphs'
  | 'blobs'
  | 'statements'
  | 'indexes'
  | 'names'
  | 'folders'
  | 'search'
  | 'retractions'
  | 'records'
  | 'credentials'
  | 'exports'
  | 'sealed'
  | 'logs'
  | 'orphans';

export interface FsckSummary extends Readonly<FsckCounts> {
  /** Problems that remain. */
  readonly damaged: number;
  readonly unfinished: number;
  readonly orphans: number;
  readonly repaired: number;
}

const countOf = { damage: 'damaged', unfinished: 'unfinished', orphan: 'orphans' } as const;

/** Checks a store. Yields problems as they are found. Memory does not grow with the store. */
export async function* fsckStore(
  store: CheckedStore,
  verifier: Verifier,
  { repair, sample: { share, isWanted }, onProgress }: FsckOptions,
): AsyncGenerator<StoreProblem, FsckSummary> {
  const counts: FsckCounts = { blobs: 0, statements: 0, unchecked: 0, graphs: 0, records: 0 };
  const summary = { damaged: 0, unfinished: 0, orphans: 0, repaired: 0 };
  const total = await countsOf(store);
  const wanted = (all: number | undefined) => all && Math.ceil(all * share);
  const count: FsckRun['count'] = (name, added = 1) => {
    counts[name] += added;
    if (name === 'statements' || name === 'unchecked')
      onProgress('statements', counts.statements + counts.unchecked, wanted(total?.statements));
    else onProgress(name, counts[name], name === 'blobs' ? wanted(total?.blobs) : undefined);
  };
  const run = { store, verifier, repair, isWanted, count };
  // Indexes come after the statements, because they are rebuilt from these.
  const parts: readonly (readonly [FsckPart, () => AsyncIterable<StoreProblem>])[] = [
    ['database', () => store.database(run)],
    ['graphs', () => fsckGraphs(store, () => count('graphs'))],
    ['blobs', () => fsckBlobs(run)],
    ['statements', () => fsckStatements(run)],
    ['indexes', () => fsckDerived(run)],
    ['names', () => orphanedRecords(run, derivedNames)],
    ['folders', () => fsckFolders(run)],
    ['search', () => fsckSearch(run)],
    ['retractions', () => orphanedRecords(run, derivedRetractions)],
    ['records', () => fsckRecords(run)],
    ['credentials', () => fsckCredentials(run)],
    ['exports', () => fsckExports(run)],
    ['sealed', () => fsckSealed(run)],
    ['logs', () => fsckAllLogs(run)],
    ['orphans', () => store.orphans(run)],
  ];
  for (const [part, problems] of parts) {
    onProgress(part, 0, undefined);
    for await (const problem of readable(part, problems())) {
      if (problem.repair === 'done') summary.repaired += 1;
      else summary[countOf[problem.severity]] += 1;
      yield problem;
    }
  }
  return { ...counts, ...summary };
}

/** Reports that a part cannot be read further, so that the others are still checked. */
async function* readable(
  part: FsckPart,
  problems: AsyncIterable<StoreProblem>,
): AsyncGenerator<StoreProblem> {
  try {
    yield* problems;
  } catch (error) {
    yield lost('database', part, messageOfDamage(error), 'Restore the store from a backup.');
  }
}

async function* fsckAllLogs(run: FsckRun): AsyncGenerator<StoreProblem> {
  yield* fsckLogs(run);
  yield* fsckLoggedRecords(run);
}

async function* fsckDerived({ store: { derived }, repair }: FsckRun): AsyncGenerator<StoreProblem> {
  const problems = await Array.fromAsync(derived.check());
  if (repair && problems.length > 0) await derived.rebuild();
  for (const { kind, id, problem } of problems) yield repairable(kind, id, problem, { repair });
}

async function* fsckSearch(run: FsckRun): AsyncGenerator<StoreProblem> {
  for await (const graph of run.store.graphs()) yield* compareDerived(run, derivedSearchEntries, [graph]);
  yield* orphanedRecords(run, derivedSearchEntries);
}

/** Compares each record with the declaration of its collection. The database itself keeps the unique sets. */
async function* fsckRecords({ store, count }: FsckRun): AsyncGenerator<StoreProblem> {
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

/** Computes the ids of the statements again, and compares what is stored beside their bytes, their names, and what they withdraw. */
async function* fsckStatements(run: FsckRun): AsyncGenerator<StoreProblem> {
  const { store, verifier, repair, isWanted, count } = run;
  const damagedSets = new Set<string>();
  for await (const page of verifier.verify(store.statements(isWanted))) {
    for (const result of page) {
      if ('row' in result) {
        const { entry, row } = result;
        if (entry.holds(row)) continue;
        const problem = 'Its id, kind, time or references are stored wrongly';
        yield repairable('statement', row.jcsCid.text, problem, {
          repair: repair && (await store.rewrite(row)),
        });
      } else if (result.damagedSet === undefined) yield lost('statement', result.id, result.problem);
      else if (!damagedSets.has(result.damagedSet)) {
        damagedSets.add(result.damagedSet);
        yield lost('context-set', result.damagedSet, `Statement ${result.id}: ${result.problem}`);
      }
    }
    const verified = page.filter((result) => 'row' in result);
    yield* compareDerived(run, derivedNames, verified);
    yield* compareDerived(run, derivedRetractions, verified);
    yield* compareDerived(run, derivedSearchEntries, verified);
    yield* compareDerived(run, derivedFolders, verified);
    yield* compareDerived(run, derivedSearchedFolders, verified);
    yield* fsckUnlogged(run, verified);
    const unchecked = page.filter((result) => 'damagedSet' in result).length;
    count('statements', page.length - unchecked);
    count('unchecked', unchecked);
  }
}
