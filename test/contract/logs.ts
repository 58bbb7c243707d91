import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import type { GraphImports } from '../../src/domain/integrity/manifest/ports.ts';
import type { GraphStore, StatementRow, StatementStore } from '../../src/domain/integrity/ports.ts';
import { appendNew } from '../../src/domain/log/appending/appender.ts';
import { turnOf, wasTaken } from '../../src/domain/log/appending/turns.ts';
import { unloggedStatements } from '../../src/domain/log/appending/unlogged.ts';
import { statementEntry } from '../../src/domain/log/entries.ts';
import { logNames } from '../../src/domain/log/names.ts';
import type { LoggedRows, UnloggedStatements } from '../../src/domain/log/ports.ts';
import { type LogRecords, logRecords, logTurns } from '../../src/domain/log/records.ts';
import { newGraph } from '../builders/graphs.ts';
import { entriesOfLog } from '../builders/log-entries.ts';
import { row } from '../builders/rows.ts';
import { Steps, stepped } from '../builders/steps.ts';
import { runs } from '../property-runs.ts';

interface LoggedStore extends RecordStore, AsyncDisposable {
  readonly statements: StatementStore;
  readonly graphs: GraphStore;
  readonly graphImports: GraphImports;
  readonly unlogged: UnloggedStatements;
  readonly loggedRows: LoggedRows;
  now(): Date;
}

/** What every store does for the logs. */
export function logsContract(open: () => Promise<LoggedStore>): void {
  describe('the logs of a store', () => {
    let store: LoggedStore;
    let records: LogRecords;

    beforeAll(async () => {
      store = await open();
      records = logRecords(store);
    });
    afterAll(() => store[Symbol.asyncDispose]());

    const append = () =>
      appendNew({ records, unlogged: [unloggedStatements(store.unlogged, store.now)], now: store.now });

    async function addGraph(): Promise<string> {
      const graphId = randomUUID();
      await store.graphs.add(newGraph({ graphId }));
      return graphId;
    }

    const entriesOf = (log: string) => entriesOfLog(store, log);

    test('have each row of a graph once, whatever is stored again, joins late, or becomes verified', async () => {
      const [first, second] = [await addGraph(), await addGraph()];
      const own = randomUUID();
      const rows = Array.from({ length: 300 }, (_, at) => row(`${own} ${at}`));
      const hidden = row(`${own} hidden`, { isTrusted: false });
      await store.statements.putMany([...rows.slice(0, 100), hidden], first);
      await append();
      await store.statements.putMany(rows.slice(50), second);
      await append();
      await store.statements.putMany(rows, first);
      await store.statements.putMany([{ ...hidden, isTrusted: true }], second);
      await append();
      const verified = { ...hidden, isTrusted: true };
      expect((await entriesOf(logNames.graph(first))).toSorted()).toEqual(
        [...rows, hidden, verified].map(entryHex).toSorted(),
      );
      expect((await entriesOf(logNames.graph(second))).toSorted()).toEqual(
        [...rows.slice(50), verified].map(entryHex).toSorted(),
      );
      await entriesOf(logNames.service);
    });

    test('have a row that is stored without a graph, also if it is in a graph', async () => {
      const graphId = await addGraph();
      const one = row(randomUUID());
      await store.statements.putMany([one], graphId);
      await append();
      expect(await entriesOf(logNames.statements)).not.toContain(entryHex(one));
      await store.statements.putMany([one], null);
      await append();
      expect(await entriesOf(logNames.statements)).toContain(entryHex(one));
    });

    test('have the rows of an import when it is published', async () => {
      const graph = newGraph({ graphId: randomUUID() });
      const rows = [row(randomUUID()), row(randomUUID(), { isTrusted: false })];
      const coming = await store.graphImports.begin(graph.projectId);
      await coming.put(rows);
      await append();
      expect(await records.logs.get(logNames.graph(graph.graphId))).toBeUndefined();
      await coming.publish(graph, { contexts: [], anchors: [] });
      await append();
      expect((await entriesOf(logNames.graph(graph.graphId))).toSorted()).toEqual(
        rows.map(entryHex).toSorted(),
      );
    });

    test('have the rows that an abandoned import leaves without a graph', async () => {
      const rows = [row(randomUUID()), row(randomUUID(), { isTrusted: false }), row(randomUUID())];
      const graphId = await addGraph();
      await store.statements.putMany(rows.slice(2), graphId);
      const coming = await store.graphImports.begin(newGraph().projectId);
      await coming.put(rows);
      await coming.abandon();
      await append();
      const entries = await entriesOf(logNames.statements);
      expect(rows.map((one) => entries.includes(entryHex(one)))).toEqual([true, false, false]);
    });

    test('begin with a note if their rows were stored before', async () => {
      const graphId = await addGraph();
      const rows = Array.from({ length: 5 }, () => row(randomUUID()));
      await store.statements.putMany(rows, graphId);
      for (
        let left = await store.unlogged.next(10_000);
        left.length > 0;
        left = await store.unlogged.next(10_000)
      )
        await store.unlogged.done(left.map(({ token }) => token));
      await store.unlogged.noteAll();
      await append();
      await store.unlogged.noteAll();
      await append();
      const [note = '', ...others] = await entriesOf(logNames.graph(graphId));
      expect(Buffer.from(note, 'hex').toString()).toMatch(/^.\{"at":".*","note":"The entries that follow/);
      expect(others).toEqual(rows.map(entryHex));
    });

    test('have what was noted after a process was told of other rows, which is late to say that these are done', async () => {
      const [first, second] = [await addGraph(), await addGraph()];
      const rows = [row(randomUUID())];
      await append();
      await store.statements.putMany(rows, first);
      const tokens = (await store.unlogged.next(10)).map(({ token }) => token);
      await append();
      await store.statements.putMany(rows, second);
      await store.unlogged.done(tokens);
      await append();
      expect(await entriesOf(logNames.graph(second))).toEqual(rows.map(entryHex));
    });

    test('grow by one process at a time, which another one follows when it stops or is silent', async () => {
      let time = 10_000_000;
      const turns = store.of(logTurns);
      const [key, now] = [randomUUID(), () => time];
      const [one, other] = ['one', 'other'].map((holder) => turnOf(turns, { key, holder, ms: 8_000, now }));
      if (!one || !other) return expect.unreachable();
      expect([await one.take(), await other.take()]).toEqual([true, false]);
      expect([one.left(), other.left() > 0]).toEqual([8_000, false]);
      time += 2_000;
      expect([await one.take(), one.left()]).toEqual([true, 8_000]);
      expect(await wasTaken(turns, key, time)).toBe(true);
      // A process that hangs knows that its turn is over.
      time += 8_000;
      expect([one.left(), await other.take(), await one.take()]).toEqual([0, true, false]);
      // It may only be late.
      expect([await wasTaken(turns, key, time + 60_000), await wasTaken(turns, key, time + 68_000)]).toEqual([
        true,
        false,
      ]);
      // Of a process that ended before the clock went back by an hour.
      time -= 3_600_000;
      expect([await one.take(), await other.take()]).toEqual([true, false]);
      await one.end();
      expect(await other.take()).toBe(true);
      await other.end();
      expect(await wasTaken(turns, key, time)).toBe(false);
      expect([other.left() > 0, await one.take()]).toEqual([false, true]);
    });

    test('have everything once and in one order, whichever of several processes stops or pauses at which step', async () => {
      const names = fc.array(fc.nat(40), { maxLength: 12 });
      const write = fc.record({ names, graph: fc.nat(2), isTrusted: fc.boolean() });
      const plan = fc.record({
        writes: fc.array(write, { minLength: 1, maxLength: 12 }),
        seed: fc.nat(2 ** 31),
      });
      await fc.assert(
        fc.asyncProperty(plan, async ({ writes, seed }) => {
          const own = randomUUID();
          const graphs = [await addGraph(), await addGraph(), null];
          const steps = new Steps(seed);
          const appending = [1, 2, 3].map((process) =>
            steps.work(process, (port) =>
              appendNew({
                records: stepped(records, port),
                unlogged: [unloggedStatements(stepped({ it: store.unlogged }, port).it, store.now)],
                now: store.now,
              }),
            ),
          );
          for (const { names: some, graph, isTrusted } of writes) {
            const graphId = graphs[graph] ?? null;
            // Unverified rows come by imports, which have a graph.
            const rows = some.map((name) =>
              row(`${own} ${name}`, { isTrusted: isTrusted || graphId === null }),
            );
            await store.statements.putMany(rows, graphId);
            await steps.some();
          }
          steps.end();
          await Promise.all(appending);
          await append();
          for (const [at, graphId] of graphs.entries()) {
            const log = graphId === null ? logNames.statements : logNames.graph(graphId);
            const entries = await entriesOf(log);
            expect(new Set(entries).size).toBe(entries.length);
            const stored = writes.filter(({ graph }) => graph === at).flatMap(({ names: some }) => some);
            const found = stored.map((name) =>
              [true, false].map((isTrusted) =>
                entries.includes(entryHex(row(`${own} ${name}`, { isTrusted }))),
              ),
            );
            expect(found.every((forms) => forms.includes(true))).toBe(true);
            if (graphId !== null) expect(entries.length).toBeLessThanOrEqual(2 * new Set(stored).size);
          }
          const heads = await entriesOf(logNames.service);
          expect(new Set(heads).size).toBe(heads.length);
        }),
        { numRuns: runs(25) },
      );
    });
  });
}

function entryHex({ rdfcCid, jcsCid, isTrusted }: StatementRow): string {
  const rdfcDigest = isTrusted ? rdfcCid.digest : null;
  return Buffer.from(statementEntry({ rdfcDigest, jcsDigest: jcsCid.digest })).toString('hex');
}
