import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { openGate, type Verdict } from './gate.ts';
import { getJson, urnOf, useProject } from './record-project.ts';
import { type Service, startService, temporaryFolder } from './run-cairn.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

describe('cairn record', () => {
  test('runs a command and states what it made from what, with names, in the graph of the folder', async () => {
    using project = useProject(service);
    const { graph_id } = JSON.parse((await project.run(['init', 'recorded', '--json'])).stdout);
    writeFileSync(
      project.file('make.sh'),
      'echo made; mkdir -p out/sub; echo x > out/sub/x; echo 1 > one.txt',
    );
    const args = [
      '--name',
      'make',
      '--input',
      '*.csv',
      '--output',
      'out',
      'one.*',
      '--metadata',
      'seed=7',
      'who=me',
    ];
    const run = await project.run(['record', ...args, '--json', '--', 'sh', 'make.sh']);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toContain('made\n');
    const recorded = JSON.parse(run.stdout);
    expect(recorded).toMatchObject({
      name: 'make',
      graph: graph_id,
      spooled: null,
      program: { path: 'make.sh' },
    });
    expect(recorded.outputs.map(({ path }: { path: string }) => path)).toEqual(['out/', 'one.txt']);

    const [out] = recorded.outputs;
    expect(await getJson(service, `/statements/v1/id/${recorded.computation}`)).toMatchObject({
      input: urnOf('a,b\n1,2\n'),
      output: [`urn:cid:${out.cid}`, urnOf('1\n')],
      computation: `urn:cid:${recorded.program.cid}`,
    });
    expect((await getJson(service, `/graph/v1/${graph_id}`)).graph.statements).toBe(
      recorded.statements.length,
    );
    expect(await getJson(service, `/store/v1/iroh-collection/${out.cid}`)).toMatchObject({
      'sub/x': cidOf(codecs.raw, 'x\n').text,
    });
    const documentOf = async (subject: string) => {
      const { statements } = await getJson(
        service,
        `/statements/v1?type=MetadataRegistration&subject=${subject}`,
      );
      return await getJson(
        service,
        `/store/v1/text/${statements[0].statement.metadata.replace('urn:cid:', '')}`,
      );
    };
    expect(await documentOf(recorded.computation)).toMatchObject({
      name: 'make',
      command: ['sh', 'make.sh'],
      type: 'CairnRun',
      version: 1,
      exit_code: 0,
      metadata: { seed: 7, who: 'me' },
    });
    const ids = [recorded.computation, `urn:cid:${out.cid}`];
    const asked = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ids }),
    };
    const named = await (await fetch(`${service.url}/names/v1`, asked)).json();
    expect(named).toEqual({ names: { [ids[0] ?? '']: 'make', [ids[1] ?? '']: 'out/' } });
    expect(await documentOf(out.cid)).toEqual({ name: 'out/', path: 'out/', size: 2, files: 1 });

    const again = await project.run(['record', ...args, '--', 'sh', 'make.sh']);
    expect([again.code, again.stdout]).toEqual([0, 'made\n']);
    expect(again.stderr).toMatch(/Recorded "make" in the graph/);
    const lines = await project.run(['record', '--name', 'two\nlines', '--output', 'n', '--', 'touch', 'n']);
    expect(lines.stderr).toMatch(/^Recorded "two\\u000alines" in the graph/m);
  });

  test('records nothing if the command fails, an output is missing, or an input changes', async () => {
    using project = useProject(service);
    const before = (await getJson(service, '/statements/v1?limit=1')).statements[0]?.statement['@id'];
    const failed = await project.record(['--output', 'x'], 'exit 7');
    expect([failed.code, failed.stderr]).toEqual([7, expect.stringContaining('failed with exit code 7')]);
    const killed = await project.record(['--output', 'x'], 'kill -9 $$');
    expect([killed.code, killed.stderr]).toEqual([137, expect.stringContaining('SIGKILL ended the command')]);
    const missing = await project.record(['--output', 'not-made.bin'], 'true');
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining('not-made.bin does not exist'),
    ]);
    const changed = await project.record(['--output', 'x'], 'echo more >> raw.csv; echo x > x');
    const both = [urnOf('a,b\n1,2\n'), urnOf('a,b\n1,2\nmore\n')].map((urn) => urn.replace('urn:cid:', ''));
    expect(changed.code).toBe(1);
    for (const hash of both) expect(changed.stderr).toContain(hash);
    expect((await getJson(service, '/statements/v1?limit=1')).statements[0]?.statement['@id']).toBe(before);
    expect(
      (await project.run(['record', '--name', 'x', '--output', 'y', '--', 'no-such-command'])).code,
    ).toBe(127);
  });

  test('refuses an output that the command did not write, and records it only with a word about it', async () => {
    using project = useProject(service);
    writeFileSync(project.file('old.bin'), 'old');
    const refused = await project.record(['--output', 'old.bin'], 'true');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('did not write the output old.bin'),
    ]);
    const allowed = ['--output', 'old.bin', '--allow-unwritten-outputs', '--json'];
    const run = await project.record(allowed, 'true');
    expect([run.code, run.stderr]).toEqual([0, '']);
    const { computation } = JSON.parse(run.stdout);
    const query = `/statements/v1?type=MetadataRegistration&subject=${computation}`;
    const { statements } = await getJson(service, query);
    const document = statements[0].statement.metadata.replace('urn:cid:', '');
    expect((await getJson(service, `/store/v1/text/${document}`)).unwritten_outputs).toEqual(['old.bin']);
  });

  test('names the files of an input folder that the command changed', async () => {
    using project = useProject(service);
    mkdirSync(project.file('images'));
    for (const name of ['kept', 'old', 'other']) writeFileSync(project.file(`images/${name}`), name);
    const script =
      'echo x > x; rm images/old; echo more >> images/other; mkdir images/a; echo > images/a/new';
    const run = await project.run([
      'record',
      '--name',
      'c',
      '--input',
      'images',
      '--output',
      'x',
      '--',
      'sh',
      '-c',
      script,
    ]);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(
      /\n {2}added {3}a\/new\n {2}gone {4}old\n {2}changed other\nNothing was recorded/,
    );
  });

  test('records nothing of a folder that changes while it is recorded, and names the file', async () => {
    let folder = '';
    await using gate = await openGate(service.url, ({ path }) => {
      if (path === '/store/v1/missing') writeFileSync(join(folder, 'out', '7'), 'other');
      return 'pass';
    });
    using project = useProject(service, { CAIRN_URL: gate.url });
    folder = project.file('.');
    const script = 'mkdir out; for i in 1 2 3 4 5 6 7 8; do echo $i > out/$i; done';
    const run = await project.record(['--output', 'out'], script);
    const said = expect.stringMatching(
      /The file .*out\/7 changed after it was hashed\. Nothing was recorded/,
    );
    expect([run.code, run.stderr]).toEqual([1, said]);
    expect(gate.requests.map(({ path }) => path)).not.toContain('/statements/v1/batch');
  });

  test('--if-changed skips a step that is recorded as it is now, and runs it after any change', async () => {
    using project = useProject(service);
    const script = 'echo ran >> runs; cat raw.csv > out.csv';
    const step = async (more = script) => await project.record(['--output', 'out.csv', '--if-changed'], more);
    const runs = () => readFileSync(project.file('runs'), 'utf8').split('\n').length - 1;
    expect((await step()).stderr).toMatch(/^Recorded/m);
    const again = await step();
    expect([again.code, again.stderr, runs()]).toEqual([0, expect.stringContaining('Skipped "test"'), 1]);
    writeFileSync(project.file('raw.csv'), 'changed');
    await step();
    expect(runs()).toBe(2);
    writeFileSync(project.file('out.csv'), 'damaged');
    await step();
    expect(runs()).toBe(3);
    await step(`${script}; true`);
    expect(runs()).toBe(4);
  });

  test('warns before the run about an input that is an output, or contains one', async () => {
    using project = useProject(service);
    mkdirSync(project.file('data'));
    const script = 'echo 1 > data/new';
    const run = await project.record(['--input', 'data', '--output', 'data/new', 'raw.csv'], script);
    expect(run.code).toBe(1);
    for (const input of ['raw.csv', 'data/'])
      expect(run.stderr).toContain(`The input ${input} is an output, too, or contains one.`);
    const other = await project.record(['--output', 'other'], 'echo 1 > other');
    expect([other.code, other.stderr]).toEqual([0, expect.not.stringContaining('too, or contains')]);
  });

  test('says what is wrong with links and names that cannot be read', async () => {
    using project = useProject(service);
    symlinkSync('circle', project.file('circle'));
    const circle = await project.record(['--input', 'circle', '--output', 'x'], 'echo 1 > x');
    expect([circle.code, circle.stderr]).toEqual([
      2,
      expect.stringContaining('circle is a link that leads in a circle.'),
    ]);
    mkdirSync(project.file('data'));
    writeFileSync(Buffer.concat([Buffer.from(project.file('data/bad-')), Buffer.from([0xff])]), '');
    const name = await project.record(['--input', 'data', '--output', 'x'], 'echo 1 > x');
    expect([name.code, name.stderr]).toEqual([2, expect.stringContaining('has a name that is not UTF-8.')]);
  });

  test('says where the command goes if an option has taken it', async () => {
    using project = useProject(service);
    const run = await project.run(['record', '--name', 'test', '--output', 'x', 'touch', 'x']);
    expect([run.code, run.stderr]).toEqual([2, 'Write the command after --.\n']);
  });

  test.each([
    ['a service that is away', 3, 'cannot be reached', [], { CAIRN_URL: 'http://127.0.0.1:9' }],
    ['an unknown graph', 1, 'There is no graph', ['--graph', '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4'], {}],
    ['a name of 10 kB', 2, 'the limit is 200', ['--name', 'x'.repeat(10_000)], {}],
    ['a missing input', 2, 'gone.csv does not exist', ['--input', 'gone.csv'], {}],
    ['metadata with one key twice', 2, '"seed" is given twice', ['--metadata', 'seed=1', 'seed=2'], {}],
    [
      'an input with a path of 10 kB',
      2,
      `${'x'.repeat(199)}… does not exist`,
      ['--input', 'x'.repeat(10_000)],
      {},
    ],
  ])('refuses %s before the command runs', async (_what, code, reason, options, more) => {
    using project = useProject(service, more);
    const run = await project.record(['--output', 'ran', ...options], 'echo x > ran');
    expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(reason)]);
    expect(existsSync(project.file('ran'))).toBe(false);
  });

  test('keeps the run if the service goes away meanwhile, and ingest sends it, as often as wanted', async () => {
    let verdict: Verdict = { status: 503, body: JSON.stringify({ error: 'Broken.', code: 'unavailable' }) };
    await using gate = await openGate(service.url, ({ method }) => (method === 'PUT' ? verdict : 'pass'));
    using project = useProject(service, { CAIRN_URL: gate.url });
    const run = await project.record(['--output', 'made.bin'], 'echo made > made.bin');
    expect([run.code, run.stderr]).toEqual([3, expect.stringContaining('cairn ingest')]);
    const spool = project.file('.cairn-spool');
    mkdirSync(join(spool, '.unfinished'));
    expect((await project.run(['ingest', spool])).code).toBe(3);
    verdict = 'pass';
    expect((await project.run(['ingest', spool])).stdout).toBe('test: 5 statements stored\n');
    expect((await project.run(['ingest', spool, '--delete-sent'])).stdout).toBe('test: 5 statements known\n');
    expect(readdirSync(spool)).toEqual(['.unfinished']);
    const made = cidOf(codecs.raw, 'made\n').text;
    expect(await getJson(service, `/store/v1/exists/${made}`)).toMatchObject({ exists: true });
  });

  test('--dry-run prints the statements and runs nothing', async () => {
    using project = useProject(service);
    const run = await project.record(
      ['--output', 'ran', '--graph', 'a name', '--dry-run', '--json'],
      'echo x > ran',
    );
    expect(run.code, run.stderr).toBe(0);
    const types = JSON.parse(run.stdout).map((one: Record<string, string>) => one['@type']);
    expect(types).toContain('ComputationRegistration');
    expect(run.stdout).toContain('the CID of ran after the command');
    expect(existsSync(project.file('ran'))).toBe(false);
  });

  test('several at once, with a key that nobody has made yet, record everything', async () => {
    using config = temporaryFolder();
    using project = useProject(service, { XDG_CONFIG_HOME: config.path });
    const runs = await Promise.all(
      ['a', 'b', 'c'].map((name) => project.record(['--output', name, '--json'], `echo ${name} > ${name}`)),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    const found = runs.map(({ stdout }) =>
      getJson(service, `/statements/v1/id/${JSON.parse(stdout).computation}`),
    );
    expect(new Set((await Promise.all(found)).map(({ registeredBy }) => registeredBy)).size).toBe(1);
    expect(JSON.parse(readFileSync(join(config.path, 'cairn', 'key.json'), 'utf8')).kty).toBe('OKP');
  });
});
