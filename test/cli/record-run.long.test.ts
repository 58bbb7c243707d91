import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getJson, urnOf, useProject } from './record-project.ts';
import { type Service, startService } from './run-cairn.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

/** The document about a run. */
async function documentOf(computation: string) {
  const address = `/statements/v1?type=MetadataRegistration&subject=${computation}`;
  const { statements } = await getJson(service, address);
  return await getJson(service, `/store/v1/text/${statements[0].statement.metadata.replace('urn:cid:', '')}`);
}

describe('cairn record keeps what was done', () => {
  test('parameters of YAML, JSON and TOML, metrics, named variables, command, exit code and duration', async () => {
    using project = useProject(service, { SEED: '7' });
    const params = 'lr: 0.1\nlayers: [1, 2]\nlong: 12345678901234567890\n';
    writeFileSync(project.file('params.yaml'), params);
    writeFileSync(project.file('more.json'), '{"deep": {"on": true, "none": null}}');
    writeFileSync(project.file('own.toml'), 'day = 2026-01-31\n[a]\nb = "c"\n');
    const script = `echo model > model.bin; echo '{"loss": 0.25, "val": {"ok": true}}' > metrics.json`;
    const options = ['--params', 'params.yaml', 'more.json', 'own.toml', '--metrics', 'metrics.json'];
    const run = await project.record(
      [...options, '--env', 'SEED', 'GONE', '--output', 'model.bin', '--json'],
      script,
    );
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toContain('The environment variable GONE is not set. The record says so.');
    const recorded = JSON.parse(run.stdout);
    expect(recorded).toMatchObject({ exit_code: 0, metrics: { loss: 0.25, val: { ok: true } } });
    expect(recorded.inputs.map(({ path }: { path: string }) => path)).toEqual([
      'raw.csv',
      'params.yaml',
      'more.json',
      'own.toml',
    ]);
    const document = await documentOf(recorded.computation);
    expect(document).toEqual({
      type: 'CairnRun',
      version: 1,
      name: 'test',
      command: ['sh', '-c', script],
      exit_code: 0,
      started: recorded.started,
      duration: recorded.duration,
      parameters: [
        {
          path: 'params.yaml',
          cid: urnOf(params),
          values: { lr: 0.1, layers: [1, 2], long: '12345678901234567890' },
        },
        { path: 'more.json', cid: expect.any(String), values: { deep: { on: true, none: null } } },
        { path: 'own.toml', cid: expect.any(String), values: { day: '2026-01-31', a: { b: 'c' } } },
      ],
      metrics_file: 'metrics.json',
      metrics: { loss: 0.25, val: { ok: true } },
      environment: { SEED: '7', GONE: null },
    });
  });

  test('whole numbers of parameters as they are, and merged YAML as programs read it', async () => {
    using project = useProject(service);
    writeFileSync(
      project.file('seeds.json'),
      '{"a": [12345678901234567890, -9007199254740993, 1e20, 42], "b": 2.5}',
    );
    const merged = 'base: &base {lr: 0.1, steps: 9}\ntrain: {<<: *base, steps: 5}\n[a, b]: list\n';
    writeFileSync(project.file('merged.yaml'), merged);
    const options = ['--params', 'seeds.json', 'merged.yaml', '--output', 'x', '--json'];
    const run = await project.record(options, 'echo x > x');
    expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining('Warning')]);
    const { parameters } = await documentOf(JSON.parse(run.stdout).computation);
    expect(parameters.map(({ values }: { values: unknown }) => values)).toEqual([
      { a: ['12345678901234567890', '-9007199254740993', 1e20, 42], b: 2.5 },
      { base: { lr: 0.1, steps: 9 }, train: { lr: 0.1, steps: 5 }, '[ a, b ]': 'list' },
    ]);
  });

  test('the commit, the branch and whether the tree was clean, without the address of a remote', async () => {
    using project = useProject(service);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        cwd: project.file('.'),
      });
    git('init', '--quiet', '--initial-branch', 'work');
    git('remote', 'add', 'origin', 'https://user:password@example.org/secret.git');
    writeFileSync(project.file('.gitignore'), '*.bin\n');
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
    const commit = git('rev-parse', 'HEAD').toString().trim();
    const stateOf = async () => {
      const run = await project.record(['--output', 'x.bin', '--json'], 'date +%N > x.bin');
      expect(run.code, run.stderr).toBe(0);
      const document = await documentOf(JSON.parse(run.stdout).computation);
      expect(JSON.stringify(document)).not.toContain('password');
      return document.git;
    };
    expect(await stateOf()).toEqual({ commit, branch: 'work', clean: true, untracked: 0 });
    writeFileSync(project.file('new.py'), '');
    writeFileSync(project.file('.gitignore'), '*.bin\n\n');
    git('checkout', '--quiet', '--detach');
    expect(await stateOf()).toEqual({ commit, clean: false, untracked: 1 });
  });

  test('so that reports of the service and of a manifest tell it', async () => {
    using project = useProject(service);
    await project.run(['init', 'reported']);
    writeFileSync(project.file('params.json'), '{"lr": 0.125, "<b>": "<i>"}');
    const script = `echo '{"loss": 0.0625}' > m.json; date +%N > x; exit 3`;
    const options = ['--params', 'params.json', '--metrics', 'm.json', '--record-failure', '--output', 'x'];
    const run = await project.record([...options, '--env', 'NOBODY', '--json'], script);
    const { cid } = JSON.parse(run.stdout).outputs[0];
    const [car, html] = [project.file('all.car'), project.file('report.html')];
    expect((await project.run(['export', '-o', car])).code).toBe(0);
    expect((await project.run(['report', car, '-o', html])).code).toBe(0);
    const ofService = await (await fetch(`${service.url}/report/v1/${cid}`)).text();
    for (const page of [ofService, readFileSync(html, 'utf8')])
      for (const text of ['What was done', 'failed (exit code 3)', '0.0625', '0.125', 'not set', '&lt;i&gt;'])
        expect(page).toContain(text);
  });

  test('and prints the metrics', async () => {
    using project = useProject(service);
    const script = `echo x > x; echo '{"loss": 0.5, "val": {"ok": true}}' > m.json`;
    const run = await project.record(['--metrics', 'm.json', '--output', 'x'], script);
    expect(run.stderr).toContain('metrics: loss 0.5, val.ok true\n');
  });

  test('a run without git', async () => {
    using project = useProject(service, { PATH: '/nowhere' });
    const args = ['--name', 'x', '--input', 'raw.csv', '--output', 'y', '--json'];
    const run = await project.run(['record', ...args, '--', '/bin/cp', 'raw.csv', 'y']);
    expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining('git')]);
    expect(await documentOf(JSON.parse(run.stdout).computation)).not.toHaveProperty('git');
  });

  test('the rest of a run whose metrics cannot be read, and says where they cannot', async () => {
    using project = useProject(service);
    writeFileSync(project.file('old.json'), '{"loss": 1}');
    for (const [script, file, problem] of [
      [
        `printf '{"loss":\\n  NaN}' > m.json`,
        'm.json',
        'm.json is not JSON: line 2, column 3 cannot be read',
      ],
      [`echo '{"a": {"b/c": [1]}}' > m.json`, 'm.json', 'm.json: /a/b~1c is a list. Metrics are numbers'],
      [`echo '{"a": null}' > m.json`, 'm.json', 'm.json: /a is null.'],
      [`echo '{"a": 1e999}' > m.json`, 'm.json', 'm.json: /a is Infinity, which JSON cannot hold.'],
      [`echo '[1]' > m.json`, 'm.json', 'm.json must contain names with values at its top.'],
      [`printf '\\377' > m.json`, 'm.json', 'm.json is not UTF-8 text.'],
      [': > m.json', 'm.json', 'm.json is empty.'],
      ['rm -rf m.json; mkdir m.json', 'm.json', 'm.json is not a regular file.'],
      [':', 'gone.json', 'gone.json does not exist.'],
      [':', 'old.json', 'The command did not write old.json.'],
      [`head -c 70000 /dev/zero > big.json`, 'big.json', 'big.json has more than 32 KiB of values'],
    ] as const) {
      const options = ['--metrics', file, '--output', 'x', '--json'];
      const run = await project.record(options, `date +%N > x; ${script}`);
      expect([run.code, run.stderr], script).toEqual([1, expect.stringContaining(problem)]);
      expect(run.stderr).toContain('The run is recorded without metrics.');
      const document = await documentOf(JSON.parse(run.stdout).computation);
      expect(document).toMatchObject({ name: 'test', exit_code: 0 });
      expect(document).not.toHaveProperty('metrics');
    }
  });

  test.each([
    ['bad.yaml', 'a: [1\nb: 2', 'bad.yaml cannot be read as YAML: see line '],
    [
      'twice.yaml',
      'a: 1\na: 2',
      'twice.yaml cannot be read as YAML: see line 2, column 1. A name is there twice.',
    ],
    [
      'several.yaml',
      'a: 1\n---\nb: 2',
      'several.yaml cannot be read as YAML: see line 2, column 1. A file has one document. Remove ---',
    ],
    ['tab.yaml', 'a:\n\tb: 1', 'see line 2, column 1. The line is indented with a tab. Use spaces.'],
    ['nan.yaml', 'a: {b: .nan}', 'nan.yaml: /a/b is NaN, which JSON cannot hold.'],
    ['list.yml', '- 1\n- 2', 'list.yml must contain names with values at its top.'],
    ['text.yml', 'just text', 'text.yml must contain names with values at its top.'],
    [
      'bomb.yaml',
      `a: &a [x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]},`.repeat(8)}]`).join('\n')}`,
      'bomb.yaml repeats its anchors too often.',
    ],
    ['bad.toml', 'a = ', 'bad.toml is not TOML: line 1'],
    ['bad.json', '{"a": 1,}', 'bad.json is not JSON: line 1, column 9 cannot be read.'],
    ['params.ini', 'a=1', 'Parameters are read from .yaml, .yml, .json and .toml files.'],
    ['big.json', JSON.stringify({ a: 'x'.repeat(40_000) }), 'big.json has more than 32 KiB'],
  ])('refuses the parameters in %s before the command runs', async (file, content, problem) => {
    using project = useProject(service);
    writeFileSync(project.file(file), content);
    const run = await project.record(['--params', file, '--output', 'x'], 'echo 1 > x');
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(problem)]);
    expect(existsSync(project.file('x'))).toBe(false);
  });
});

describe('cairn record --record-failure', () => {
  test('records a command that fails with what it wrote, and ends with its exit code', async () => {
    using project = useProject(service);
    writeFileSync(project.file('old.bin'), 'old');
    const options = ['--record-failure', '--output', 'part.bin', 'old.bin', 'never.bin', '--json'];
    const run = await project.record(options, 'echo 1 > part.bin; exit 7');
    expect([run.code, run.stderr]).toEqual([7, expect.stringContaining('failed with exit code 7')]);
    const recorded = JSON.parse(run.stdout);
    expect(recorded).toMatchObject({ exit_code: 7, outputs: [{ path: 'part.bin' }] });
    expect(await documentOf(recorded.computation)).toMatchObject({ exit_code: 7 });
  });

  test('makes a document about the failure the output of a command that wrote nothing', async () => {
    using project = useProject(service);
    const run = await project.record(
      ['--record-failure', '--output', 'x', '--metrics', 'm.json', '--json'],
      'kill -9 $$',
    );
    expect(run.code).toBe(137);
    const recorded = JSON.parse(run.stdout);
    expect(recorded).toMatchObject({ exit_code: null, outputs: [] });
    expect(await documentOf(recorded.computation)).toMatchObject({ signal: 'SIGKILL' });
    const { output } = await getJson(service, `/statements/v1/id/${recorded.computation}`);
    expect(await getJson(service, `/store/v1/text/${output.replace('urn:cid:', '')}`)).toEqual({
      name: 'test: failed',
      signal: 'SIGKILL',
      started: recorded.started,
    });
  });
});
