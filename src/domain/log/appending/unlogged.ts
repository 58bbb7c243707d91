import { logNames } from '../names.ts';
import type { UnloggedGroup, UnloggedStatements } from '../ports.ts';
import { additionsOf, olderNote } from './additions.ts';
import type { Additions } from './append.ts';

/** What may lack an entry in its log. */
export interface Unlogged {
  /** A part of it, the oldest first. Undefined if nothing is left. */
  next(): Promise<UnloggedPart | undefined>;
}

export interface UnloggedPart {
  readonly wanted: readonly Additions[];
  /** Called when the logs have all of it. A repeat changes nothing. */
  done(): Promise<void>;
}

/** How many rows are taken at once. */
const rowsAtOnce = 4_096;

export function unloggedStatements(
  unlogged: Pick<UnloggedStatements, 'next' | 'done'>,
  now: () => Date,
): Unlogged {
  return {
    async next() {
      const groups = await unlogged.next(rowsAtOnce);
      if (groups.length === 0) return undefined;
      return {
        wanted: await additionsByLog(groups, now()),
        done: () => unlogged.done(groups.map(({ token }) => token)),
      };
    },
  };
}

async function additionsByLog(groups: readonly UnloggedGroup[], now: Date): Promise<Additions[]> {
  const nameOf = (graphId: string | null) =>
    graphId === null ? logNames.statements : logNames.graph(graphId);
  const byLog = Map.groupBy(groups, ({ graphId }) => nameOf(graphId));
  const wanted: Additions[] = [];
  for (const [log, of] of byLog) {
    const isOlder = of.some((group) => group.isOlder && group.rows.length > 0);
    const additions = await additionsOf(of.flatMap(({ rows }) => rows));
    wanted.push({ log, additions: isOlder ? [olderNote(now), ...additions] : additions });
  }
  return wanted;
}
