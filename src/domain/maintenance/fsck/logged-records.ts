import { loggedKinds } from '../../collections/logged.ts';
import { eachRecord } from '../../collections/records.ts';
import { keyInThing, type LoggedKind } from '../../log/appending/logged-kind.ts';
import { logBacklogs } from '../../log/appending/unlogged-records.ts';
import { isSameHash } from '../../log/merkle/hashing.ts';
import { logNames } from '../../log/names.ts';
import { type LogEntry, logRecords, type ReadLogRecords } from '../../log/records.ts';
import { lost, recordProblem, type StoreProblem, unfinished } from '../problems.ts';
import { restoreLog } from './logs.ts';
import type { FsckRun } from './run.ts';

/** Compares agents' records and the like with their entries in the logs. */
export async function* fsckLoggedRecords(
  run: Pick<FsckRun, 'store' | 'repair'>,
): AsyncGenerator<StoreProblem> {
  const records = logRecords(run.store);
  // An older store, which the next start of the service brings up to date.
  if (!(await records.logs.get(logNames.service))) return;
  const backlogs = new Set<string>();
  for await (const { kind } of eachRecord(run.store.of(logBacklogs), 'key', [])) backlogs.add(kind);
  for (const kind of loggedKinds) yield* fsckKind(run, records, kind, backlogs.has(kind.declared.name));
  for await (const { name } of eachRecord(records.logs, 'key', []))
    if (logNames.graphIn(name) === undefined) yield* fsckEntries(run, records, name);
}

const atOnce = 500;

/** Finds records without an entry that nobody is going to add, and those that say something else than their entry. */
async function* fsckKind(
  { store, repair }: Pick<FsckRun, 'store' | 'repair'>,
  { entries }: Pick<ReadLogRecords, 'entries'>,
  kind: LoggedKind,
  isBehind: boolean,
): AsyncGenerator<StoreProblem> {
  const { declared, entriesOf } = kind;
  for await (const page of store.records(declared)) {
    // The check of the records reports the others.
    const whole = page.flatMap(({ record }) =>
      recordProblem(declared.shape, record) === undefined ? [record as Record<string, unknown>] : [],
    );
    const wanted = whole.flatMap((record) => entriesOf(record).map((entry) => ({ ...entry, record })));
    for (const [log, of] of Map.groupBy(wanted, (one) => one.log)) {
      const found = await entriesAmong(
        entries,
        log,
        of.map(({ thing }) => thing),
      );
      for (const { thing, bytes, record } of of) {
        const entry = found.get(thing);
        if (entry && isSameHash(Buffer.from(entry.bytes, 'base64'), bytes)) continue;
        const what = `${thing} says something else than entry ${entry?.index} of this log`;
        if (entry) yield lost('log', log, what, restoreLog);
        else if (record.isLogged !== false && !isBehind) {
          if (repair) await store.putRecord(declared, { ...record, isLogged: false });
          yield unfinished('log', log, `It has no entry of ${thing} yet`, { repair });
        }
      }
    }
  }
}

async function entriesAmong(
  entries: ReadLogRecords['entries'],
  log: string,
  things: readonly string[],
): Promise<ReadonlyMap<string, LogEntry>> {
  const found = new Map<string, LogEntry>();
  for (let at = 0; at < things.length; at += atOnce)
    for (const [entry] of await entries.among('thing', things.slice(at, at + atOnce), 1, [log]))
      if (entry) found.set(entry.thing, entry);
  return found;
}

/** Finds entries whose records are gone. */
async function* fsckEntries(
  { store }: Pick<FsckRun, 'store'>,
  { entries }: Pick<ReadLogRecords, 'entries'>,
  log: string,
): AsyncGenerator<StoreProblem> {
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const page: Awaited<ReturnType<typeof entries.page>> = await entries.page('index', [log], {
      after,
      limit: atOnce,
    });
    // Signed lists are made again, so only the last one of each is stored, if at all.
    for (const kind of loggedKinds.filter(({ declared }) => !declared.isTransient)) {
      const named = page.records.map(({ thing }) => keyInThing(kind, thing) ?? null);
      const keys = named.filter((key) => key !== null);
      const stored = (await store.of(kind.declared).among('key', keys, 1)).values();
      for (const [at, key] of named.entries()) {
        if (key === null || (stored.next().value ?? []).length > 0) continue;
        const what = `Entry ${page.records[at]?.index} is of ${kind.declared.name}/${key}, which is not stored`;
        yield lost('log', log, what, restoreLog);
      }
    }
    after = page.next;
  }
}
