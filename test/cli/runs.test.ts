import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shortId } from '../../src/contract/words/text.ts';
import { useProject } from './record-project.ts';
import { type Service, startService } from './run-cairn.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

async function trained(project: ReturnType<typeof useProject>, lr: number, loss: number): Promise<string> {
  writeFileSync(project.file('params.yaml'), `lr: ${lr}\nepochs: 10\n`);
  const args = ['--name', 'fit', '--input', 'raw.csv', '--params', 'params.yaml', '--metrics', 'm.json'];
  const script = `echo '{"loss": ${loss}}' > m.json; date +%N > model.bin`;
  const run = await project.run([
    'record',
    ...args,
    '--output',
    'model.bin',
    '--json',
    '--',
    'sh',
    '-c',
    script,
  ]);
  expect(run.code, run.stderr).toBe(0);
  return JSON.parse(run.stdout).computation;
}

describe('cairn runs', () => {
  test('says what to type while there are none', async () => {
    using project = useProject(service);
    const { code, stdout } = await project.run(['runs']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('cairn record --name NAME')]);
  });

  test('lists runs, newest first, and compares one with the run of the same name before', async () => {
    using project = useProject(service);
    const one = await trained(project, 0.1, 0.5);
    const two = await trained(project, 0.2, 0.25);
    await project.record(['--record-failure', '--output', 'x'], 'exit 3');
    const listed = await project.run(['runs']);
    const lines = listed.stdout.split('\n');
    expect(lines[0]).toMatch(/^RUN +STARTED +TOOK +RESULT +TRUST +BY +NAME$/);
    expect(lines[1]).toMatch(/failed \(exit code 3\) .* test$/);
    expect([lines[2], lines[3]].map((line) => line?.split(' ')[0])).toEqual([shortId(two), shortId(one)]);
    const { runs } = JSON.parse((await project.run(['runs', '--limit', '2', '--json'])).stdout);
    expect(runs.map(({ name }: { name: string }) => name)).toEqual(['test', 'fit']);

    const { stdout } = await project.run(['runs', 'compare', 'fit']);
    expect(stdout).toMatch(
      /^A {2}\S+ .* fit\nB .*\n\nParameters\n\* {2}lr {2}0\.1 {2}0\.2 {2}\+0\.1\n\nMetrics\n\* {2}loss {2}0\.5 {2}0\.25 {2}−0\.25\n/,
    );
    expect(stdout).not.toContain('epochs');
    expect(stdout).toMatch(/^\* {2}program +baga\S+ +baga\S+$/m);
    const all = await project.run(['runs', 'compare', shortId(one), two, '--all', '--json']);
    expect(JSON.parse(all.stdout)).toMatchObject({
      a: { id: one },
      b: { id: two },
      sections: [
        { title: 'Parameters', rows: [{ name: 'lr' }, { name: 'epochs', differs: false }] },
        {},
        {},
        {},
        {},
      ],
    });
    const same = await project.run(['runs', 'compare', one, one.slice(-12)]);
    expect(same.stdout).toMatch(/Nothing differs\.\n\d+ facts are equal \(--all\)\.\n$/);
  });

  test('compares no run that was withdrawn', async () => {
    using project = useProject(service);
    const ids: string[] = [];
    for (const output of ['a', 'b', 'c', 'd']) {
      const args = ['record', '--name', 'withdrawn', '--output', output, '--json', '--', 'touch', output];
      ids.push(JSON.parse((await project.run(args)).stdout).computation);
    }
    for (const id of [ids[1], ids[3]]) {
      const { code, stderr } = await project.run(['retract', String(id)]);
      expect(code, stderr).toBe(0);
    }
    const { stdout } = await project.run(['runs', 'compare', 'withdrawn', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ a: { id: ids[0] }, b: { id: ids[2] } });
  });

  test.each([
    [['compare', 'nobody'], 1, 'No run is called "nobody"'],
    [['compare', 'test'], 1, 'No run that is called "test" came before.'],
    [['compare', ' '], 2, 'The name of the run is empty.'],
    [['--limit', '0'], 2, 'It must be a whole number from 1 to 10000.'],
    [['--graph', 'nobody'], 1, 'No graph is called "nobody"'],
  ])('refuses %j', async (args, code, reason) => {
    using project = useProject(service);
    const run = await project.run(['runs', ...args]);
    expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(reason)]);
  });
});
