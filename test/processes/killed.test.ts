import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openGate } from '../cli/gate.ts';
import { longMigration, served } from '../cli/migrate-samples.ts';
import { didStatements, ndjson } from '../cli/statements.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { listeningUrl, runCairn, spawnCairn, spawnService } from './spawn-cairn.ts';

describe('a command that was killed', () => {
  test('cairn ingest goes on with what was not acknowledged', async () => {
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
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('Going on after line 20.') });
    expect(run.stdout).toMatch(/^50 stored, 0 known, 0 refused; /);
  });

  test('cairn migrate goes on, and its target answers as the source does', async () => {
    using folder = temporaryFolder();
    const { from, to, state, options, args } = await longMigration(folder.path);
    let interrupted = 0;
    for (let round = 1; round <= 3; round += 1)
      if (await isKilledMidway(args, options, state)) interrupted += 1;
    expect(interrupted).toBeGreaterThan(0);
    const last = await runCairn(args, options);
    expect(last.code, last.stderr).toBe(0);
    expect(await served({ CAIRN_DATA_DIR: to })).toEqual(await served({ CAIRN_DATA_DIR: from }));
    expect(readdirSync(join(state, 'cairn', 'migrate'))).toEqual([]);
  });
});

describe('a service that was killed', () => {
  test('leaves a store in which fsck finds no problem', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    const service = await spawnService({ CAIRN_DATA_DIR: data });
    const put = (at: number) =>
      fetch(`${service.url}/store/v1/blob`, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream' },
        body: Buffer.alloc(100_000, at),
      }).catch(() => undefined);
    const puts = Promise.all(Array.from({ length: 50 }, (_, at) => put(at)));
    await put(99);
    await service.kill();
    await puts;
    const run = await runCairn(['fsck', '--data-dir', data], { env: { CAIRN_WORKERS: '1' } });
    expect(run.code, run.stdout).toBe(0);
  });

  test('has its exports finished by the next process', async () => {
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

/** Kills a migration as soon as it has stored more than the one before. @returns whether that was before its end. */
async function isKilledMidway(
  args: readonly string[],
  options: Parameters<typeof spawnCairn>[1],
  state: string,
): Promise<boolean> {
  using running = spawnCairn(args, options);
  const before = doneIn(state);
  await expect.poll(() => doneIn(state) > before || running.child.exitCode !== null).toBe(true);
  running.child.kill('SIGKILL');
  return (await running.done).code === null;
}

/** How many statements a migration has stored, by what it remembers. */
function doneIn(state: string): number {
  const folder = join(state, 'cairn', 'migrate');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const [file] = names;
  return file ? Number(JSON.parse(readFileSync(join(folder, file), 'utf8')).state.done) : 0;
}
