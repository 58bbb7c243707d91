import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';

/** How publishing goes (`id` is `log`), and how each witness answers (`id` is its URL). Any process can read it. */
export const logStandings = collection('log_standings', {
  shape: z.object({
    id: z.string().min(1),
    /** The names of the witness in the policy. */
    names: z.array(z.string()),
    /** The size of the last tree that it has cosigned for this service. */
    size: z.int().min(0).nullable(),
    /** When that was, in milliseconds since 1970. */
    at: z.int().min(0).nullable(),
    /** What is wrong since `since`. */
    problem: z
      .object({ code: z.string().min(1), detail: z.string().nullable(), size: z.int().min(0).nullable() })
      .nullable(),
    since: z.int().min(0).nullable(),
  }),
  key: 'id',
  isTransient: true,
});

export type LogStandings = RecordsOf<typeof logStandings>;
export type LogStanding = Readonly<z.output<typeof logStandings.shape>>;
export const ownStanding = 'log';

export interface ReportedStanding {
  readonly id: string;
  readonly names: readonly string[];
  /** The size that was cosigned or published just now. */
  readonly size?: number;
  readonly problem: LogStanding['problem'];
}

/** How often a size without other news is written. */
const writeMs = 10_000;

/** Writes what has changed. */
export class StandingWriter {
  readonly #records: Pick<LogStandings, 'get' | 'insert' | 'update' | 'remove'>;
  readonly #written = new Map<string, { readonly standing: LogStanding; readonly at: number }>();

  constructor(records: Pick<LogStandings, 'get' | 'insert' | 'update' | 'remove'>) {
    this.#records = records;
  }

  /** @returns whether the problem is another one than before, or is gone. */
  async report(next: ReportedStanding, now: number): Promise<boolean> {
    const before = this.#written.get(next.id)?.standing ?? (await this.#records.get(next.id)) ?? undefined;
    const isSameProblem = before?.problem?.code === next.problem?.code;
    const standing: LogStanding = {
      ...next,
      names: [...next.names],
      size: next.size ?? before?.size ?? null,
      at: next.size === undefined ? (before?.at ?? null) : now,
      since: next.problem === null ? null : isSameProblem && before ? before.since : now,
    };
    const last = this.#written.get(next.id)?.at ?? Number.NEGATIVE_INFINITY;
    const isFirstSize = standing.size !== null && before?.size === null;
    if (isSameProblem && before && !isFirstSize && now - last < writeMs) return false;
    this.#written.set(next.id, { standing, at: now });
    const [isNew] = await this.#records.insert([standing]);
    if (!isNew) await this.#records.update(next.id, {}, standing);
    return !isSameProblem || !before;
  }
}

export interface LogState {
  readonly own: LogStanding | undefined;
  readonly witnesses: readonly LogStanding[];
}

/** More witnesses are not asked. */
const mostWitnesses = 100;

export async function readStandings(records: Pick<LogStandings, 'page'>): Promise<LogState> {
  const { records: all } = await records.page('key', [], { after: null, limit: mostWitnesses + 1 });
  return {
    own: all.find(({ id }) => id === ownStanding),
    witnesses: all.filter(({ id }) => id !== ownStanding),
  };
}

/** The same if no process publishes, so that nobody reports it. */
export function withoutProcess({ own, witnesses }: LogState): LogState {
  const none = { id: ownStanding, names: [], size: null, at: null };
  const problem = { code: 'no_process', detail: null, size: null };
  return { own: { ...none, ...own, problem, since: null }, witnesses };
}

/** Forgets witnesses that are not asked any more. */
export async function keepStandingsOf(
  records: Pick<LogStandings, 'page' | 'remove'>,
  urls: readonly string[],
): Promise<void> {
  const { witnesses } = await readStandings(records);
  for (const { id } of witnesses) if (!urls.includes(id)) await records.remove(id);
}
