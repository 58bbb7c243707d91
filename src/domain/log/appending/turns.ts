import type { RecordsOf } from '../../collections/collection.ts';
import type { logTurns } from '../records.ts';

/** The right to do a kind of work for a while. One process has it at a time. */
export interface Turn {
  /** Takes it, or keeps it. @returns whether this process has it. */
  take(): Promise<boolean>;
  /** For how many milliseconds no other process can take it. */
  left(): number;
  /** Lets other processes go on at once. */
  end(): Promise<void>;
}

/** A turn is prolonged when it was taken so long ago. */
const renewAfterMs = 1_500;
/** A process that is busy may take its turn again late, and clocks may differ. */
const lateMs = 60_000;

interface TurnOf {
  readonly key: string;
  readonly holder: string;
  /** How long it lasts if the process ends in the middle. */
  readonly ms: number;
  /** The clock of the store. */
  readonly now: () => number;
}

export function turnOf(turns: RecordsOf<typeof logTurns>, { key, holder, ms, now }: TurnOf): Turn {
  let ownUntil = 0;
  return {
    async take() {
      const until = now() + ms;
      const current = await turns.get(key);
      if (!current) return own(until, (await turns.insert([{ key, holder, until }]))[0]);
      const isOwn = current.holder === holder;
      if (isOwn && current.until > until - renewAfterMs) return own(current.until, true);
      // It was taken before the clock went back if it ends later than any turn can.
      const isHeld = current.until > now() && current.until < until + lateMs;
      if (!isOwn && isHeld) return own(0, false);
      const expected = { holder: current.holder, until: current.until };
      return own(until, (await turns.update(key, expected, { holder, until })) !== undefined);
    },

    left: () => ownUntil - now(),

    async end() {
      ownUntil = 0;
      await turns.remove(key, { holder });
    },
  };

  function own(until: number, isOwn = false): boolean {
    ownUntil = isOwn ? until : 0;
    return isOwn;
  }
}

/** Whether a process has the turn, or had it a short while ago. A process that has stopped in order has not. */
export async function wasTaken(
  turns: Pick<RecordsOf<typeof logTurns>, 'get'>,
  key: string,
  now: number,
): Promise<boolean> {
  const current = await turns.get(key);
  return current !== undefined && now < current.until + lateMs;
}

/** Of a process that shares its store with no other. */
export const onlyTurn: Turn = {
  take: async () => true,
  left: () => Number.POSITIVE_INFINITY,
  end: async () => undefined,
};
