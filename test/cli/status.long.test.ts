import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useProject } from './record-project.ts';
import { type Service, startService } from './run-cairn.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

type Project = ReturnType<typeof useProject>;

async function useGraph(more: Record<string, string> = {}) {
  const project = useProject(service, more);
  expect((await project.run(['init', 'Status test'])).code).toBe(0);
  return project;
}

async function step({ run }: Project, name: string, inputs: string[], outputs: string[], script: string) {
  const options = ['--name', name, ...inputs.flatMap((one) => ['--input', one]), '--output', ...outputs];
  const done = await run(['record', ...options, '--json', '--', 'sh', '-c', script]);
  expect(done.code, done.stderr).toBe(0);
  return JSON.parse(done.stdout).computation as string;
}

/** The codes and paths of the reasons, by output. */
async function reasonsOf({ run }: Project, args: readonly string[] = []) {
  const { code, stdout, stderr } = await run(['status', '--json', ...args]);
  expect(stdout, stderr).not.toBe('');
  const outputs: { path: string; reasons: { code: string; path?: string }[] }[] = JSON.parse(stdout).outputs;
  const said = outputs.map(({ path, reasons }) => [
    path,
    reasons.map((reason) => `${reason.code} ${reason.path ?? ''}`),
  ]);
  return { code, ...Object.fromEntries(said) };
}

/** raw.csv becomes clean.csv, and that two parts in a folder. */
async function pipeline(project: Project) {
  writeFileSync(project.file('clean.sh'), 'tr a-z A-Z < raw.csv > clean.csv\n');
  const [clean, parts] = [['clean.csv'], ['parts', 'count.txt']];
  const cleaning = ['record', '--name', 'clean', '--input', 'raw.csv', '--output', 'clean.csv'];
  const runClean = async () => await project.run([...cleaning, '--', 'sh', 'clean.sh']);
  expect((await runClean()).code).toBe(0);
  const script =
    'mkdir -p parts; split -l 1 clean.csv parts/; wc -l clean.csv > count.txt; date +%N >> count.txt';
  const split = async () => await step(project, 'split', clean, parts, script);
  await split();
  return { runClean, split };
}

const current = { code: 0, 'clean.csv': [], 'count.txt': [], 'parts/': [] };

describe('cairn status', () => {
  test('says that everything is current, and after each change what is out of date and why', async () => {
    using project = await useGraph();
    const { runClean, split } = await pipeline(project);
    expect(await reasonsOf(project)).toEqual(current);

    writeFileSync(project.file('raw.csv'), 'a,b\n3,4\n');
    const stale = ['input_out_of_date clean.csv'];
    const late = { code: 1, 'clean.csv': ['input_changed raw.csv'], 'count.txt': stale, 'parts/': stale };
    expect(await reasonsOf(project)).toEqual(late);
    const { stdout, stderr } = await project.run(['status', 'clean.csv']);
    expect(stdout).toMatch(
      /^clean \(bagb6qaq6…\w+\)\n {2}clean\.csv\n {4}the input raw\.csv has changed\n {2}cairn record --name clean --input raw\.csv --output clean\.csv -- sh clean\.sh\n$/,
    );
    expect(stderr).toBe('1 of 1 output is out of date.\n');

    await runClean();
    const remade = ['input_remade clean.csv'];
    expect(await reasonsOf(project)).toEqual({
      ...late,
      'clean.csv': [],
      'count.txt': remade,
      'parts/': remade,
    });
    await split();
    expect(await reasonsOf(project)).toEqual(current);

    writeFileSync(project.file('parts/aa'), 'other');
    writeFileSync(project.file('clean.sh'), 'cat raw.csv > clean.csv\n');
    expect(await reasonsOf(project)).toEqual({
      code: 1,
      'clean.csv': ['program_changed clean.sh'],
      'count.txt': stale,
      'parts/': ['output_changed parts/', ...stale],
    });
  });

  test('tells missing, moved and unreadable files apart', async () => {
    using project = await useGraph();
    await pipeline(project);
    mkdirSync(project.file('other'));
    renameSync(project.file('count.txt'), project.file('other/moved.txt'));
    rmSync(project.file('parts'), { recursive: true });
    rmSync(project.file('clean.csv'));
    symlinkSync('clean.csv', project.file('clean.csv'));
    expect(await reasonsOf(project)).toEqual({
      code: 1,
      'clean.csv': ['output_unreadable clean.csv'],
      'count.txt': ['output_missing count.txt', 'input_unreadable clean.csv'],
      'parts/': ['output_missing parts/', 'input_unreadable clean.csv'],
    });
    const { stdout } = await project.run(['status']);
    expect(stdout).toContain('it is missing; the same content is at other/moved.txt\n');
    expect(stdout).toMatch(/it cannot be read: .*clean\.csv is a link that leads in a circle\.\n/);
  });

  test('prints a command that remakes the output from the folder where it ran', async () => {
    using project = await useGraph({ SEED: '7' });
    mkdirSync(project.file('sub'));
    writeFileSync(project.file('sub/params.yaml'), 'lr: 1\n');
    const options = [
      '--params',
      'params.yaml',
      '--metrics',
      'm.json',
      '--env',
      'SEED',
      '--metadata',
      'a=x y',
    ];
    const script = `echo '{"loss": 1}' > m.json; cat ../raw.csv params.yaml > out.csv`;
    const words = ['--name', "Ada's", '--input', '../raw.csv', ...options, '--output', 'out.csv', '--', 'sh'];
    const cwd = project.file('sub');
    const recorded = await project.run(['record', ...words, '-c', script], { cwd });
    expect(recorded.code, recorded.stderr).toBe(0);
    writeFileSync(project.file('raw.csv'), 'new content\n');
    const { runs } = JSON.parse((await project.run(['status', '--json'])).stdout);
    expect(runs[0].remake).toEqual({ folder: 'sub', command: ['cairn', 'record', ...words, '-c', script] });
    expect((await project.run(['status'])).stdout).toContain(
      "(cd sub && cairn record --name 'Ada'\\''s' --input ../raw.csv ",
    );
    const again = await project.run(runs[0].remake.command.slice(1), { cwd });
    expect(again.code, again.stderr).toBe(0);
    expect(await reasonsOf(project)).toEqual({ code: 0, 'sub/out.csv': [] });
  });

  test('forgets a missing output that its step no longer writes, and a retracted run', async () => {
    using project = await useGraph();
    const script = 'rm -f p*; for i in $(cat raw.csv); do echo part $i > p$i; done';
    const parts = async (numbers: string) => {
      writeFileSync(project.file('raw.csv'), numbers);
      return await step(project, 'parts', ['raw.csv'], ['p*'], script);
    };
    await parts('1 2 3');
    await parts('1 2');
    expect(await reasonsOf(project)).toEqual({ code: 0, p1: [], p2: [] });
    const other = await step(project, 'other', [], ['other.txt'], 'date +%N > other.txt');
    rmSync(project.file('other.txt'));
    expect(await reasonsOf(project)).toMatchObject({ code: 1, 'other.txt': ['output_missing other.txt'] });
    const retracted = await project.run(['retract', other, '--reason', 'no longer made']);
    expect(retracted.code, retracted.stderr).toBe(0);
    expect(await reasonsOf(project)).toEqual({ code: 0, p1: [], p2: [] });
  });

  test('an output that a failed run wrote is out of date', async () => {
    using project = await useGraph();
    const run = await project.record(['--record-failure', '--output', 'x'], 'echo half > x; exit 3');
    expect(run.code).toBe(3);
    expect(await reasonsOf(project)).toEqual({ code: 1, x: ['run_failed '] });
  });

  test('tells an output from an input with the same content', async () => {
    using project = await useGraph();
    await step(project, 'clean', ['raw.csv'], ['clean.csv'], 'cp raw.csv clean.csv');
    expect(await reasonsOf(project)).toEqual({ code: 0, 'clean.csv': [] });
    writeFileSync(project.file('raw.csv'), 'a,b\n3,4\n');
    expect(await reasonsOf(project)).toEqual({ code: 1, 'clean.csv': ['input_changed raw.csv'] });
    expect((await project.run(['status', 'clean.csv'])).stdout).toContain(
      '  cairn record --name clean --input raw.csv --output clean.csv -- sh -c',
    );
  });

  test('prints a command that may leave an output as it is, if the run was allowed to', async () => {
    using project = await useGraph();
    writeFileSync(project.file('kept'), 'kept');
    expect((await project.record(['--output', 'kept', '--allow-unwritten-outputs'], 'true')).code).toBe(0);
    writeFileSync(project.file('raw.csv'), 'new content\n');
    const { runs } = JSON.parse((await project.run(['status', '--json'])).stdout);
    const again = await project.run(runs[0].remake.command.slice(1));
    expect(again.code, again.stderr).toBe(0);
    expect(await reasonsOf(project)).toEqual({ code: 0, kept: [] });
  });

  test('says which files it does not compare, because they are outside the folder', async () => {
    using project = await useGraph();
    using elsewhere = useProject(service);
    await step(project, 'far', [elsewhere.file('raw.csv')], ['x'], 'date +%N > x');
    const { code, stdout, stderr } = await project.run(['status', '--all']);
    expect([code, stdout]).toEqual([0, '1 output current.\n  x\n']);
    expect(stderr).toBe('Not compared, because they are outside the folder of the recording: raw.csv.\n');
  });

  test.each([
    ['nothing is recorded', 1, 'No output is recorded in the graph', [], {}],
    ['the graph is unknown', 1, 'There is no graph', ['--graph', '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4'], {}],
    ['the service is away', 3, 'cannot be reached', [], { CAIRN_URL: 'http://127.0.0.1:9' }],
  ])('ends without a result if %s', async (_, code, reason, args, more) => {
    using project = await useGraph();
    const run = await project.run(['status', ...args], { env: { ...project.env, ...more } });
    expect([run.code, run.stdout, run.stderr]).toEqual([code, '', expect.stringContaining(reason)]);
  });

  test('needs a graph, and an output at each path', async () => {
    using project = useProject(service);
    const none = await project.run(['status']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('This folder has no graph')]);
    await project.run(['init', 'Other']);
    await step(project, 'x', [], ['x'], 'date +%N > x');
    const run = await project.run(['status', 'y']);
    expect([run.code, run.stderr]).toEqual([1, 'No recorded output is at y.\n']);
  });
});
