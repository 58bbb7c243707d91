import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Principal } from '../../src/domain/access/access.ts';
import { everythingGranted } from '../../src/domain/access/grants.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import { ContextKeeper } from '../../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import {
  exportedFile,
  exportKind,
  readExport,
  removeExport,
  requestExport,
} from '../../src/domain/integrity/exports/export-jobs.ts';
import { manifestExports, removeStrayResults } from '../../src/domain/integrity/exports/export-work.ts';
import { jobRunner } from '../../src/domain/jobs/job-runner.ts';
import type { JobRef } from '../../src/domain/jobs/jobs.ts';
import { row } from '../contract/rows.ts';
import { openTemporary } from '../storage/temporary-folder.ts';
import { principalWith } from './principals.ts';

const [alpha, beta] = [randomUUID(), randomUUID()];
let store: Awaited<ReturnType<typeof openTemporary>>;
let ports: Parameters<typeof requestExport>[0];
let work: (job: JobRef, signal: AbortSignal) => Promise<void>;

beforeAll(async () => {
  store = await openTemporary();
  for (const graphId of [alpha, beta]) {
    await store.graphs.add({ graphId, name: 'a project', parentId: null, projectId: graphId });
    await store.statements.putMany([row(JSON.stringify([graphId]))], graphId);
  }
  const [now, newId] = [() => new Date(), randomUUID];
  const { jobs, exportResults: results, graphs } = store;
  ports = { jobs, results, graphs, now, newId, queue: { enqueue: async () => undefined } };
  const exporting = { ...store, contexts: new ContextKeeper(store.blobs, ContextWorld.bundled()) };
  work = jobRunner({
    jobs,
    now,
    newId,
    kinds: [manifestExports(exporting, results)],
    onFailure: () => undefined,
  });
});
afterAll(async () => await store[Symbol.asyncDispose]());

function reader(subject: string, ...projects: string[]): Principal {
  const grants = Object.fromEntries(projects.map((project) => [project, ['view_project_data'] as const]));
  return principalWith(grants, {}, subject);
}

async function exported(principal: Principal, graphIds: readonly string[] | null): Promise<string> {
  const filter = { graphIds, includeContext: false, includeBlobs: false };
  const { id } = await requestExport(ports, principal, { filter, form: 'json', most: 10 });
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
  test('holds what its owner may read, although a worker may read everything', async () => {
    const owner = reader('ann', alpha);
    const id = await exported(owner, null);
    expect(Object.keys((await manifestOf(owner, id)).statements)).toHaveLength(1);
    const both = reader('ann', alpha, beta);
    expect(Object.keys((await manifestOf(both, await exported(both, null))).statements)).toHaveLength(2);
  });

  test("is its owner's alone: nobody else can tell it from none", async () => {
    const id = await exported(reader('ann', alpha), [alpha]);
    const others = [reader('bob', alpha), { ...reader('ann', alpha), issuer: 'https://other.example' }];
    for (const other of others) {
      expect(await codeOf(readExport(ports, other, id))).toBe('not_found');
      expect(await codeOf(exportedFile(ports, other, id))).toBe('not_found');
      expect(await codeOf(removeExport(ports, other, id))).toBe('not_found');
    }
    expect((await readExport(ports, reader('ann', alpha), id)).state).toBe('done');
  });

  test('is refused once its owner may not read all of it any more, and can still be removed', async () => {
    const id = await exported(reader('ann', alpha, beta), [alpha]);
    expect((await readExport(ports, reader('ann', alpha), id)).state).toBe('done');
    const now = reader('ann', beta);
    expect(await codeOf(readExport(ports, now, id))).toBe('forbidden');
    expect(await codeOf(exportedFile(ports, now, id))).toBe('forbidden');
    await removeExport(ports, now, id);

    const all = await exported({ ...reader('root'), grants: everythingGranted }, null);
    expect(await codeOf(readExport(ports, reader('root', alpha, beta), all))).toBe('forbidden');
  });

  test('has no result before it is complete, and is one of few that a caller may have', async () => {
    const owner = reader('eve', alpha);
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const ask = () => requestExport(ports, owner, { filter, form: 'json', most: 2 });
    const [one] = [await ask(), await ask()];
    expect(await codeOf(exportedFile(ports, owner, one.id))).toBe('conflict');
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 5 });
    await work({ id: one.id, kind: exportKind }, new AbortController().signal);
    expect((await ask()).state).toBe('waiting');
  });

  test('says why it has failed, and has no result then', async () => {
    const owner = reader('ann', alpha);
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const { id } = await requestExport(ports, owner, { filter, form: 'json', most: 10 });
    const failure = { code: 'storage_full', message: 'The disk is full.' } as const;
    await store.jobs.claim(id, { runner: 'r', now: 1, silentSince: 0 });
    const outcome = { state: 'failed', failure, finishedAt: 1, expiresAt: 2 } as const;
    await store.jobs.finish(id, { runner: 'r', outcome });
    expect(await readExport(ports, owner, id)).toMatchObject({ state: 'failed', failure });
    await expect(exportedFile(ports, owner, id)).rejects.toThrow('The disk is full.');
  });

  test('can be queued later when the queue is gone', async () => {
    const enqueue = () => Promise.reject(new Error('no queue'));
    const filter = { graphIds: [alpha], includeContext: false, includeBlobs: false };
    const asked = { filter, form: 'json', most: 10 } as const;
    const { id } = await requestExport({ ...ports, queue: { enqueue } }, reader('ann', alpha), asked);
    expect((await store.jobs.due(0, 100)).map((job) => job.id)).toContain(id);
  });

  test('is forgotten with its result when its owner removes it', async () => {
    const owner = reader('ann', alpha);
    const id = await exported(owner, [alpha]);
    const names = async () => await Array.fromAsync(store.exportResults.names());
    expect((await names()).some((name) => name.startsWith(id))).toBe(true);
    await removeExport(ports, owner, id);
    expect((await names()).some((name) => name.startsWith(id))).toBe(false);
    expect(await codeOf(readExport(ports, owner, id))).toBe('not_found');
  });

  test('leaves no result behind that nobody can reach', async () => {
    const owner = reader('ann', alpha);
    const kept = await exported(owner, [alpha]);
    const removed = await exported(owner, [alpha]);
    await store.jobs.remove(removed);
    const late = await store.exportResults.stage();
    await late.commit(`${kept}.of-an-attempt-that-was-too-late`);
    await removeStrayResults(store.jobs, store.exportResults);
    const left = await Array.fromAsync(store.exportResults.names());
    expect(left.filter((name) => name.startsWith(removed))).toEqual([]);
    expect(left.filter((name) => name.startsWith(kept))).toHaveLength(1);
    expect(await manifestOf(owner, kept)).toMatchObject({ version: '3' });
  });
});
