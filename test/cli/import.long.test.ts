import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { slsaStatement } from '../builders/provenance.ts';
import { cairn, type Service, startService, temporaryFolder } from './run-cairn.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

const statement = (name: string) =>
  JSON.stringify(slsaStatement({ subject: [{ name, digest: { dirHash: name } }] }));
const bad = JSON.stringify(slsaStatement({ subject: [] }));

async function importing(...args: readonly string[]) {
  using home = temporaryFolder();
  return await cairn(['import', ...args], { env: { ...service.env, HOME: home.path } });
}

describe('cairn import of evidence', () => {
  test('says what a file is, and goes on after a bad one', async () => {
    using folder = temporaryFolder();
    const [one, two] = ['one.json', 'two.json'].map((name) => join(folder.path, name)) as [string, string];
    writeFileSync(one, bad);
    writeFileSync(two, statement('two'));
    const other = join(folder.path, 'notes.txt');
    writeFileSync(other, 'text');
    const { code, stdout, stderr } = await importing(one, other, two);
    expect([code, stdout], stderr).toEqual([
      1,
      expect.stringMatching(/^in-toto +\d+ statements {2}\S+two\.json\n$/),
    ]);
    expect(stderr).toContain(`${one}: The in-toto statement is not valid at "/subject"`);
    expect(stderr).toContain(`${other}: ${other} is no evidence.`);
    expect(stderr).toContain('1 imported, 2 refused');
  });

  test('searches a folder, leaves out links and other files, and reports bad lines by their number', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'more'));
    symlinkSync('/etc', join(folder.path, 'outside'));
    writeFileSync(join(folder.path, 'README'), 'text');
    const lines = Array.from({ length: 600 }, (_, at) => statement(`line ${at}`));
    lines[550] = bad;
    const file = join(folder.path, 'more', 'all.jsonl');
    writeFileSync(file, `${lines.join('\n')}\n${statement('cut').slice(0, 99)}`);
    const { code, stdout, stderr } = await importing(folder.path, '--json');
    const printed = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([code, printed.length]).toEqual([1, 601]);
    const refused = printed
      .filter((one) => 'error' in one)
      .map(({ file, line, code }) => ({ file, line, code }));
    expect(refused).toEqual([
      { file, line: 551, code: 'invalid_evidence' },
      { file, line: 601, code: 'invalid_json' },
    ]);
    expect(stderr).toContain('599 imported, 2 refused, 2 left out: not evidence');
  });

  test('leaves out what is no evidence in a folder, and sends what is broken', async () => {
    using folder = temporaryFolder();
    const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
    write('good.json', statement('good'));
    write('package.json', '{"version":"1.0.0","name":"shop"}');
    write('tsconfig.json', '{ // for the compiler\n}');
    write('rows.jsonl', '{"label":1}\n{"label":2}\n');
    write('pom.xml', '<project xmlns="http://maven.apache.org/POM/4.0.0"/>');
    const { code, stdout, stderr } = await importing(folder.path);
    expect([code, stdout.trim().split('\n').length], stderr).toEqual([0, 1]);
    expect(stderr).toContain('1 imported, 4 left out: not evidence, such as ');
    write('bad.json', bad);
    write('cut.json', statement('cut').slice(0, 99));
    write('bom.xml', '<bom xmlns="http://cyclonedx.org/schema/bom/9.9"/>');
    const again = await importing(folder.path);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('1 imported, 3 refused, 4 left out'),
    ]);
    const named = await importing(join(folder.path, 'package.json'));
    expect(named.code).not.toBe(0);
  });

  test('reads the folder of MLflow runs, and a dvc.lock, as they are', async () => {
    using folder = temporaryFolder();
    const write = (name: string, text: string) => {
      const path = join(folder.path, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    };
    const run = 'mlruns/4554/1c46eb2c';
    const times = 'start_time: 1795473081312\nend_time: 1795473083312\n';
    write('mlruns/4554/meta.yaml', "experiment_id: '4554'\nname: churn\n");
    write(
      `${run}/meta.yaml`,
      `run_id: 1c46eb2c\nrun_name: train-1\nstatus: 3\n${times}lifecycle_stage: active\n`,
    );
    write(`${run}/params/lr`, '0.01');
    write(`${run}/metrics/eval/loss`, '1795473081330 0.5 1\n1795473081335 1.0 0\n1795473081335 NaN -1\n');
    write(`${run}/tags/mlflow.user`, 'ada');
    write(`${run}/inputs/i/meta.yaml`, 'source_id: d1\ntags:\n  mlflow.data.context: training\n');
    write('mlruns/4554/datasets/d1/meta.yaml', 'name: customers\ndigest: abc12345\nsource_type: http\n');
    write(`${run}/outputs/m-1/meta.yaml`, 'destination_id: m-1\n');
    write('mlruns/4554/models/m-1/meta.yaml', 'model_id: m-1\nname: churn-model\n');
    write(`${run}/artifacts/model/config.json`, '{}');
    write('mlruns/4554/deleted/meta.yaml', `run_id: gone\nstatus: 3\n${times}lifecycle_stage: deleted\n`);
    write('mlruns/4554/running/meta.yaml', `run_id: running\nstatus: 1\nstart_time: 1\n`);
    write('dvc.lock', "schema: '2.0'\nstages:\n  prepare:\n    cmd: cp a b\n");
    write('dvc.yaml', 'stages:\n  prepare:\n    cmd: cp a b\n');
    const { code, stdout, stderr } = await importing(folder.path);
    expect([code, stdout.split('\n').map((line) => line.split(' ')[0])], stderr).toEqual([
      1,
      ['mlflow', 'dvc.lock', ''],
    ]);
    expect(stderr).toContain('running: The run has not ended.');
    expect(stderr).not.toContain('dvc.yaml:');
    const { stdout: runs } = await cairn(['runs', '--name', 'train-1', '--json'], { env: service.env });
    expect(JSON.parse(runs).runs).toMatchObject([
      {
        name: 'train-1',
        result: 'succeeded',
        inputs: [{ name: 'customers' }],
        outputs: [{ name: 'model/config.json' }, { name: 'churn-model' }],
      },
    ]);
  });

  test('reads the runs of the database of MLflow with their artifacts, if these are below its folder', async () => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    const artifact = (root: string, name: string) => {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, name);
    };
    artifact(folder.path, 'mlruns/1/r1/artifacts/plot.png');
    artifact(folder.path, 'mlartifacts/1/models/m-1/artifacts/weights.bin');
    artifact(elsewhere.path, 'secret.txt');
    const path = join(folder.path, 'mlflow.db');
    const database = new DatabaseSync(path);
    database.exec(`
      CREATE TABLE experiments (experiment_id, name);
      CREATE TABLE runs (run_uuid, name, user_id, status, start_time, end_time, lifecycle_stage, artifact_uri, experiment_id);
      CREATE TABLE params (key, value, run_uuid);
      CREATE TABLE tags (key, value, run_uuid);
      CREATE TABLE latest_metrics (key, value FLOAT, timestamp, step, is_nan, run_uuid);
      CREATE TABLE datasets (dataset_uuid, name, digest, dataset_source_type, dataset_source);
      CREATE TABLE inputs (input_uuid, source_type, source_id, destination_type, destination_id);
      CREATE TABLE input_tags (input_uuid, name, value);
      CREATE TABLE logged_models (model_id, name, artifact_location);
      INSERT INTO experiments VALUES (1, 'churn');
      INSERT INTO runs VALUES
        ('r1', 'from-database', 'ada', 'FINISHED', 1795473081312, 1795473083312, 'active', '${folder.path}/mlruns/1/r1/artifacts', 1),
        ('r2', 'elsewhere', 'ada', 'FAILED', 1795473081313, 1795473083312, 'active', '${elsewhere.path}', 1),
        ('r3', 'running', 'ada', 'RUNNING', 1795473081314, NULL, 'active', 's3://bucket/r3', 1),
        ('r4', 'gone', 'ada', 'FINISHED', 1795473081315, 1795473083312, 'deleted', '', 1);
      INSERT INTO params VALUES ('lr', '0.01', 'r1');
      INSERT INTO tags VALUES ('mlflow.source.name', 'train.py', 'r1');
      INSERT INTO latest_metrics VALUES ('acc', 0.9, 1, 1, 0, 'r1'), ('loss', 0, 1, 1, 1, 'r1'), ('scale', -1.7976931348623157e308, 1, 1, 0, 'r1');
      INSERT INTO datasets VALUES ('d1', 'customers', 'abc12345', 'http', '{}');
      INSERT INTO inputs VALUES ('i1', 'DATASET', 'd1', 'RUN', 'r1'), ('i2', 'RUN_OUTPUT', 'r1', 'MODEL_OUTPUT', 'm-1');
      INSERT INTO input_tags VALUES ('i1', 'mlflow.data.context', 'training');
      INSERT INTO logged_models VALUES ('m-1', 'churn-model', 'mlflow-artifacts:/1/models/m-1/artifacts');`);
    database.close();
    const { code, stdout, stderr } = await importing(path);
    expect([code, stdout.match(/mlflow.db#\w+/g)], stderr).toEqual([1, ['mlflow.db#r1', 'mlflow.db#r2']]);
    expect(stderr).toContain('mlflow.db#r3: The run has not ended.');
    expect(stderr).toContain('2 imported, 1 refused');
    const runs = async (name: string) =>
      JSON.parse((await cairn(['runs', '--name', name, '--json'], { env: service.env })).stdout).runs;
    const [run] = await runs('from-database');
    expect(run).toMatchObject({ result: 'succeeded', inputs: [{ name: 'customers' }] });
    expect(run.outputs.map(({ name }: { name: string }) => name).sort()).toEqual([
      'churn-model',
      'churn-model/weights.bin',
      'plot.png',
    ]);
    const shown = await fetch(`${service.url}/runs/v1/${run.id}`);
    expect(await shown.json()).toMatchObject({ metrics: { acc: 0.9, loss: 'NaN', scale: '-Infinity' } });
    const [failed] = await runs('elsewhere');
    expect(failed).toMatchObject({ result: 'failed' });
    expect(JSON.stringify(failed)).not.toContain('secret');
    expect((await importing(folder.path)).stderr).toContain('2 imported, 1 refused, 2 left out');
  });

  test('leaves out broken databases, and names one of MLflow that it cannot read', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'broken.db'), `SQLite format 3\0${'x'.repeat(200)}`);
    const database = new DatabaseSync(join(folder.path, 'mlflow.db'));
    database.exec(
      `CREATE TABLE experiments (experiment_id); CREATE TABLE runs (run_uuid, experiment_id); CREATE TABLE latest_metrics (key)`,
    );
    database.close();
    writeFileSync(join(folder.path, 'good.json'), statement('beside databases'));
    const { code, stdout, stderr } = await importing(folder.path);
    expect([code, stdout], stderr).toEqual([1, expect.stringContaining('good.json')]);
    expect(stderr).toContain('mlflow.db is not a database of MLflow that is read here: no such column');
    expect(stderr).toContain('1 imported, 1 refused, 1 left out: not evidence, such as broken.db');
  });

  test('tells MLflow runs from what only names one, and goes on after a broken one', async () => {
    using folder = temporaryFolder();
    const write = (name: string, text: string | Uint8Array) => {
      const path = join(folder.path, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    };
    const writeRun = (id: string, name: string, status = '3') => {
      const times = 'start_time: 1795473081312\nend_time: 1795473083312\n';
      write(`mlruns/1/${id}/meta.yaml`, `run_id: ${id}\nrun_name: ${name}\nstatus: ${status}\n${times}`);
    };
    writeRun('a1', '1e5');
    writeRun('a2', 'broken', 'DONE');
    write('mlruns/1/a1/metrics/loss', '1795473081330 0.5 0\n1795473081335 nan 1\n');
    write('mlruns/1/a1/metrics/scale', '1795473081330 -inf 0\n');
    write('mlruns/1/a1/artifacts/copy/meta.yaml', 'run_id: a9\nstart_time: 1\nstatus: 3\n');
    write('mlruns/models/credit/version-1/meta.yaml', 'name: credit\nrun_id: a1\nstatus: READY\n');
    const { code, stdout, stderr } = await importing(folder.path);
    expect([code, stdout], stderr).toEqual([1, expect.stringMatching(/^mlflow .*a1\n$/)]);
    expect(stderr).toContain('a2: MLflow does not allow this: status must be a number.');
    expect(stderr).toContain('1 imported, 1 refused, 1 left out');
    const { stdout: runs } = await cairn(['runs', '--name', '1e5', '--json'], { env: service.env });
    const [{ id }] = JSON.parse(runs).runs;
    const run = await fetch(`${service.url}/runs/v1/${id}`);
    expect(await run.json()).toMatchObject({ metrics: { loss: 'NaN', scale: '-Infinity' } });
  });

  test('names a file of a folder that cannot be read, and takes the others', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'good.json'), statement('readable'));
    const name = Buffer.concat([
      Buffer.from(`${folder.path}/bad-`),
      Buffer.from([0xff]),
      Buffer.from('.json'),
    ]);
    writeFileSync(name, statement('unreadable'));
    const { code, stdout, stderr } = await importing(folder.path);
    expect([code, stdout], stderr).toEqual([1, expect.stringContaining('good.json')]);
    expect(stderr).toContain('has a name that is not UTF-8. Rename it.');
    expect(stderr).toContain('1 imported, 1 refused');
  });

  test('puts the statements into the graph that is named', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'one.json');
    writeFileSync(path, statement('in a graph'));
    const made = await cairn(['graph', 'create', 'releases'], { env: service.env });
    expect(made.code, made.stderr).toBe(0);
    expect(await importing(path, '--graph', 'releases')).toMatchObject({ code: 0 });
    const { stdout } = await cairn(['runs', '--graph', 'releases', '--json'], { env: service.env });
    expect(JSON.parse(stdout).runs[0].outputs).toMatchObject([{ name: 'in a graph' }]);
  });
});
