import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { formatVkey } from '../../src/domain/log/notes/vkey.ts';
import { listen } from '../../src/platform/http/server.ts';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import { newSigner, TestLog } from '../builders/test-log.ts';
import { testWitness } from '../builders/test-witness.ts';
import { cairn } from '../cli/run-cairn.ts';
import { send, useServer, useService } from '../http/service.ts';
import { temporaryFolder } from '../temporary-folder.ts';

let folder: string;
beforeEach(() => {
  const made = temporaryFolder();
  onTestFinished(() => made[Symbol.dispose]());
  folder = made.path;
});

/** A server of a log that can be replaced. */
async function serve(log: TestLog) {
  const served = { log, answer: undefined as undefined | ((path: string) => string | undefined) };
  const fetch = async ({ url }: Request) => {
    const path = new URL(url).pathname.replace('/log/v1', '');
    const body = served.answer?.(path) ?? (await served.log.answer(path));
    return new Response(body as string | undefined, { status: body === undefined ? 404 : 200 });
  };
  const server = await listen({ fetch, host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.stop(0));
  return {
    served,
    look: async (...args: string[]) =>
      await cairn(['log', 'monitor', server.url, '--once', '--state', join(folder, 'state'), ...args]),
  };
}

describe('cairn log monitor', () => {
  test('reads a log from its first entry, and then what is new', async () => {
    const { served, look } = await serve(new TestLog(1_000));
    const first = await look();
    expect(first).toMatchObject({
      code: 0,
      stdout: 'log.example/log/v1: 0 → 1,000 entries, 0 logs have grown\n',
    });
    expect(first.stderr).toContain('Trusting the key that the log names itself: log.example/log/v1+');
    served.log.grow(30);
    expect(await look()).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('1,000 → 1,030 entries'),
    });
    expect((await look()).stdout).toContain('1,030 entries, nothing new');
  });

  test('prints both checkpoints and ends with 1 if the log contradicts itself', async () => {
    const signer = newSigner('log.example/log/v1');
    const before = new TestLog(300, { signer });
    for (const [size, reason] of [
      [310, 'does not contain the tree of size 300'],
      [300, 'two trees of size 300'],
      [290, 'does not contain the tree of size 290'],
    ] as const) {
      const { served, look } = await serve(before);
      // Each server has an address of its own.
      const fresh = async () => await look('--state', join(folder, `${size}`));
      expect((await fresh()).code).toBe(0);
      served.log = new TestLog(size, { signer, seed: 'fork' });
      for (let repeat = 0; repeat < 2; repeat += 1) {
        const { code, stdout, stderr } = await fresh();
        expect([code, stdout]).toEqual([1, `${await before.checkpoint()}\n${await served.log.checkpoint()}`]);
        expect(stderr).toContain('contradicts itself');
        expect(stderr).toContain(reason);
      }
    }
  });

  test('takes an older checkpoint that fits for no contradiction, and forgets nothing', async () => {
    const { served, look } = await serve(new TestLog(300));
    await look();
    const { log } = served;
    const older = await log.checkpoint(200);
    served.answer = (path) => (path === '/checkpoint' ? older : undefined);
    expect((await look()).stdout).toContain('an older checkpoint of 200 entries, consistent with 300');
    served.answer = undefined;
    served.log = new TestLog(250, { signer: log.signer, seed: 'fork' });
    expect((await look()).code).toBe(1);
  });

  test('notices a log that serves other entries than it has hashed', async () => {
    const { served, look } = await serve(new TestLog(10));
    served.answer = (path) => (path.includes('/entries/') ? '\0\u0001x'.repeat(10) : undefined);
    const { code, stderr } = await look();
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('serves other entries than its tree of size 10 has'),
    ]);
  });

  test('refuses checkpoints of other keys and without the quorum, and names the witnesses', async () => {
    const log = new TestLog(5);
    const { served, look } = await serve(log);
    const witness = testWitness('w1', log.signer.vkey, () => new Date('2026-11-23T12:00:00Z'));
    const policy = join(folder, 'policy');
    writeFileSync(policy, `log ${formatVkey(log.signer.vkey)}\n${witness.line}\nquorum w1\n`);
    expect(await look('--log-policy', policy)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('quorum'),
    });
    const request = new Request('http://w1/add-checkpoint', {
      method: 'POST',
      body: await log.addCheckpoint(0),
    });
    const cosignature = await (await witness.answer(request)).text();
    const note = `${(await log.checkpoint()) + cosignature.split('\n')[0]}\n`;
    served.answer = (path) => (path === '/checkpoint' ? note : undefined);
    expect((await look('--log-policy', policy)).stdout).toContain('witnessed by w1 at 2026-11-23T12:00:00Z');
    served.answer = undefined;
    served.log = new TestLog(6, { signer: newSigner(log.origin) });
    expect((await look()).code).toBe(1);
  });

  test('does not begin anew with a state file that is damaged or of another log', async () => {
    const { look } = await serve(new TestLog(5));
    writeFileSync(join(folder, 'state'), 'nonsense');
    expect(await look()).toMatchObject({ code: 2, stderr: expect.stringContaining('is damaged') });
    const good = join(folder, 'good');
    expect((await look('--state', good)).code).toBe(0);
    for (const change of [{ hashes: [] }, { size: 1_000_000_000 }]) {
      writeFileSync(
        join(folder, 'state'),
        JSON.stringify({ ...JSON.parse(readFileSync(good, 'utf8')), ...change }),
      );
      expect(await look()).toMatchObject({ code: 2, stderr: expect.stringContaining('is damaged') });
    }
    const other = await serve(new TestLog(5));
    expect((await other.look('--state', join(folder, 'other'))).code).toBe(0);
    expect(await look('--state', join(folder, 'other'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('belongs to'),
    });
  });

  test('ends with 3 if nobody answers', async () => {
    expect(
      (await cairn(['log', 'monitor', 'http://127.0.0.1:1', '--once', '--state', join(folder, 'x')])).code,
    ).toBe(3);
  });
});

describe('cairn log monitor of a service', () => {
  const service = useService({ CAIRN_PUBLIC_LOG: 'true' });
  const server = useServer(service);

  test('checks every head of a graph against its entries', async () => {
    const graph_id = randomUUID();
    await send(service, 'PUT', '/graph/v1', { graph_id, name: 'a graph' });
    const put = async (name: string) => {
      const statements = [ownStatement('DataRegistration', { data: [blobUrn(name)] })];
      await send(service, 'PUT', '/statements/v1/batch', { statements, generate_id: true, graph_id });
    };
    const head = async () => (await service.app.request(`/log/v1/graphs/${graph_id}/checkpoint`)).text();
    const reaches = async (size: number) =>
      await expect.poll(head, { timeout: 5_000 }).toContain(`\n${size}\n`);
    const state = join(folder, 'state');
    const look = async (...args: string[]) =>
      await cairn(['log', 'monitor', '--once', '--state', state, '--graph', graph_id, ...args], {
        env: { CAIRN_URL: server.url },
      });
    await put('one');
    await reaches(1);
    await put('two');
    await reaches(2);
    expect((await look()).stdout).toContain(`graphs/${graph_id}: 2 entries, 2 new heads checked`);
    await put('three');
    await reaches(3);
    expect(JSON.parse((await look('--json')).stdout)).toMatchObject({
      heads: [{ name: `graphs/${graph_id}`, size: 3, checked: 1 }],
    });
    // The entries of the graph that the monitor has read are no longer those of its heads.
    const known = JSON.parse(readFileSync(state, 'utf8'));
    known.logs[`graphs/${graph_id}`].hashes[0] = Buffer.alloc(32).toString('base64');
    writeFileSync(state, JSON.stringify(known));
    await put('four');
    await reaches(4);
    expect(await look()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('had another content at size 4'),
    });
  });

  test('says that a graph has no log, or that it may not be seen', async () => {
    const args = ['log', 'monitor', '--once', '--state', join(folder, 'state'), '--graph', randomUUID()];
    // A typing error is no contradiction.
    expect(await cairn(args, { env: { CAIRN_URL: server.url } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no graph'),
    });
  });
});
