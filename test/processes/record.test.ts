import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openGate, type Verdict } from '../cli/gate.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runCairn, type SpawnedService, spawnCairn, spawnNode, spawnService } from './spawn-cairn.ts';

let service: SpawnedService;
beforeAll(async () => {
  service = await spawnService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

function useFolder() {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, 'in'), 'in');
  const env = { ...service.env, XDG_CONFIG_HOME: join(folder.path, 'config') };
  return { cwd: folder.path, env, [Symbol.dispose]: folder[Symbol.dispose] };
}

const options = ['record', '--name', 'test', '--input', 'in', '--output', 'out'];

describe('the process of cairn record', () => {
  test('shares its streams with the command', async () => {
    using folder = useFolder();
    const script = 'cat > out; echo said; echo told >&2';
    const run = await runCairn([...options, '--', 'sh', '-c', script], { ...folder, input: 'typed' });
    expect([run.code, run.stdout]).toEqual([0, 'said\n']);
    expect(run.stderr).toMatch(/told\n[\s\S]*Recorded "test"/);
    expect(readFileSync(join(folder.cwd, 'out'), 'utf8')).toBe('typed');
  });

  test('gives the command the environment as it was', async () => {
    using folder = useFolder();
    const env = { ...folder.env, NODE_COMPILE_CACHE: '', XDG_CACHE_HOME: folder.cwd };
    const script = 'echo x > out; echo "cache: $NODE_COMPILE_CACHE"';
    const run = await runCairn([...options, '--', 'sh', '-c', script], { ...folder, env });
    expect([run.code, run.stdout]).toEqual([0, 'cache: \n']);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('passes %s on, and records nothing', async (signal) => {
    using folder = useFolder();
    // A shell cannot handle a signal that was ignored when it started.
    const script = `process.on('${signal}', () => { fs.writeFileSync('out', 'stopped'); process.exit(5); });
      setInterval(() => {}, 1_000);
      console.log('ready');`;
    using running = spawnCairn([...options, '--', process.execPath, '--eval', script], folder);
    await once(running.child.stdout, 'data');
    running.child.kill(signal);
    expect(await running.done).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Nothing was recorded'),
    });
    expect(readFileSync(join(folder.cwd, 'out'), 'utf8')).toBe('stopped');
  });

  test('finishes the record when a signal arrives after the command', async () => {
    using folder = useFolder();
    const [asked, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using gate = await openGate(service.url, async ({ path }): Promise<Verdict> => {
      if (path !== '/statements/v1/batch') return 'pass';
      asked.resolve();
      await told.promise;
      return 'pass';
    });
    const env = { ...folder.env, CAIRN_URL: gate.url };
    using running = spawnCairn([...options, '--', 'sh', '-c', 'echo x > out'], { ...folder, env });
    await asked.promise;
    running.child.kill('SIGTERM');
    running.child.stderr.on('data', (text) => String(text).includes('being recorded') && told.resolve());
    expect(await running.done).toMatchObject({ code: 0, stderr: expect.stringContaining('Recorded "test"') });
  });

  test('a spool that was killed while it was written is not sent, and the next run is', async () => {
    using folder = useFolder();
    // Copying this takes long enough to be killed in the middle.
    writeFileSync(join(folder.cwd, 'in'), Buffer.alloc(64 << 20, 'x'));
    const spool = join(folder.cwd, 'spool');
    const spooling = [...options, '--spool', 'spool', '--', 'sh', '-c', 'echo x > out'];
    using running = spawnCairn(spooling, folder);
    await expect.poll(() => existsSync(spool) && readdirSync(spool).length).toBe(1);
    running.child.kill('SIGKILL');
    await running.done;
    expect(await runCairn(['ingest', spool], folder)).toMatchObject({ code: 0, stdout: '' });
    expect((await runCairn(spooling, folder)).code).toBe(0);
    expect((await runCairn(['ingest', spool], folder)).stdout).toBe('test: 5 statements stored\n');
  });

  test('record() of a Node program runs a function or a command', async () => {
    using folder = useFolder();
    const program = `
      import { writeFileSync } from 'node:fs';
      import { Failure, record } from 'cairn';
      const cwd = ${JSON.stringify(folder.cwd)};
      const what = { name: 'function', inputs: ['in'], outputs: ['out'], metadata: { seed: 7 }, cwd };
      const made = await record({ ...what, run: async () => writeFileSync(cwd + '/out', 'x') });
      const again = await record({ ...what, command: ['sh', '-c', 'echo y > out'] });
      const refused = await record({ ...what, run: () => { throw new RangeError('no'); } }).catch((error) => error.name);
      const failed = await record({ ...what, command: ['false'] }).catch((error) => error instanceof Failure && error.exitCode);
      const metrics = {};
      const run = () => { metrics.loss = 0.5; writeFileSync(cwd + '/out', 'z'); };
      const measured = await record({ ...what, metrics, environment: ['GONE'], run });
      const broken = () => record({ ...what, metrics: { loss: null }, recordFailure: true, run: () => { throw new RangeError('no'); } });
      const kept = await broken().catch((error) => error.name);
      const skipped = await record({ ...what, environment: ['GONE'], run: () => { throw 'It ran.'; }, ifChanged: true });
      const isSame = skipped.skipped && skipped.computation === measured.computation && skipped.metrics.loss === 0.5;
      console.log(JSON.stringify([made.spooled, again.outputs[0].path, refused, failed, measured.metrics, kept, isSame]));`;
    using running = spawnNode(['--input-type=module', '--eval', program], {
      env: folder.env,
      cwd: join(import.meta.dirname, '..', '..'),
    });
    const run = await running.done;
    expect(run.stdout, run.stderr).toBe('[null,"out","RangeError",1,{"loss":0.5},"RangeError",true]\n');
  });
});
