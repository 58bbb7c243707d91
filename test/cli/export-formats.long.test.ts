import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeWith } from '../describe-with.ts';
import { getJson, useProject } from './record-project.ts';
import { type Service, startService } from './run-cairn.ts';

const python = join(process.env.CAIRN_TEST_PYTHON_SDK ?? '', 'bin/python');
const absence = 'there are no validators (CAIRN_TEST_PYTHON_SDK, installed by .ci/python-sdk)';
const validators = {
  slsa: `
from google.protobuf import json_format
from in_toto_attestation.v1.statement_pb2 import Statement
from in_toto_attestation.predicates.provenance.v1.provenance_pb2 import Provenance
from in_toto_attestation.v1.statement import Statement as Checked
for line in sys.stdin:
    statement = json.loads(base64.b64decode(json.loads(line)["payload"]))
    Checked.copy_from_pb(json_format.ParseDict(statement, Statement())).validate()
    json_format.ParseDict(statement["predicate"], Provenance())`,
  prov: `
from prov.model import ProvDocument
document = ProvDocument.deserialize(sys.stdin, format="json")
assert len(list(document.get_records())) > 5`,
  cyclonedx: `
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
problem = JsonStrictValidator(SchemaVersion.V1_7).validate_str(sys.stdin.read())
assert problem is None, problem`,
};

let service: Service;
let project: ReturnType<typeof useProject>;
const key = 'key.json';

/** Two runs, one after the other: raw.csv to clean.csv to model.onnx. The first one is not signed in \`other.bin\`. */
beforeAll(async () => {
  service = await startService();
  project = useProject(service);
  await project.run(['key', 'create', key]);
  for (const [input, output, sign] of [
    ['raw.csv', 'clean.csv', ['--sign', key]],
    ['clean.csv', 'model.onnx', ['--sign', key]],
    ['clean.csv', 'other.bin', []],
  ] as const) {
    const args = ['record', '--name', `make ${output}`, '--input', input, '--output', output, ...sign];
    const made = await project.run([
      ...args,
      '--',
      'sh',
      '-c',
      `cat ${input} > ${output}; echo ${output} >> ${output}`,
    ]);
    expect(made.code, made.stderr).toBe(0);
  }
}, 60_000);
afterAll(async () => {
  project[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

async function exported(...args: string[]): Promise<string> {
  const run = await project.run(['export', ...args, '-o', project.file('out')]);
  expect(run.code, run.stderr).toBe(0);
  return readFileSync(project.file('out'), 'utf8');
}

const payloadOf = (line: string) => JSON.parse(Buffer.from(JSON.parse(line).payload, 'base64').toString());

describe('cairn export --format', () => {
  test('slsa has a statement for each run upstream, signed by the service', async () => {
    const lines = (await exported('model.onnx', '--format', 'slsa', '--sign')).trimEnd().split('\n');
    expect(lines.map((line) => payloadOf(line).subject[0].name)).toEqual(['model.onnx', 'clean.csv']);
    const [statement] = lines.map(payloadOf);
    expect(statement.subject[0].digest).toEqual({
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      blake3: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(statement.predicate.buildDefinition.resolvedDependencies).toMatchObject([{ name: 'clean.csv' }]);
    expect(statement.predicate.buildDefinition.externalParameters.command).toContain('sh');
  });

  test('slsa is signed with a key of one’s own, also for runs that nobody has signed', async () => {
    const [line = ''] = (await exported('other.bin', '--format', 'slsa', '--sign', key)).split('\n');
    expect(JSON.parse(line).signatures[0].keyid).toMatch(/^did:key:/);
    const refused = await project.run([
      'export',
      'other.bin',
      '--format',
      'slsa',
      '--sign',
      '-o',
      project.file('out'),
    ]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('its registrant has not') });
  });

  test('cyclonedx has model, data and the runs', async () => {
    const bom = JSON.parse(await exported('model.onnx', '--format', 'cyclonedx'));
    expect(bom.metadata.component).toMatchObject({ type: 'machine-learning-model', name: 'model.onnx' });
    expect(bom.components.map(({ name, type }: Record<string, string>) => [name, type])).toEqual(
      expect.arrayContaining([
        ['raw.csv', 'data'],
        ['clean.csv', 'data'],
      ]),
    );
    expect(bom.formulation[0].workflows[0].tasks).toHaveLength(2);
  });

  test('prov has what was used and generated, and by whom', async () => {
    const { used, wasGeneratedBy, wasAssociatedWith, entity } = JSON.parse(
      await exported('model.onnx', '--format', 'prov'),
    );
    expect([used, wasGeneratedBy, wasAssociatedWith].map((one) => Object.keys(one).length)).toEqual([
      2, 2, 2,
    ]);
    expect(Object.values<Record<string, string>>(entity).map((one) => one['prov:label'])).toContain(
      'raw.csv',
    );
  });

  test.each([
    [['--format', 'slsa'], 2, 'is about one artefact'],
    [['raw.csv', '--format', 'prov', '--sign'], 2, '--sign needs --format slsa'],
    [['raw.csv', '--format', 'slsa'], 1, 'No run is known that made'],
    [['raw.csv', '--sign'], 2, '--sign needs --format slsa'],
    [['raw.csv', '--format', 'spdx'], 2, 'Allowed choices are'],
  ])('%j is refused with what to do', async (args, code, text) => {
    expect(await project.run(['export', ...args, '-o', project.file('out')])).toMatchObject({
      code,
      stderr: expect.stringContaining(text),
    });
  });
});

test('what was exported comes in again, and what the service has signed is signed', async () => {
  for (const args of [['slsa', '--sign'], ['cyclonedx']] as const) {
    await exported('model.onnx', '--format', ...args);
    const taken = await project.run(['import', project.file('out')]);
    expect(taken.code, taken.stderr).toBe(0);
  }
  const { runs } = await getJson(service, '/runs/v1');
  const by = runs.flatMap(({ trust }: { trust: { by?: string } }) => trust.by ?? []);
  expect(new Set(by).size).toBe(2);
});

test.each(['slsa', 'cyclonedx'])(
  'another service finds folders and runs in %s as they are here',
  async (format) => {
    const script = 'mkdir -p tuned; cat raw.csv > tuned/weights; cat tuned/weights > tuned.bin';
    const options = ['--name', 'tune', '--input', 'raw.csv', '--output', 'tuned', '--output', 'tuned.bin'];
    const made = await project.run(['record', '--json', ...options, '--', 'sh', '-c', script]);
    expect(made.code, made.stderr).toBe(0);
    const [folder] = JSON.parse(made.stdout).outputs;
    await exported('tuned', '--format', format);
    await using other = await startService();
    const taken = await project.run(['import', project.file('out')], { env: other.env });
    expect(taken.code, taken.stderr).toBe(0);
    const { nodes } = await getJson(other, `/lineage/v1/${folder.cid}?direction=upstream`);
    const names = nodes.map(({ name }: { name: string | null }) => name);
    expect(names).toEqual(expect.arrayContaining(['tuned/', 'tune']));
  },
);

describeWith(!existsSync(python) && absence, 'the official validators', () => {
  test.each(Object.entries(validators))('accept %s', async (format, code) => {
    const sign = format === 'slsa' ? ['--sign', key] : [];
    const input = await exported('model.onnx', '--format', format, ...sign);
    execFileSync(python, ['-c', `import base64, json, sys${code}`], { input });
  });
});
