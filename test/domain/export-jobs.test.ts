import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Principal } from '../../src/domain/access/access.ts';
import { everythingGranted } from '../../src/domain/access/grants.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import { ContextKeeper } from '../../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import {
  type ExportJobs,
  endedExport,
  exportedFile,
  type RequestedExport,
  readExport,
  removeExport,
  requestExport,
  sharedTurns,
} from '../../src/domain/integrity/exports/export-jobs.ts';
import { exportKind } from '../../src/domain/integrity/exports/export-records.ts';
import { manifestExports, removeOrphanedResults } from '../../src/domain/integrity/exports/export-work.ts';
import { graphsForReading } from '../../src/domain/integrity/graphs/graphs.ts';
import { attachedBlobs } from '../../src/domain/integrity/manifest/attached-blobs.ts';
import type { ManifestFilter } from '../../src/domain/integrity/manifest/export.ts';
import { AttemptEnds } from '../../src/domain/jobs/attempt-ends.ts';
import { jobRunner } from '../../src/domain/jobs/job-runner.ts';
import type { JobHandler, JobRef, Jobs } from '../../src/domain/jobs/jobs.ts';
import { newGraph } from '../builders/graphs.ts';
import { row } from '../builders/rows.ts';
import { jobsOf } from '../contract/nouns.ts';
import { openTemporary } from '../storage/temporary-folder.ts';
import { principalWith } from './principals.ts';

const [alpha, beta] = [randomUUID(), randomUUID()];
let store: Awaited<ReturnType<typeof openTemporary>>;
const mostBytes = 20 << 20;
let ports: ExportJobs;
let work: (job: JobRef, signal: AbortSignal) => Promise<unknown>;
const attemptEnds = new AttemptEnds();

beforeAll(async () => {
  store = await openTemporary();
  for (const graphId of [alpha, beta]) {
    await store.graphs.add(newGraph({ graphId }));
    await store.statements.putMany([row(JSON.stringify([graphId]))], graphId);
  }
  const [now, newId] = [() => new Date(), randomUUID];
  const { exportResults: results } = store;
  const jobs = jobsOf(store).records;
  const queue = { enqueue: async () => undefined, work: (handler: JobHandler) => (work = handler) };
  ports = { jobs, results, now, newId, attemptEnds, queue, exportRequests: sharedTurns() };
  const contexts = new ContextKeeper(store.blobs, ContextWorld.bundled());
  const exporting = { ...store, contexts, attachedBlobs: store.of(attachedBlobs) };
  const run = jobRunner({
    jobs,
    now,
    newId,
    kinds: [manifestExports(exporting, results, { jobs, mostBytes })],
    onFailure: () => undefined,
  });
  attemptEnds.announced(queue).work(run);
});
afterAll(async () => await store[Symbol.asyncDispose]());

function reader(subject: string, ...projects: string[]): Principal {
  const grants = Object.fromEntries(projects.map((project) => [project, ['view_project_data'] as const]));
  return principalWith(grants, {}, subject);
}

async function asked(principal: Principal, filter: ManifestFilter, most: number): Promise<RequestedExport> {
  const { graphIds } = filter;
  const { visibility } = graphIds
    ? await graphsForReading(store.graphs, principal, { graphIds, withDescendants: false })
    : { visibility: await principal.grants.visible() };
  return { filter, visibility, form: 'json', most, mostBytes };
}

async function exported(principal: Principal, graphIds: readonly string[] | null): Promise<string> {
  const filter = { graphIds, includeContext: false, includeBlobs: false };
  const { id } = await requestExport(ports, principal, await asked(principal, filter, 10));
  await work({ id, kind: exportKind }, new AbortController().signal);
  return id;
}

async function manifestOf(principal: Principal, id: string) {
  const content = await (await exportedFile(ports, principal, id)).read();
  return JSON.parse(Buffer.concat(await Array.fromAsync(content?.bytes ?? [])).toString());
}

const codeOf = async (promise: Promise<unknown>) =>
  await promise.then(
    () => 'nothing',
    (error: unknown) => (error instanceof ServiceError ? error.code : 'no ServiceError'),
  );

describe('an export job', () => {
  test('contains only what its owner may read', async () => {
    const owner = reader('ann', alpha);
    const id = await exported(owner, null);
    expect(Object.keys((await manifestOf(owner, id)).statements)).toHaveLength(1);
    const both = reader('ann', alpha, beta);
    expect(Object.keys((await manifestOf(both, await exported(both, null))).statements)).toHaveLength(2);
  });

  test('looks like an unknown export to everyone but its owner', async () => {
    const id = await exported(reader('ann', alpha), [alpha]);
    const others = [reader('bob', alpha), { ...reader('ann', alpha), issuer: 'https://other.example' }];
    for (const other of others) {
      expect(await codeOf(readExport(ports, other, id))).toBe('not_found');
      expect(await codeOf(exportedFile(ports, other, id))).toBe('not_found');
      expect(await codeOf(removeExport(ports, other, id))).toBe('not_found');
    }
    expect((await readExport(ports, reader('ann', alpha), id)).state).toBe('done');
  });

  test('is forbidden once its owner may no longer read all of it, but can be removed', async () => {
    const id = await exported(reader('ann', alpha, beta), [alpha]);
    expect((await readExport(ports, reader('ann', alpha), id)).state).toBe('done');
    const now = reader('ann', beta);
    expect(await codeOf(readExport(ports, now, id))).toBe('forbidden');
    expect(await codeOf(exportedFile(ports, now, id))).toBe('forbidden');
    await removeExport(ports, now, id);

    const all = await exported({ ...reader('root'), grants: everythingGranted }, null);
    expect(await codeOf(readExport(ports, reader('root', alpha, beta), all))).toBe('forbidden');
  });

  test('has no result before it is complete, and counts towards the limit of its caller', async () => {
    const owner = reader('eve', alpha);
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const ask = async (form: 'json' | 'car', more: Partial<ManifestFilter> = {}) =>
      await requestExport(ports, owner, { ...(await asked(owner, { ...filter, ...more }, 2)), form });
    const [one] = [await ask('json'), await ask('car')];
    expect(await codeOf(exportedFile(ports, owner, one.id))).toBe('conflict');
    const other = () => ask('json', { includeBlobs: true });
    await expect(other()).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 5 });
    await work({ id: one.id, kind: exportKind }, new AbortController().signal);
    expect((await other()).state).toBe('waiting');
  });

  test('answers those who wait for its end as soon as it has ended', async () => {
    const owner = reader('una', alpha);
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const known = await requestExport(ports, owner, await asked(owner, filter, 10));
    const waiting = endedExport(ports, owner, known, AbortSignal.timeout(60_000));
    const impatient = new AbortController();
    const state = endedExport(ports, owner, known, impatient.signal);
    impatient.abort();
    expect((await state).state).toBe('waiting');
    await work({ id: known.id, kind: exportKind }, new AbortController().signal);
    expect((await waiting).state).toBe('done');
    expect((await endedExport(ports, owner, known, AbortSignal.timeout(60_000))).state).toBe('done');
  });

  test('may be awaited by many', async () => {
    const owner = reader('sue', alpha);
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const warnings: Error[] = [];
    const keep = (warning: Error) => void warnings.push(warning);
    process.on('warning', keep);
    onTestFinished(() => void process.off('warning', keep));
    const known = await requestExport(ports, owner, await asked(owner, filter, 10));
    const { signal } = new AbortController();
    const ended = Array.from({ length: 30 }, () => endedExport(ports, owner, known, signal));
    await work({ id: known.id, kind: exportKind }, signal);
    for (const state of await Promise.all(ended))
      expect(state).toMatchObject({ id: known.id, state: 'done' });
    expect(warnings).toEqual([]);
  });

  test('is not read again for those who wait for its end in the same process', async () => {
    const owner = reader('ulf', alpha);
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const known = await requestExport(ports, owner, await asked(owner, filter, 10));
    let reads = 0;
    const get: Jobs['get'] = (key) => {
      reads += 1;
      return ports.jobs.get(key);
    };
    const counted = { ...ports, jobs: { ...ports.jobs, get } };
    const waiting = endedExport(counted, owner, known, AbortSignal.timeout(60_000));
    await work({ id: known.id, kind: exportKind }, new AbortController().signal);
    expect(await waiting).toEqual(await readExport(ports, owner, known.id));
    expect(reads).toBe(0);
  });

  test('is forbidden to those who lose their permission while they wait', async () => {
    const known = await requestExport(
      ports,
      reader('uli', alpha),
      await asked(
        reader('uli', alpha),
        { graphIds: [alpha], includeContext: false, includeBlobs: false },
        10,
      ),
    );
    const grants = { ...reader('uli', alpha).grants };
    let isAllowed = true;
    const owner = { ...reader('uli'), grants: { ...grants, on: async () => isAllowed } };
    const waiting = endedExport(ports, owner, known, AbortSignal.timeout(60_000));
    await readExport(ports, owner, known.id);
    isAllowed = false;
    await work({ id: known.id, kind: exportKind }, new AbortController().signal);
    expect(await codeOf(waiting)).toBe('forbidden');
  });

  test('that has ended in another process is found too', async () => {
    const owner = reader('ute', alpha);
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const known = await requestExport(ports, owner, await asked(owner, filter, 10));
    const waiting = endedExport(ports, owner, known, AbortSignal.timeout(60_000));
    await jobsOf(store).claim(known.id, { runner: 'r', now: 1, silentSince: 0 });
    const outcome = { state: 'done', progress: null, finishedAt: 1, expiresAt: 2 } as const;
    await jobsOf(store).finish(known.id, { runner: 'r', outcome });
    expect((await waiting).state).toBe('done');
  });

  test('that has not begun answers equal requests of its owner, and no others', async () => {
    const owner = reader('joy', alpha, beta);
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const ask = async (by: Principal, more: Partial<ManifestFilter> = {}, form: 'json' | 'car' = 'json') =>
      (await requestExport(ports, by, { ...(await asked(by, { ...filter, ...more }, 10)), form })).id;
    const first = await ask(owner);
    expect(await ask(owner)).toBe(first);
    const others = [
      await ask(owner, {}, 'car'),
      await ask(owner, { graphIds: [beta] }),
      await ask(owner, { graphIds: null }),
      await ask(owner, { includeBlobs: true }),
      await ask(reader('joan', alpha, beta)),
      await ask({ ...owner, grants: everythingGranted }, { graphIds: null }),
    ];
    expect(new Set([first, ...others]).size).toBe(others.length + 1);
    expect(await ask(reader('joy', beta, alpha), { graphIds: null })).toBe(others[2]);
    await work({ id: first, kind: exportKind }, new AbortController().signal);
    expect(await ask(owner)).not.toBe(first);
  });

  test('answers equal requests that arrive together', async () => {
    const owner = reader('ida', alpha);
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const request = await asked(owner, filter, 10);
    const all = await Promise.all(Array.from({ length: 30 }, () => requestExport(ports, owner, request)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  });

  test('costs the store no more when many ask for it together, and fails for those who shared a failure', async () => {
    const owner = reader('ivo', alpha);
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const request = await asked(owner, filter, 10);
    let reads = 0;
    const page: Jobs['page'] = async (...query) => {
      reads += 1;
      if (reads === 2) throw new Error('away');
      return await ports.jobs.page(...query);
    };
    const counted = { ...ports, jobs: { ...ports.jobs, page } };
    const ask = () => codeOf(requestExport(counted, owner, request));
    const first = ask();
    await new Promise(setImmediate);
    const all = await Promise.all([first, ...Array.from({ length: 30 }, ask)]);
    expect(all.filter((code) => code !== 'nothing')).toEqual(Array(30).fill('no ServiceError'));
    expect(reads).toBe(2);
    expect(await ask()).toBe('nothing');
  });

  test('that has begun does not answer new requests, because it may have read the store already', async () => {
    const owner = reader('zoe', alpha);
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const ask = async () => (await requestExport(ports, owner, await asked(owner, filter, 10))).id;
    const running = await ask();
    await jobsOf(store).claim(running, { runner: 'r', now: 1, silentSince: 0 });
    expect(await ask()).not.toBe(running);
  });

  test('is refused while the results of its caller are too large, with the id of the largest', async () => {
    const owner = reader('max', alpha);
    const ids: string[] = [];
    for (let at = 0; at < 20; at += 1) ids.push(await exported(owner, [alpha]));
    await expect(exported(owner, [alpha])).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringMatching(new RegExp(`DELETE .*(${ids.join('|')})`)),
    });
    await exported(reader('ann', alpha), [alpha]);
    await removeExport(ports, owner, String(ids[0]));
    await exported(owner, [alpha]);
  });

  test('has its room from its request on', async () => {
    const owner = reader('kim', alpha);
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const ask = async (more: Partial<RequestedExport>) =>
      await requestExport(ports, owner, { ...(await asked(owner, filter, 10)), mostBytes: 1 << 20, ...more });
    await ask({});
    expect(await codeOf(ask({ form: 'car' }))).toBe('rate_limited');
    expect((await ask({ form: 'car', mostBytes: 2 << 20 })).state).toBe('waiting');
  });

  test('fails when it grows beyond what is left for its caller', async () => {
    const owner = reader('lea', alpha);
    const jobs = jobsOf(store).records;
    const contexts = new ContextKeeper(store.blobs, ContextWorld.bundled());
    const exporting = { ...store, contexts, attachedBlobs: store.of(attachedBlobs) };
    const kinds = [manifestExports(exporting, store.exportResults, { jobs, mostBytes: 10 })];
    const { now, newId } = ports;
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const { id } = await requestExport(ports, owner, await asked(owner, filter, 10));
    const run = jobRunner({ jobs, now, newId, kinds, onFailure: () => undefined });
    await run({ id, kind: exportKind }, new AbortController().signal);
    expect(await readExport(ports, owner, id)).toMatchObject({
      state: 'failed',
      failure: { code: 'too_large' },
    });
    expect((await Array.fromAsync(store.exportResults.names())).some((name) => name.startsWith(id))).toBe(
      false,
    );
  });

  test('reports why it failed and has no result then', async () => {
    const owner = reader('ann', alpha);
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const { id } = await requestExport(ports, owner, await asked(owner, filter, 10));
    const failure = { code: 'storage_full', message: 'The disk is full.' } as const;
    await jobsOf(store).claim(id, { runner: 'r', now: 1, silentSince: 0 });
    const outcome = { state: 'failed', failure, finishedAt: 1, expiresAt: 2 } as const;
    await jobsOf(store).finish(id, { runner: 'r', outcome });
    expect(await readExport(ports, owner, id)).toMatchObject({ state: 'failed', failure });
    await expect(exportedFile(ports, owner, id)).rejects.toThrow('The disk is full.');
  });

  test('is created even if the queue is away', async () => {
    const enqueue = () => Promise.reject(new Error('no queue'));
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const owner = reader('ann', alpha);
    const { id } = await requestExport(
      { ...ports, queue: { enqueue } },
      owner,
      await asked(owner, filter, 10),
    );
    expect((await jobsOf(store).due(0, 100)).map((job) => job.id)).toContain(id);
  });

  test('is removed together with its result', async () => {
    const owner = reader('ann', alpha);
    const id = await exported(owner, [alpha]);
    const names = async () => await Array.fromAsync(store.exportResults.names());
    expect((await names()).some((name) => name.startsWith(id))).toBe(true);
    await removeExport(ports, owner, id);
    expect((await names()).some((name) => name.startsWith(id))).toBe(false);
    expect(await codeOf(readExport(ports, owner, id))).toBe('not_found');
  });

  test('leaves no orphaned result', async () => {
    const owner = reader('ann', alpha);
    const kept = await exported(owner, [alpha]);
    const removed = await exported(owner, [alpha]);
    await jobsOf(store).remove(removed);
    const late = await store.exportResults.stage();
    await late.commit(`${kept}.of-an-attempt-that-was-too-late`);
    await removeOrphanedResults(jobsOf(store).records, store.exportResults);
    const left = await Array.fromAsync(store.exportResults.names());
    expect(left.filter((name) => name.startsWith(removed))).toEqual([]);
    expect(left.filter((name) => name.startsWith(kept))).toHaveLength(1);
    expect(await manifestOf(owner, kept)).toMatchObject({ version: '3' });
  });
});
