import { ServiceError } from '../../errors.ts';
import type { ProblemKind, StoreContents, StoreCounts, StoreProblem } from './ports.ts';

/** To store it again here changes nothing: its name is taken. */
const restore =
  'Restore it from a backup; or move to another store with "cairn migrate", which leaves it out, and store it again there.';

/** Content that is not what it was. Nobody but whoever has a copy can help. */
export function lost(kind: ProblemKind, id: string, problem: string, advice = restore): StoreProblem {
  return { kind, id, problem: `${problem}. ${advice}`, severity: 'damage', repair: 'none' };
}

/** Something that can be made again from what is there. */
export function repairable(
  kind: ProblemKind,
  id: string,
  problem: string,
  isRepaired: boolean,
): StoreProblem {
  return { kind, id, problem, severity: 'damage', repair: isRepaired ? 'done' : 'possible' };
}

export function orphan(kind: ProblemKind, id: string, problem: string, isRemoved: boolean): StoreProblem {
  return { kind, id, problem, severity: 'leftover', repair: isRemoved ? 'done' : 'possible' };
}

/** Something that is none of the store's, and no harm to it. */
export function unknownEntry(kind: ProblemKind, id: string, problem: string): StoreProblem {
  return { kind, id, problem: `${problem}. Move it away.`, severity: 'leftover', repair: 'none' };
}

/**
 * Problems of a part of a store. That it cannot be read any further is one, too; that the store does not answer is none.
 * @param part what is being read, for the operator.
 */
export async function* readable(
  part: string,
  problems: AsyncIterable<StoreProblem>,
): AsyncGenerator<StoreProblem, void> {
  try {
    yield* problems;
  } catch (error) {
    yield lost('database', part, messageOfDamage(error), 'Restore the store from a backup.');
  }
}

/** The sentence of what was thrown because stored bytes are damaged, without its full stop. Anything else is thrown again. */
export function messageOfDamage(error: unknown): string {
  if (error instanceof ServiceError && error.retryAfter === undefined && error.code !== 'storage_full')
    return error.message.replace(/\.$/, '');
  throw error;
}

/** For the progress alone: damage that is in the way of counting is told where it is met again. */
export async function countsOf(contents: Pick<StoreContents, 'counts'>): Promise<StoreCounts | undefined> {
  try {
    return await contents.counts();
  } catch (error) {
    messageOfDamage(error);
    return undefined;
  }
}
