import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import type { GraphImports } from '../../src/domain/integrity/manifest/ports.ts';
import type { GraphStore, StatementRow, StatementStore } from '../../src/domain/integrity/ports.ts';
import { appendNew } from '../../src/domain/log/appending/appender.ts';
import { statementEntry } from '../../src/domain/log/entries.ts';
import { leafHash } from '../../src/domain/log/merkle/hashing.ts';
import { rootAt } from '../../src/domain/log/merkle/proofs.ts';
import { rootOf } from '../../src/domain/log/merkle/range.ts';
import { tileWidth } from '../../src/domain/log/merkle/tiles.ts';
import { logNames } from '../../src/domain/log/names.ts';
import type { LoggedRows, UnloggedStatements } from '../../src/domain/log/ports.ts';
import { logReading } from '../../src/domain/log/reading.ts';
import { type LogRecords, logRecords } from '../../src/domain/log/records.ts';
import { newGraph } from '../builders/graphs.ts';
import { row } from '../builders/rows.ts';
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

    const append = () => appendNew({ records, unlogged: store.unlogged, now: store.now });

    async function addGraph(): Promise<string> {
      const graphId = randomUUID();
      await store.graphs.add(newGraph({ graphId }));
      return graphId;
    }

    /** The entries of a log, whose tiles and heads are compared with them. */
    async function entriesOf(log: string): Promise<string[]> {
      const reading = logReading(records, store.loggedRows);
      const size = (await records.logs.get(log))?.size ?? 0;
      const entries: Uint8Array[] = [];
      for (let index = 0; index * tileWidth < size; index += 1) {
        const width = Math.min(tileWidth, size - index * tileWidth);
        entries.push(...(await reading.entries(log, { index, width })));
      }
      const leaves = entries.map(leafHash);
      expect(await rootAt(reading.tiles(log), size)).toEqual(Buffer.from(rootOf(leaves)));
      const service = (await records.logs.get(logNames.service))?.size ?? 0;
      if (size > 0 && log !== logNames.service) {
        const head = await reading.headAt(log, service);
        expect([head?.size, head?.root]).toEqual([size, Buffer.from(rootOf(leaves)).toString('base64')]);
      }
      return entries.map(hex);
    }

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
                unlogged: stepped({ it: store.unlogged }, port).it,
                now: store.now,
              }),
            ),
          );
          for (const { names: some, graph, isTrusted } of writes) {
            const rows = some.map((name) => row(`${own} ${name}`, { isTrusted }));
            await store.statements.putMany(rows, graphs[graph] ?? null);
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
    }, 60_000);
  });
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function entryHex({ rdfcCid, jcsCid, isTrusted }: StatementRow): string {
  return hex(statementEntry({ rdfcDigest: isTrusted ? rdfcCid.digest : null, jcsDigest: jcsCid.digest }));
}

type Step = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The same ports. Each call is a step. */
function stepped<Ports extends object>(ports: Ports, step: Step): Ports {
  const wrapped = Object.entries(ports).map(([name, port]) => [
    name,
    Object.fromEntries(
      Object.entries(port as Record<string, (...args: unknown[]) => Promise<unknown>>).map(
        ([method, call]) => [method, (...args: unknown[]) => step(() => call(...args))],
      ),
    ),
  ]);
  return Object.fromEntries(wrapped) as Ports;
}

class Killed extends Error {}

/** Runs processes step by step, in an order that follows from a seed. Some pause for long, and some are killed before or after a step. */
class Steps {
  readonly #waiting: { readonly process: number; go(isKilled: boolean): void }[] = [];
  #seed: number;
  #favourite = 1;
  #isOver = false;

  constructor(seed: number) {
    this.#seed = seed + 1;
  }

  #random(count: number): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed % count;
  }

  /** Repeats the work of a process until `end`, also after it was killed. */
  async work(process: number, run: (step: Step) => Promise<unknown>): Promise<void> {
    while (!this.#isOver) {
      let isDead = false;
      const step: Step = async (work) => {
        const isKilled =
          !this.#isOver && (await new Promise<boolean>((go) => this.#waiting.push({ process, go })));
        if (isDead || (isKilled && this.#random(2) === 0)) throw new Killed();
        const result = await work();
        isDead ||= isKilled;
        if (isDead) throw new Killed();
        return result;
      };
      await run(step).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
        isDead = true;
      });
    }
  }

  /** Some steps of some processes. */
  async some(): Promise<void> {
    for (let left = this.#random(150); left > 0; left -= 1) await this.#one();
  }

  async #one(): Promise<void> {
    for (let turns = 0; turns < 20 && this.#waiting.length < 3; turns += 1) await setImmediate();
    // The others pause.
    if (this.#random(8) === 0) this.#favourite = 1 + this.#random(3);
    const own = this.#waiting.findIndex(({ process }) => process === this.#favourite);
    const [next] = this.#waiting.splice(Math.max(own, 0), 1);
    next?.go(this.#random(25) === 0);
  }

  /** Lets everything go on by itself. */
  end(): void {
    this.#isOver = true;
    for (const { go } of this.#waiting) go(false);
  }
}
