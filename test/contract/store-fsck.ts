import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordsOf } from '../../src/domain/collections/collection.ts';
import { loggedKinds } from '../../src/domain/collections/logged.ts';
import { eachRecord } from '../../src/domain/collections/records.ts';
import { auditExchanges } from '../../src/domain/control-plane/gateway/runtime-records.ts';
import { encodeCollection } from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { storeBytes } from '../../src/domain/integrity/blobs/upload.ts';
import { ContextKeeper } from '../../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import { folderRecords, memberRecords } from '../../src/domain/integrity/folders/folder-records.ts';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { nameRecords } from '../../src/domain/integrity/names/name-records.ts';
import { retractions } from '../../src/domain/integrity/retractions/retraction-records.ts';
import { searchedFolders } from '../../src/domain/integrity/search/files.ts';
import { searchEntries } from '../../src/domain/integrity/search/search-entries.ts';
import { wordsIn } from '../../src/domain/integrity/search/terms.ts';
import { appendNew } from '../../src/domain/log/appending/appender.ts';
import { unloggedStatements } from '../../src/domain/log/appending/unlogged.ts';
import { unloggedRecords } from '../../src/domain/log/appending/unlogged-records.ts';
import { logNames } from '../../src/domain/log/names.ts';
import { logRecords } from '../../src/domain/log/records.ts';
import type { CheckedStore } from '../../src/domain/maintenance/contents.ts';
import { type FsckSummary, fsckStore } from '../../src/domain/maintenance/fsck/fsck.ts';
import { sampleOf } from '../../src/domain/maintenance/fsck/sample.ts';
import type { ProblemKind, StoreProblem } from '../../src/domain/maintenance/problems.ts';
import { Verifier } from '../../src/domain/maintenance/verifier.ts';
import { newExchange } from '../builders/exchanges.ts';
import { newGraph } from '../builders/graphs.ts';
import { usePool } from '../builders/statement-pool.ts';
import { blobUrn, did, identifierWith, ownStatement } from '../builders/statements.ts';
import { isThorough } from '../property-runs.ts';
import { answers, type FillableStore, type Filled, fill, identified, retracting } from './filled-store.ts';

/** Where a store is. It is opened, checked and damaged in turns. */
export interface FsckPlace extends AsyncDisposable {
  open(): Promise<FillableStore & AsyncDisposable>;
  fsck(): Promise<CheckedStore>;
  /** Everything that the store derives from content, in a form that does not depend on how it came about. */
  derivedData(): Promise<unknown>;
}

/** Damage to a row that can be derived again. */
export interface DerivedDamage<Place> {
  readonly name: string;
  /** @param at which of the rows, modulo how many there are. */
  readonly do: (place: Place, at: number) => Promise<unknown>;
}

/** Damage that only a backup brings back. */
export interface ContentDamage<Place> {
  readonly name: string;
  /** @returns what undoes it. */
  readonly do: (place: Place, filled: Filled) => Promise<() => unknown>;
  /** The problems that fsck finds, in any order. */
  readonly finds: (filled: Filled) => readonly (readonly [ProblemKind, string])[];
}

/** What interrupted work leaves behind. */
export interface Orphan<Place> {
  readonly name: string;
  /** @returns what is undone after the test, if anything. */
  readonly do: (place: Place, filled: Filled) => Promise<unknown>;
  readonly finds: readonly [ProblemKind, string | RegExp];
}

export interface Damages<Place> {
  readonly derived: readonly DerivedDamage<Place>[];
  readonly content: readonly ContentDamage<Place>[];
  readonly orphans: readonly Orphan<Place>[];
}

export interface FsckRun {
  readonly problems: readonly StoreProblem[];
  readonly summary: FsckSummary;
}

const { identifier } = usePool(new ContextWorld());

export async function runFsck(
  fsck: CheckedStore,
  { repair = false, sample = sampleOf(1, '') } = {},
): Promise<FsckRun> {
  const contexts = new ContextKeeper(fsck.blobs, new ContextWorld());
  const verifier = new Verifier({ identifier, contexts });
  const run = fsckStore(fsck, verifier, { repair, sample, onProgress: () => undefined });
  const problems: StoreProblem[] = [];
  for (let next = await run.next(); ; next = await run.next()) {
    if (next.done) return { problems, summary: next.value };
    problems.push(next.value);
  }
}

/** What fsck does on every store. */
export function storeFsckContract<Place extends FsckPlace>(
  newPlace: () => Promise<Place>,
  damages: Damages<Place>,
): void {
  describe('fsck', () => {
    let place: Place;
    let filled: Filled;
    let sound: unknown;

    beforeAll(async () => {
      place = await newPlace();
      {
        await using store = await place.open();
        filled = await fill(store);
      }
      sound = await contents();
    });
    afterAll(() => place[Symbol.asyncDispose]());

    async function run(options?: Parameters<typeof runFsck>[1]): Promise<FsckRun> {
      await using fsck = await place.fsck();
      return await runFsck(fsck, options);
    }

    test('finds no problem in a sound store, and counts what it has checked', async () => {
      const { problems, summary } = await run();
      expect(problems).toEqual([]);
      expect(summary).toEqual({
        blobs: expect.any(Number),
        statements: filled.statements.length + 1,
        unchecked: 0,
        graphs: 4,
        records: 37,
        damaged: 0,
        unfinished: 0,
        orphans: 0,
        repaired: 0,
      });
      expect(summary.blobs).toBeGreaterThan(6);
    });

    test('checks the same sample for the same seed, and others for other seeds', async () => {
      const looked = async (seed: string) => (await run({ sample: sampleOf(0.5, seed) })).summary;
      const one = await looked('one');
      expect(await looked('one')).toEqual(one);
      expect(one.statements).toBeGreaterThan(0);
      expect(one.statements).toBeLessThan(filled.statements.length);
      const seeds = await Promise.all(['2', '3', '4', '5'].map((seed) => sampled(seed)));
      expect(new Set(seeds).size).toBeGreaterThan(1);
    });

    /** The statements of a sample, by their places. */
    async function sampled(seed: string): Promise<string> {
      const { isWanted } = sampleOf(0.5, seed);
      return filled.statements.map(({ jcsCid }) => (isWanted(jcsCid.digest) ? '1' : '0')).join('');
    }

    /** What is derived from content, and what the store answers by it. */
    async function contents(): Promise<unknown> {
      const derived = await place.derivedData();
      await using store = await place.open();
      return { derived, answers: await answers(store, filled) };
    }

    test('finds any damage to derived data, and a repair is as good as new', async () => {
      const names = fc.constantFrom(...damages.derived.map(({ name }) => name));
      const repairsAny = fc.asyncProperty(names, fc.noBias(fc.nat()), async (name, at) => {
        await damages.derived.find((one) => one.name === name)?.do(place, at);
        expect((await run()).problems).not.toEqual([]);
        const { summary, problems } = await run({ repair: true });
        expect(problems.map(({ repair }) => repair)).not.toContain('none');
        expect(summary.damaged).toBe(0);
        expect((await run()).problems).toEqual([]);
        expect(await contents()).toEqual(sound);
      });
      await fc.assert(repairsAny, { numRuns: isThorough ? 15 : 6, endOnFailure: true });
    }, 120_000);

    test.each(damages.content)('finds $name, and leaves it as it is', async ({ do: damage, finds }) => {
      const undo = await damage(place, filled);
      const { problems, summary } = await run({ repair: true });
      expect(named(problems)).toEqual(named(finds(filled).map(([kind, id]) => ({ kind, id }))));
      expect(problems[0]).toMatchObject({ severity: 'damage', repair: 'none' });
      expect(summary.damaged).toBe(problems.length);
      await undo();
    });

    test('finds nothing once all of it is undone', async () => {
      expect((await run()).problems).toEqual([]);
    });

    test('finds the names that unfinished requests left out, which is no damage', async () => {
      const [damage] = damages.derived.filter(({ name }) => name === 'a missing name');
      await damage?.do(place, 0);
      const left = { kind: 'name', severity: 'unfinished' };
      const { problems, summary } = await run();
      expect(problems).toMatchObject([{ ...left, repair: 'possible' }]);
      expect(summary).toMatchObject({ damaged: 0, unfinished: 1 });
      expect((await run({ repair: true })).problems).toMatchObject([{ ...left, repair: 'done' }]);
      expect((await run()).problems).toEqual([]);
      expect(await contents()).toEqual(sound);
    });

    test.each([...damages.orphans, nameOfNothing, retractionOfNothing])(
      'finds and removes $name',
      async ({ do: leave, finds: [kind, id] }) => {
        const undo = await leave(place, filled);
        const orphan = {
          kind,
          id: typeof id === 'string' ? id : expect.stringMatching(id),
          severity: 'orphan',
        };
        expect((await run()).problems).toMatchObject([{ ...orphan, repair: 'possible' }]);
        expect((await run({ repair: true })).problems).toMatchObject([{ ...orphan, repair: 'done' }]);
        expect((await run()).problems).toEqual([]);
        if (typeof undo === 'function') await undo();
        expect(await contents()).toEqual(sound);
      },
    );

    test('indexes a retraction that an interrupted request left out, also for who registered it', async () => {
      const subject = cidUrn(cidOf(codecs.rdfc, 'withdrawn'));
      const statement = ownStatement('RetractionRegistration', { subject });
      const row = await identified(identifierWith(), statement);
      {
        await using store = await place.open();
        await store.statements.putMany([row], null, 'registrar:ada');
      }
      const ids = [did, 'registrar:ada'].map((authority) => `${cidUrn(row.rdfcCid)} ${authority}`);
      const left = ids.map((id) => ({ id, kind: 'retraction', severity: 'unfinished' }));
      const all = (repair: string) => left.map((one) => ({ ...one, repair }));
      expect((await run()).problems).toMatchObject(all('possible'));
      expect((await run({ repair: true })).problems).toMatchObject(all('done'));
      expect((await run()).problems).toEqual([]);
      await using store = await place.open();
      const known = await store.of(retractions).among('key', ids, 1);
      expect(known.flat().map(({ withdrawn }) => withdrawn)).toEqual([null, subject]);
    });

    test('finds what the search lacks, and what nothing gives', async () => {
      const graph = { ...newGraph(), name: 'a graph' };
      const ids: string[] = [];
      {
        await using store = await place.open();
        await store.graphs.add(graph);
        const entries = store.of(searchEntries);
        const { records } = await entries.page('key', [], { after: null, limit: 100 });
        for (const { id, folded } of records) if (folded === 'a graph') ids.push(id);
        const [entry] = records;
        if (!entry) expect.fail();
        for (const id of ids) await entries.remove(id);
        await entries.insert([{ ...entry, id: 'stray', statement: nothing }]);
      }
      const all = (repair: string) => [
        ...ids.map((id) => ({ kind: 'search-entry', id, severity: 'unfinished', repair })),
        { kind: 'search-entry', id: 'stray', severity: 'orphan', repair },
      ];
      const sorted = async (options?: Parameters<typeof runFsck>[1]) =>
        (await run(options)).problems.toSorted(byId);
      expect(ids).toHaveLength(2);
      expect(await sorted()).toMatchObject(all('possible').toSorted(byId));
      expect(await sorted({ repair: true })).toMatchObject(all('done').toSorted(byId));
      expect((await run()).problems).toEqual([]);
    });

    test('finds nothing wrong with a graph that a statement names as the graph itself does', async () => {
      const graph = { ...newGraph(), name: 'a graph with a statement' };
      const text = jcs({ name: graph.name });
      const document = cidOf(codecs.jcs, text);
      const fields = { subject: `urn:uuid:${graph.graphId}`, metadata: cidUrn(document) };
      const row = await identified(identifierWith(), ownStatement('MetadataRegistration', fields));
      {
        await using store = await place.open();
        await storeBytes(store.blobs, Buffer.from(text), document);
        await store.graphs.add(graph);
        await store.statements.putMany([row], graph.graphId);
      }
      expect((await run()).problems).toEqual([]);
    });

    test('finds rows that are in no log, and notes them for the next start', async () => {
      const before = await contents();
      const append = (store: FillableStore) =>
        appendNew({
          records: logRecords(store),
          unlogged: [unloggedStatements(store.unlogged, store.now)],
          now: store.now,
        });
      {
        await using store = await place.open();
        // As if their intents had never been written.
        for (
          let left = await store.unlogged.next(1_000);
          left.length > 0;
          left = await store.unlogged.next(1_000)
        )
          await store.unlogged.done(left.map(({ token }) => token));
        await append(store);
      }
      const { problems } = await run();
      expect(new Set(problems.map((one) => `${one.kind} ${one.severity} ${one.repair}`))).toEqual(
        new Set(['log unfinished possible']),
      );
      const ofUnverified = problems.filter(({ problem }) => problem.includes(filled.unverified.jcsCid.text));
      expect(ofUnverified).toMatchObject([{ id: logNames.graph(filled.imported.graphId) }]);
      const members = problems.map(({ id, problem }) => `${id}: ${problem}`);
      expect((await run({ repair: true })).summary).toMatchObject({
        repaired: members.length,
        unfinished: 0,
      });
      expect((await run()).problems).toEqual([]);
      {
        await using store = await place.open();
        await append(store);
        const heads = await Array.fromAsync(eachRecord(logRecords(store).logs, 'key', []));
        const sizes = heads.filter(({ name }) => name !== logNames.service).map(({ size }) => size);
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(new Set(members).size);
      }
      expect((await run()).problems).toEqual([]);
      expect(await contents()).toEqual(before);
    });

    test('makes the files of folders again, and what they are found by', async () => {
      const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`dir/${at}`, `file ${at}`]));
      const folder = await putFolder(files);
      const row = await identified(
        identifierWith(),
        ownStatement('DataRegistration', { data: [cidUrn(folder)] }),
      );
      const id = folder.text;
      {
        await using store = await place.open();
        await store.statements.putMany([row], filled.child.graphId);
        while ((await store.indexDueFolders()) > 0);
      }
      expect((await run()).problems).toEqual([]);
      const found = async () => {
        await using store = await place.open();
        while ((await store.indexDueFolders()) > 0);
        const asked = { words: wordsIn('dir/299') ?? expect.fail(), group: 'artefacts' } as const;
        const { projectId } = filled.child;
        const visibility = { projects: new Set([projectId]) };
        return (await store.search.inGroup(asked, { after: null, limit: 10 }, visibility)).hits.length;
      };
      {
        await using store = await place.open();
        await store.of(memberRecords).remove(`${id}/299`);
        await store.of(memberRecords).update(`${id}/298`, {}, { path: 'x' });
        await store.of(searchedFolders).remove(`${id} ${filled.child.projectId}`);
        await removeEntry(store, `${id}/297`);
        await store.of(folderRecords).remove(id);
        await store
          .of(memberRecords)
          .insert([{ id: 'x/0', collection: 'x', number: 0, member: 'y', path: 'z' }]);
      }
      const { problems } = await run({ repair: true });
      expect(new Set(problems.map((one) => `${one.kind} ${one.id} ${one.severity}`))).toEqual(
        new Set([
          `folder ${id} unfinished`,
          `folder ${id}/299 unfinished`,
          `folder ${id}/298 damage`,
          'folder x/0 orphan',
          `search-entry ${id} ${filled.child.projectId} unfinished`,
          expect.stringMatching(/^search-entry .{22} unfinished$/),
        ]),
      );
      expect((await run()).problems).toEqual([]);
      expect(await found()).toBe(1);
    });

    test('finds a folder whose files an interrupted request has not all indexed, which is no damage', async () => {
      const folder = await putFolder({ 'a.txt': 'some', 'b.txt': 'others' });
      const data = [cidUrn(folder)];
      const row = await identified(identifierWith(), ownStatement('DataRegistration', { data }));
      {
        await using store = await place.open();
        await store.statements.putMany([row], filled.child.graphId);
        while ((await store.indexDueFolders()) > 0);
        await store.of(memberRecords).remove(`${folder.text}/1`);
        await store.of(folderRecords).update(folder.text, {}, { files: null });
      }
      const { problems, summary } = await run();
      expect(problems).toContainEqual(
        expect.objectContaining({ kind: 'folder', id: folder.text, severity: 'unfinished' }),
      );
      expect(summary.damaged).toBe(0);
      await run({ repair: true });
      expect((await run()).problems).toEqual([]);
    });

    async function putFolder(files: Readonly<Record<string, string>>) {
      await using store = await place.open();
      const entries = Object.entries(files).map(([name, text]) => ({
        name,
        digest: cidOf(codecs.raw, text).digest,
      }));
      const { metadata, root } = encodeCollection(entries);
      const cid = cidOf(codecs.hashSequence, root);
      await storeBytes(store.blobs, metadata, cidOf(codecs.raw, metadata));
      await storeBytes(store.blobs, root, cid);
      return cid;
    }

    async function removeEntry(store: FillableStore, member: string) {
      for await (const entry of eachRecord(store.of(searchEntries), 'key', []))
        if (entry.member === member) await store.of(searchEntries).remove(entry.id);
    }

    test('removes a name that an earlier version took from a document in a format of its own', async () => {
      const text = jcs({ spdxVersion: 'SPDX-2.3', name: 'sbom' });
      const document = cidOf(codecs.jcs, text);
      const subject = blobUrn('model');
      const statement = ownStatement('MetadataRegistration', { subject, metadata: cidUrn(document) });
      const row = await identified(identifierWith(), statement);
      const id = row.jcsCid.text;
      const record = { id, subject, name: 'sbom', folded: 'sbom', newestFirst: 0 };
      {
        await using store = await place.open();
        await storeBytes(store.blobs, Buffer.from(text), document);
        await store.statements.putMany([row], null);
        expect(await store.of(nameRecords).get(id)).toBeUndefined();
        await store.of(nameRecords).insert([record]);
      }
      expect((await run({ repair: true })).problems).toMatchObject([{ kind: 'name', id, repair: 'done' }]);
      expect((await run()).problems).toEqual([]);
    });

    test('finds records that are in no log, and those that are not what their entry in a log says', async () => {
      const agentId = `agent ${randomUUID()}`;
      const [kept, changed] = [newExchange({ agentId }), newExchange({ agentId })];
      const work = async (use: (exchanges: RecordsOf<typeof auditExchanges>) => Promise<unknown>) => {
        await using store = await place.open();
        await use(store.of(auditExchanges));
        const unlogged = [unloggedRecords(store, loggedKinds, store.now)];
        await appendNew({ records: logRecords(store), unlogged, now: store.now });
      };
      const own = async (options?: Parameters<typeof runFsck>[1]) =>
        (await run(options)).problems.filter(({ id }) => id === logNames.agent(agentId));
      // As by a version without the logs of agents, beside this one.
      await work((exchanges) => exchanges.insert([{ ...kept, isLogged: true }, changed]));
      const missing = [{ kind: 'log', severity: 'unfinished' }];
      expect(await own()).toMatchObject(missing);
      expect(await own({ repair: true })).toMatchObject(missing);
      await work(async () => undefined);
      expect(await own()).toEqual([]);
      await work((exchanges) => exchanges.update(changed.exchangeKey, {}, { outcome: 'denied' }));
      expect(await own({ repair: true })).toMatchObject([{ severity: 'damage', repair: 'none' }]);
      await work((exchanges) => exchanges.update(changed.exchangeKey, {}, { outcome: changed.outcome }));
      await work((exchanges) => exchanges.remove(kept.exchangeKey));
      expect(await own({ repair: true })).toMatchObject([{ severity: 'damage', repair: 'none' }]);
      await work((exchanges) => exchanges.insert([kept]));
      expect(await own()).toEqual([]);
    });
  });
}

const nothing = cidOf(codecs.jcs, 'nothing').text;

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}

const nameOfNothing: Orphan<FsckPlace> = {
  name: 'a name that no statement gives',
  async do(place) {
    await using store = await place.open();
    const record = { id: nothing, subject: 'did:web:nobody', name: 'a', folded: 'a', newestFirst: 0 };
    await store.of(nameRecords).insert([record]);
  },
  finds: ['name', nothing],
};

const retractionOfNothing: Orphan<FsckPlace> = {
  name: 'a retraction that no statement makes',
  async do(place) {
    await using store = await place.open();
    const [retraction, authority, carrier] = ['urn:cid:bafkqaaa', 'did:web:nobody', nothing];
    const id = `${retraction} ${authority}`;
    const facts = { registeredBy: authority, withdrawn: retraction, reason: null, time: null, createdAt: 1 };
    const record = { id, carrier, retraction, subject: retraction, authority, ...facts };
    await retracting(store).retractions.insert([record]);
  },
  finds: ['retraction', 'urn:cid:bafkqaaa did:web:nobody'],
};

function named(problems: readonly { readonly kind: string; readonly id: string }[]): string[] {
  return problems.map(({ kind, id }) => `${kind} ${id}`).toSorted();
}
