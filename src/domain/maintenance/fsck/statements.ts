import { ServiceError } from '../../errors.ts';
import type { StoredStatement } from '../../integrity/ports.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import type { FsckStatement, StoreCheck, StoreProblem, Unreadable } from './ports.ts';
import { lost, repairable } from './problems.ts';
import type { Recheck, Rechecker } from './recheck.ts';
import type { IsWanted } from './sample.ts';

export interface StatementFsck {
  readonly fsck: Pick<StoreCheck, 'statements' | 'rewrite'>;
  readonly rechecker: Rechecker;
}

export interface StatementFsckOptions {
  readonly isWanted: IsWanted;
  readonly repair: boolean;
  /** Told how many were identified again, and of those that could not be for want of their contexts. */
  readonly onStatements: (checked: number, unchecked: number) => void;
}

/** Pages that are identified at once, so that the threads have work while results are looked at. */
const pagesAhead = 3;

/** Identifies statements again, each under its own contexts, and compares what is stored beside its bytes. */
export async function* fsckStatements(
  { fsck, rechecker }: StatementFsck,
  { isWanted, repair, onStatements }: StatementFsckOptions,
): AsyncGenerator<StoreProblem> {
  const brokenSets = new Set<string>();
  const pages = mapConcurrent(fsck.statements(isWanted), pagesAhead, async (page) => ({
    unreadable: page.filter((entry) => 'problem' in entry),
    rechecked: await recheckPage(rechecker, page),
  }));
  for await (const { unreadable, rechecked } of pages) {
    for (const { id, problem } of unreadable) yield lost('statement', id, problem);
    const unchecked = rechecked.filter(({ isWithoutContexts }) => isWithoutContexts);
    onStatements(rechecked.length - unchecked.length, unchecked.length);
    for (const set of new Set(unchecked.map(({ row }) => row.contextSet)).difference(brokenSets)) {
      brokenSets.add(set);
      yield lost('context-set', set, await setProblem(rechecker, set));
    }
    for (const recheck of rechecked) {
      const problem = await problemOf(recheck, repair ? fsck : null);
      if (problem) yield problem;
    }
  }
}

type Rechecked = Recheck<StoredStatement> & Pick<FsckStatement, 'isDerivedRight'>;

async function recheckPage(
  rechecker: Rechecker,
  page: readonly (FsckStatement | Unreadable)[],
): Promise<Rechecked[]> {
  const readable = page.filter((entry) => 'statement' in entry);
  const rechecked = await rechecker.recheck(readable.map(({ statement }) => statement));
  return rechecked.map((recheck, at) => ({
    ...recheck,
    isDerivedRight: readable[at]?.isDerivedRight ?? true,
  }));
}

async function setProblem(rechecker: Rechecker, set: string): Promise<string> {
  const world = await rechecker.world(set);
  const reason = world instanceof ServiceError ? world.message.replace(/\.$/, '') : 'It is not whole';
  return `${reason}, so that nothing can be said about the statements that were read with this context set`;
}

async function problemOf(
  { row, right, problems, isWithoutContexts, isDerivedRight }: Rechecked,
  repairing: Pick<StoreCheck, 'rewrite'> | null,
): Promise<StoreProblem | undefined> {
  const id = row.jcsCid.text;
  if (isWithoutContexts) return undefined;
  if (!right) return lost('statement', id, sentence(problems));
  if (problems.length === 0 && isDerivedRight) return undefined;
  const problem = problems.length > 0 ? sentence(problems) : 'Its entries in the indexes are damaged';
  return repairable('statement', id, problem, (await repairing?.rewrite(right)) ?? false);
}

function sentence(problems: readonly string[]): string {
  const text = problems.join('; ').replace(/\.$/, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
