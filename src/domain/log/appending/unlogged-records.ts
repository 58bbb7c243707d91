import { z } from 'zod';
import { collection, type RecordStore } from '../../collections/collection.ts';
import type { Members, Page, Records } from '../../collections/records.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { type Addition, olderNote } from './additions.ts';
import type { Additions } from './append.ts';
import type { LoggedKind } from './logged-kind.ts';
import type { Unlogged, UnloggedPart } from './unlogged.ts';

/** The kinds whose records were stored before the service had logs of them, while some are in no log. */
export const logBacklogs = collection('log_backlogs', {
  shape: z.object({
    /** The name of the collection. */
    kind: z.string().min(1),
    /** Where it goes on; null at its start. */
    after: z.string().nullable(),
  }),
  key: 'kind',
  // A copy of the store begins anew, and leaves out what its logs have.
  isTransient: true,
});

type AnyRecord = Record<string, unknown>;

const recordsAtOnce = 1_000;
const recordsAtOneTurn = 64;

/** The records of all kinds that have no entries yet. Those that are older than their logs come before all others. */
export function unloggedRecords(store: RecordStore, kinds: readonly LoggedKind[], now: () => Date): Unlogged {
  const backlogs = store.of(logBacklogs);
  return {
    async next() {
      const [backlog] = (await backlogs.page('key', [], { after: null, limit: 1 })).records;
      return backlog ? await olderPart(backlog) : await newPart();
    },
  };

  async function olderPart({ kind: name, after }: z.output<typeof logBacklogs.shape>): Promise<UnloggedPart> {
    const kind = kinds.find(({ declared }) => declared.name === name);
    const request = { after, limit: recordsAtOnce, order: 'ascending' } as const;
    const page: Page<AnyRecord> = kind
      ? await store.of(kind.declared).page(kind.olderBy, [], request)
      : { records: [] };
    const wanted = kind ? await additionsOf([{ kind, found: page.records }]) : [];
    const note = olderNote(now());
    return {
      wanted: wanted.map(({ log, additions }) => ({ log, additions: [note, ...additions] })),
      async done() {
        if (page.next === undefined) await backlogs.remove(name, { after });
        else await backlogs.update(name, { after }, { after: page.next });
      },
    };
  }

  /** Of all kinds, so that what belongs together makes one head of its log. */
  async function newPart(): Promise<UnloggedPart | undefined> {
    const request = { after: null, limit: recordsAtOnce, order: 'ascending' } as const;
    const read = await Promise.all(
      kinds.map(async (kind) => {
        const { records: found } = await store.of(kind.declared).page('unlogged', [], request);
        return { kind, found };
      }),
    );
    const some = read.filter(({ found }) => found.length > 0);
    if (some.length === 0) return undefined;
    return {
      wanted: await additionsOf(some),
      async done() {
        for (const { kind, found } of some) await markLogged(store.of(kind.declared), kind, found);
      },
    };
  }
}

/** A record that has changed meanwhile stays as it is, because it has another entry now. */
export async function markLogged(
  records: Pick<Records<AnyRecord>, 'updateAll'>,
  { declared, changing, logged }: LoggedKind,
  found: readonly AnyRecord[],
): Promise<void> {
  const byState = Map.groupBy(found, (record) => JSON.stringify(changing.map((name) => record[name])));
  for (const [state, of] of byState) {
    const values: Members[string][] = JSON.parse(state);
    const expected = Object.fromEntries(changing.map((name, at) => [name, values[at]]));
    const keys = of.map((record) => String(record[declared.key]));
    await records.updateAll(keys, { ...expected, isLogged: false }, logged);
  }
}

interface Found {
  readonly kind: LoggedKind;
  readonly found: readonly object[];
}

async function additionsOf(some: readonly Found[]): Promise<Additions[]> {
  const byLog = new Map<string, Addition[]>();
  for (const { kind, found } of some)
    for (const [at, record] of found.entries()) {
      for (const { log, thing, bytes } of kind.entriesOf(record))
        byLog.getOrInsertComputed(log, () => []).push({ position: null, thing, bytes });
      if (at % recordsAtOneTurn === 0) await yieldToEventLoop();
    }
  return [...byLog].map(([log, additions]) => ({ log, additions }));
}

/** A step that brings a store up to date: records of before get into the logs. */
export async function noteBacklogs(store: RecordStore, kinds: readonly LoggedKind[]): Promise<void> {
  await store.of(logBacklogs).insert(kinds.map(({ declared }) => ({ kind: declared.name, after: null })));
}
