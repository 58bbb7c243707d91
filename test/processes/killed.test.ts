import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { didStatements, ndjson } from '../builders/statements.ts';
import { openGate } from '../cli/gate.ts';
import { longMigration, served } from '../cli/migrate-samples.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { listeningUrl, runCairn, spawnCairn, spawnService } from './spawn-cairn.ts';

describe('a killed command', () => {
  test('cairn ingest resumes after the acknowledged lines', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'statements.ndjson');
    writeFileSync(file, ndjson(didStatements(50)));
    await using service = await spawnService();
    const third = Promise.withResolvers<void>();
    let isOpen = false;
    await using gate = await openGate(service.url, ({ earlier }) => {
      if (isOpen || earlier < 2) return 'pass';
      third.resolve();
      return 'never';
    });
    const env = { CAIRN_URL: gate.url, XDG_STATE_HOME: join(folder.path, 'state') };
    const args = ['ingest', file, '--generate-id', '--batch', '10', '--concurrency', '1'];
    using killed = spawnCairn(args, { env });
    await third.promise;
    isOpen = true;
    killed.child.kill('SIGKILL');
    await killed.done;
    const run = await runCairn(args, { env });
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('Resuming after line 20.') });
    expect(run.stdout).toMatch(/^50 stored, 0 known, 0 refused; /);
  });

  test('cairn migrate can be repeated, and its target answers like the source', async () => {
    using folder = temporaryFolder();
    const { from, to, options, args } = await longMigration(folder.path, 1_000);
    let interrupted = 0;
    for (let round = 1; round <= 2; round += 1) if (await isKilledMidway(args, options, to)) interrupted += 1;
    expect(interrupted).toBeGreaterThan(0);
    const last = await runCairn(args, options);
    expect(last.code, last.stderr).toBe(0);
    expect(await served({ CAIRN_DATA_DIR: to })).toEqual(await served({ CAIRN_DATA_DIR: from }));
  });
});

describe('a killed service', () => {
  test('leaves a sound store', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    const service = await spawnService({ CAIRN_DATA_DIR: data });
    const put = (at: number) =>
      fetch(`${service.url}/store/v1/blob`, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream' },
        // Half of them are files.
        body: Buffer.alloc(at % 2 === 0 ? 100_000 : 200_000, at),
      }).catch(() => undefined);
    const puts = Promise.all(Array.from({ length: 50 }, (_, at) => put(at)));
    await put(99);
    await service.kill();
    await puts;
    const run = await runCairn(['fsck', '--data-dir', data], { env: { CAIRN_WORKERS: '1' } });
    expect(run.code, run.stdout).toBe(0);
  });

  test('leaves exports that the next process finishes', async () => {
    using folder = temporaryFolder();
    const env = { CAIRN_WORKERS: '1', CAIRN_DATA_DIR: join(folder.path, 'data') };
    const serve = async () => {
      const running = spawnCairn(['serve', '--port', '0'], { env });
      return { ...running, url: await listeningUrl(running.child.stderr, running.done) };
    };
    const first = await serve();
    await fillGraph(first.url, 2_000);
    const path = `/manifest/v1?graph_ids=${graph}&include_blobs=true`;
    const accepted = await fetch(first.url + path, { headers: { prefer: 'respond-async' } });
    first.child.kill('SIGKILL');
    await first.done;
    const second = await serve();
    const location = `${second.url}${accepted.headers.get('location')}`;
    const state = async () => (await (await fetch(location)).json()) as { state: string; statements: number };
    await expect.poll(async () => (await state()).state).toBe('done');
    expect((await state()).statements).toBe(2_000);
    second.child.kill('SIGTERM');
    expect((await second.done).code).toBe(0);
  });
});

const graph = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e5';

async function fillGraph(url: string, count: number): Promise<void> {
  const put = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url + path, { method: 'PUT', headers, body: JSON.stringify(body) });
    expect(response.ok).toBe(true);
  };
  await put('/graph/v1', { graph_id: graph, name: 'exported' });
  await put('/statements/v1/batch', { statements: didStatements(count), generate_id: true, graph_id: graph });
}

/** Kills a migration as soon as it has stored more than the previous run. @returns whether it was still running. */
async function isKilledMidway(
  args: readonly string[],
  options: Parameters<typeof spawnCairn>[1],
  to: string,
): Promise<boolean> {
  const before = statementsIn(to);
  using running = spawnCairn(args, options);
  await expect.poll(() => statementsIn(to) > before || running.child.exitCode !== null).toBe(true);
  running.child.kill('SIGKILL');
  return (await running.done).code === null;
}

/** The number of statements in a data folder, which another process may be writing to. */
function statementsIn(path: string): number {
  if (!existsSync(join(path, 'cairn.db'))) return 0;
  using database = new DatabaseSync(join(path, 'cairn.db'), { readOnly: true });
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'verified_rows'").get();
  return table ? Number(database.prepare('SELECT count(*) AS count FROM verified_rows').get()?.count) : 0;
}
