import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { postEvidence } from './evidence-samples.ts';
import { newGraph } from './manifest-samples.ts';
import { send, useService } from './service.ts';

const service = useService();

const lock = `# made by dvc
schema: '2.0'
stages:
  prepare:
    cmd: head -5 data/raw.csv > out/train.csv && tail -5
      data/raw.csv > out/test.csv
    deps:
    - path: data/raw.csv
      hash: md5
      md5: 69d61ec73a9426dba64bf17888794b6e
      size: 51
    params:
      params.yaml:
        prepare.seed: 20170428
        prepare.split: 0.2
    outs:
    - path: out
      hash: md5
      md5: c1bbd0f8de34ac1c4dc76bec25044897.dir
      size: 25
      nfiles: 2
  train:
    cmd:
    - cp out/train.csv model.bin
    - echo done
    deps:
    - path: out
      hash: md5
      md5: c1bbd0f8de34ac1c4dc76bec25044897.dir
    outs:
    - path: model.bin
      hash: md5
      md5: a7b1ac3a2b072f71a8e0d463bf4eb822
  each@uk:
    cmd: echo uk > uk.txt
    outs:
    - path: uk.txt
      md5: ae9cb4ede4a74a2f3e19b05bfbfcf447
`;

describe('a dvc.lock', () => {
  test('becomes a run for each stage, which meet by their files', async () => {
    const graph = await newGraph(service);
    const { status, json } = await postEvidence(service, lock, `?graph_id=${graph}`);
    expect([status, json.kind], JSON.stringify(json)).toEqual([201, 'dvc.lock']);
    const { runs } = (await send(service, 'GET', `/runs/v1?graph_id=${graph}`)).json;
    const byName = Object.fromEntries(runs.map((run: { name: string }) => [run.name, run]));
    expect(Object.keys(byName).sort()).toEqual(['each@uk', 'prepare', 'train']);
    expect(byName.prepare).toMatchObject({
      result: 'succeeded',
      inputs: [{ name: 'data/raw.csv' }],
      outputs: [{ name: 'out' }],
    });
    expect(byName.train.inputs).toEqual(byName.prepare.outputs);
    const details = (await send(service, 'GET', `/runs/v1/${byName.prepare.id}`)).json;
    expect(details.parameters).toMatchObject([
      { path: 'params.yaml', values: { 'prepare.seed': 20170428, 'prepare.split': 0.2 } },
    ]);
    const values = await send(service, 'GET', `/store/v1/text/${details.parameters[0].cid}`);
    expect(JSON.parse(values.text)).toEqual(details.parameters[0].values);
    expect((await postEvidence(service, lock, `?graph_id=${graph}`)).status).toBe(200);
  });

  test('of schema 1.0 says the same', async () => {
    const [graph, earlier] = [await newGraph(service), await newGraph(service)];
    const stages = lock.slice(lock.indexOf('  prepare:')).replaceAll(/^ {2}/gm, '');
    const { status, json } = await postEvidence(service, stages, `?graph_id=${earlier}`);
    expect([status, json.kind], JSON.stringify(json)).toEqual([201, 'dvc.lock']);
    await postEvidence(service, lock, `?graph_id=${graph}`);
    const partsIn = async (id: string) =>
      (await send(service, 'GET', `/runs/v1?graph_id=${id}`)).json.runs
        .map(({ name, inputs, outputs }: Record<string, unknown>) => ({ name, inputs, outputs }))
        .sort((one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name));
    expect(await partsIn(earlier)).toEqual(await partsIn(graph));
  });

  test.each([
    [
      'a stage without a command',
      lock.replace('cmd: echo uk > uk.txt', 'frozen: true'),
      '/stages/each@uk/cmd',
    ],
    ['an output without a path', lock.replace('path: uk.txt', 'size: 3'), '/stages/each@uk/outs/0/path'],
    ['a digest that is none', lock.replace('a7b1ac3a', 'XXXXXXXX'), '/stages/train/outs/0/md5'],
    ['broken YAML', lock.replace('stages:', 'stages: ['), undefined],
    ['no stages', "schema: '2.0'\nstages: 7\n", '/stages'],
  ])('with %s is refused', async (_, text, pointer) => {
    const { status, json } = await postEvidence(service, text);
    expect([status, json.code, json.details?.[0]?.pointer]).toEqual([400, 'invalid_evidence', pointer]);
  });

  test('with numbers and tags that JSON does not have keeps them as text', async () => {
    const odd = [
      "schema: '2.0'",
      'stages:',
      '  odd:',
      '    cmd: fit',
      '    params:',
      '      params.yaml: {high: .inf, low: -.inf, none: .nan, raw: !!binary aGk=, names: !!set {a, b}}',
      '',
    ].join('\n');
    const graph = await newGraph(service);
    const { status, json } = await postEvidence(service, odd, `?graph_id=${graph}`);
    expect(status, JSON.stringify(json)).toBe(201);
    const { runs } = (await send(service, 'GET', `/runs/v1?graph_id=${graph}`)).json;
    const { parameters } = (await send(service, 'GET', `/runs/v1/${runs[0].id}`)).json;
    expect(parameters[0].values).toEqual({
      high: 'Infinity',
      low: '-Infinity',
      none: 'NaN',
      raw: 'aGk=',
      names: { a: null, b: null },
    });
  });

  test.each([
    ['a lone surrogate', 'a: "\\ud800"', 'invalid_json'],
    ['lists in lists without end', `a: ${'['.repeat(500)}${']'.repeat(500)}`, 'too_deep'],
  ])('with %s is refused', async (_, param, code) => {
    const text = `schema: '2.0'\nstages:\n  s:\n    cmd: c\n    params:\n      p:\n        ${param}\n`;
    const { status, json } = await postEvidence(service, text);
    expect([status, json.code]).toEqual([400, code]);
  });

  test('with aliases that grow without end is refused', async () => {
    const grown = Array.from(
      { length: 12 },
      (_, at) => `  a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(10)}]`,
    );
    const bomb = ["schema: '2.0'", 'stages:', '  a0: &a0 [1]', ...grown, ''].join('\n');
    expect((await postEvidence(service, bomb)).json.code).toBe('invalid_evidence');
  });
});

const hex = createHash('sha256').update('weights').digest('hex');
const mlflow = {
  type: 'MLflowRun',
  version: 1,
  run_id: '1c46eb2c36a445ddbe1ddd59de5bfe6f',
  run_name: 'train-1',
  experiment: 'churn',
  user: 'ada',
  status: 3,
  start_time: 1_795_473_081_312,
  end_time: 1_795_473_083_312,
  params: { lr: '0.01' },
  tags: { 'mlflow.source.name': 'train.py', 'mlflow.parentRunId': 'p1', team: 'risk' },
  metrics: { loss: 0.25 },
  datasets: [{ name: 'customers', digest: 'abc12345', source_type: 'http' }],
  models: [],
  artifacts: { 'model/model.bin': { blake3: hex } },
};

describe('an MLflow run', () => {
  test('becomes a run with parameters, metrics, data sets and artifacts', async () => {
    const graph = await newGraph(service);
    const { status, json } = await postEvidence(service, mlflow, `?graph_id=${graph}`);
    expect([status, json.kind], JSON.stringify(json)).toEqual([201, 'mlflow']);
    const { runs } = (await send(service, 'GET', `/runs/v1?graph_id=${graph}`)).json;
    expect(runs).toMatchObject([
      { name: 'train-1', duration: 2, result: 'succeeded', inputs: [{ name: 'customers' }] },
    ]);
    const details = (await send(service, 'GET', `/runs/v1/${runs[0].id}`)).json;
    expect(details).toMatchObject({
      metrics: { loss: 0.25 },
      parameters: [{ values: { lr: '0.01' } }],
      metadata: { experiment: 'churn', parent_run: 'p1', tags: { team: 'risk' } },
    });
  });

  test('that failed says so, and one that has not ended is refused', async () => {
    const graph = await newGraph(service);
    await postEvidence(service, { ...mlflow, status: 4 }, `?graph_id=${graph}`);
    const { runs } = (await send(service, 'GET', `/runs/v1?graph_id=${graph}`)).json;
    expect(runs).toMatchObject([{ result: 'failed' }]);
    expect((await postEvidence(service, { ...mlflow, status: 1, end_time: null })).json.code).toBe(
      'invalid_evidence',
    );
  });

  test.each(['start_time', 'end_time'])('with a %s that nobody can write is refused', async (member) => {
    const { status, json } = await postEvidence(service, { ...mlflow, [member]: 253_402_300_800_000 });
    expect([status, json.details?.[0]?.pointer]).toEqual([400, `/${member}`]);
  });
});
