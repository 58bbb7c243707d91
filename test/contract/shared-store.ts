import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { everythingVisible } from '../../src/domain/access/visibility.ts';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { requestExport, sharedTurns } from '../../src/domain/integrity/exports/export-jobs.ts';
import type { GraphContents, GraphImports } from '../../src/domain/integrity/manifest/ports.ts';
import type { GraphStore, StatementRow, StatementStore } from '../../src/domain/integrity/ports.ts';
import type { StatementIndex } from '../../src/domain/integrity/statements/questions.ts';
import { jobs } from '../../src/domain/jobs/jobs.ts';
import { newGraph } from '../builders/graphs.ts';
import { counted, totalOf } from '../builders/put-counts.ts';
import { row } from '../builders/rows.ts';
import { principalWith } from '../domain/principals.ts';
import { sessionsOf, usersOf } from './nouns.ts';
import { newIdentity } from './users.ts';

interface Store extends RecordStore {
  readonly statements: StatementStore;
  readonly statementIndex: StatementIndex;
  readonly graphs: GraphStore;
  readonly graphContents: GraphContents;
  readonly graphImports: GraphImports;
}

interface SharedStore extends AsyncDisposable {
  /** Two openings of one store, as two processes have them. */
  readonly openings: readonly [Store, Store];
}

const noFilter = { kind: null, subject: null, registeredBy: null, from: null, until: null };

/** What a store does that several processes write at the same time. */
export function sharedStoreContract(open: () => Promise<SharedStore>): void {
  describe('a store that two processes have open', () => {
    let shared: SharedStore;
    let one: Store;
    let other: Store;
    /** What makes names unlike those of other tests. */
    let own: string;
    let graph: string;
    let thing: string;

    beforeAll(async () => {
      shared = await open();
      [one, other] = shared.openings;
    });
    afterAll(async () => {
      await shared[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      own = randomUUID();
      thing = `urn:uuid:${own}`;
      graph = await addGraph(`graph ${own}`);
    });

    async function addGraph(graphId: string): Promise<string> {
      await one.graphs.add(newGraph({ graphId }));
      return graphId;
    }

    const about = (text: string, fields: Partial<StatementRow> = {}) =>
      row(`${own} ${text}`, { references: [{ role: 'data', identifier: thing }], ...fields });
    const many = (count: number, what: string) =>
      Array.from({ length: count }, (_, at) => about(`${what} ${at}`));
    const names = (rows: readonly StatementRow[]) => rows.map(({ jcsCid }) => jcsCid.text);
    const scope = () => ({ graphId: graph, visibility: everythingVisible });

    async function searched(store: Store, limit: number): Promise<string[]> {
      const found: string[] = [];
      for (let after: string | null | undefined = null; after !== undefined; ) {
        const page = await store.statementIndex.search(noFilter, { after, limit }, scope());
        found.push(...names(page.statements));
        after = page.next;
      }
      return found;
    }

    async function referring(store: Store, limit: number): Promise<string[]> {
      const found: string[] = [];
      for (let after: string | null | undefined = null; after !== undefined; ) {
        const page = await store.statementIndex.references([thing], { after, limit }, scope());
        found.push(...names(page.references.map(({ statement }) => statement)));
        after = page.next;
      }
      return found;
    }

    test('stores a statement of twenty concurrent writers once, and reports it as new to one', async () => {
      const writers = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : other));
      const given = [about('same')];
      const all = await Promise.all(writers.map((store) => store.statements.putMany(given, graph)));
      expect(totalOf(all)).toEqual(counted({ stored: 1, known: 19 }));
      expect(await searched(one, 9)).toEqual(names(given));
      expect(await other.graphs.statementCounts([graph], 9)).toEqual([1]);
    });

    test('reports each row of overlapping batches as new once', async () => {
      const rows = many(600, 'shared');
      const batches = Array.from({ length: 6 }, (_, at) => rows.slice(at * 80, at * 80 + 200));
      const reversed = batches.map((batch, at) => (at % 2 === 0 ? batch : batch.toReversed()));
      const all = await Promise.all(
        reversed.map((batch, at) => (at % 3 === 0 ? one : other).statements.putMany(batch, graph)),
      );
      const stored = new Set(names(batches.flat()));
      expect(totalOf(all)).toEqual(counted({ stored: stored.size, known: 6 * 200 - stored.size }));
      expect((await searched(other, 100)).toSorted()).toEqual([...stored].toSorted());
    });

    test('shows each process at once what the other stored', async () => {
      for (const [at, [writer, reader]] of [
        [one, other],
        [other, one],
      ].entries() as ArrayIterator<[number, [Store, Store]]>) {
        const given = about(`seen ${at}`);
        const later = await addGraph(`later ${at} ${own}`);
        await writer.statements.putMany([given], later);
        const found = await reader.statements.byJcsCid(given.jcsCid, onlyOf(later));
        expect(found?.graphIds).toEqual([later]);
      }
    });

    test('keeps a trusted row during writes of an untrusted one', async () => {
      const honest = many(50, 'claim');
      const forged = honest.map((each) => ({ ...each, isTrusted: false, kind: 'Forged', references: [] }));
      await Promise.all([
        one.statements.putMany(forged, graph),
        other.statements.putMany(honest, graph),
        one.statements.putMany(honest.toReversed(), null),
        other.statements.putMany(forged, null),
      ]);
      for (const { jcsCid, kind } of honest)
        expect(await one.statements.byJcsCid(jcsCid, everythingVisible)).toMatchObject({ kind });
      expect((await referring(other, 100)).toSorted()).toEqual(names(honest).toSorted());
    });

    test.each([
      ['search', searched],
      ['references', referring],
    ] as const)(
      'gives all that was there in pages, nothing twice, while both write: %s',
      async (_, listed) => {
        const before = many(400, 'before');
        await Promise.all([
          one.statements.putMany(before.slice(0, 200), graph),
          other.statements.putMany(before.slice(200), graph),
        ]);
        let isPaging = true;
        const written = [one, other].map(async (store, at) => {
          const rows: StatementRow[] = [];
          for (let batch = 0; isPaging; batch += 1) {
            const some = many(10, `during ${at} ${batch}`);
            await store.statements.putMany(some, graph);
            rows.push(...some);
          }
          return rows;
        });
        const found = await listed(one, 25);
        isPaging = false;
        const after = names((await Promise.all(written)).flat());
        expect(new Set(found).size).toBe(found.length);
        expect(new Set(found).isSupersetOf(new Set(names(before)))).toBe(true);
        expect(after.length).toBeGreaterThan(40);
        expect((await listed(other, 1_000)).toSorted()).toEqual([...names(before), ...after].toSorted());
      },
    );

    test('creates one user for twenty concurrent first logins', async () => {
      const identity = newIdentity();
      const logins = Array.from({ length: 20 }, (_, at) =>
        usersOf(at % 2 === 0 ? one : other).logIn(identity, { newId: randomUUID(), now: 1 }),
      );
      const ids = (await Promise.all(logins)).map(({ id }) => id);
      expect(new Set(ids).size).toBe(1);
    });

    test('keeps an enabled administrator under any demotions', async () => {
      const admins = { email: null, role: 'admin', disabled: false } as const;
      const enabled = async () => (await usersOf(one).list(admins, { after: null, limit: 100 })).records;
      for (let round = 0; round < 5; round += 1) {
        for (const store of [one, other]) {
          const user = await usersOf(store).logIn(newIdentity(), { newId: randomUUID(), now: 1 });
          await usersOf(store).change(user.id, { role: 'admin' }, 2);
        }
        const [first, ...rest] = await enabled();
        const demoted = [
          ...rest.map(({ id }) => usersOf(one).change(id, { role: 'member' }, 3)),
          usersOf(other).change(first?.id ?? '', { disabled: true }, 3),
          usersOf(other).change(rest[0]?.id ?? '', { disabled: true }, 3),
        ];
        await Promise.all(demoted);
        expect(await enabled()).toHaveLength(1);
      }
    });

    test('does not accept a session that the other process revoked', async () => {
      const [userId, times] = [randomUUID(), { createdAt: 1, lastSeenAt: 1, expiresAt: 4_102_444_800_000 }];
      const keys = [randomUUID(), randomUUID()];
      for (const key of keys)
        await sessionsOf(one).add({
          key,
          userId,
          issuer: 'i',
          subject: 's',
          secretId: null,
          sealedTokens: null,
          refreshingUntil: null,
          ...times,
        });
      for (const key of keys) expect(await sessionsOf(other).get(key)).toMatchObject({ userId });
      await sessionsOf(other).remove(keys[0] ?? '');
      expect(await sessionsOf(one).get(keys[0] ?? '')).toBeUndefined();
      await sessionsOf(one).removeOfUser(userId);
      expect(await sessionsOf(other).get(keys[1] ?? '')).toBeUndefined();
    });

    test('makes one export of equal requests to both processes, also where only one more is allowed', async () => {
      const principal = principalWith({}, {}, own);
      const request = {
        filter: { graphIds: [graph], includeContext: false, includeBlobs: false },
        visibility: everythingVisible,
        form: 'json',
        most: 1,
        mostBytes: 1 << 30,
      } as const;
      const queue = { enqueue: async () => undefined };
      const ask = (store: Store) => {
        const [exportRequests, now] = [sharedTurns(), () => new Date()];
        const ports = { jobs: store.of(jobs), queue, exportRequests, now, newId: randomUUID };
        return requestExport(ports, principal, request);
      };
      const asked = await Promise.all(Array.from({ length: 20 }, (_, at) => ask(at % 2 === 0 ? one : other)));
      expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
      const id = asked[0]?.id ?? '';
      const running = { state: 'running', workKey: null, runner: 'r', heardAt: 1 } as const;
      await other.of(jobs).update(id, {}, running);
      await expect(ask(one)).rejects.toMatchObject({ code: 'rate_limited' });
    });

    test('loses nothing that one process stores while the other removes an import with it', async () => {
      for (let round = 0; round < 10; round += 1) {
        const forged = many(20, `forged ${round}`).map((each) => ({ ...each, isTrusted: false }));
        const coming = await one.graphImports.begin(graph);
        await coming.put(forged);
        const [{ known }] = await Promise.all([other.statements.putMany(forged, graph), coming.abandon()]);
        expect(known).toBe(0);
        const cids = forged.map(({ jcsCid }) => jcsCid);
        expect(await one.graphContents.count(graph, cids)).toBe(20);
      }
    });
  });
}

function onlyOf(...projects: string[]) {
  return { projects: new Set(projects) };
}
