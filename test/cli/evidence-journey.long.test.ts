import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { preAuthenticationEncoding } from '../../src/domain/integrity/proofs/dsse.ts';
import { newKey } from '../builders/keys.ts';
import { slsaStatement } from '../builders/provenance.ts';
import { useProject } from './record-project.ts';
import { type Service, startService } from './run-cairn.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

const payloadType = 'application/vnd.in-toto+json';
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

interface Edge {
  readonly from: string;
  readonly to: string;
}

test('a build, its parts, a training, a signed model and a deployment are one lineage, with each signer', async () => {
  using project = useProject(service);
  const { file, run } = project;
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(args);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const write = (name: string, value: unknown) => writeFileSync(file(name), JSON.stringify(value));
  await done('init');

  // Others build the trainer, sign where it comes from, and say what it is made of.
  writeFileSync(file('trainer.pyz'), 'a program of some bytes');
  const trainer = { name: 'trainer.pyz', digest: { sha256: sha256(readFileSync(file('trainer.pyz'))) } };
  const builder = newKey('P-256');
  const payload = Buffer.from(JSON.stringify(slsaStatement({ subject: [trainer] })));
  const sig = builder.sign(preAuthenticationEncoding(payloadType, payload)).toString('base64');
  const signatures = [{ keyid: builder.did, sig }];
  write('trainer.intoto.json', { payloadType, payload: payload.toString('base64'), signatures });
  write('trainer.cdx.json', {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': 'trainer',
        name: 'trainer.pyz',
        hashes: [{ alg: 'SHA-256', content: trainer.digest.sha256 }],
      },
    },
    components: [
      { type: 'library', 'bom-ref': 'numpy', name: 'numpy', version: '2.0', purl: 'pkg:pypi/numpy@2.0' },
    ],
    dependencies: [{ ref: 'trainer', dependsOn: ['numpy'] }],
  });
  await done('import', file('trainer.intoto.json'), file('trainer.cdx.json'));

  // A person trains a model with it, and signs the model.
  const { did: recorder } = JSON.parse(await done('key', 'create', file('me.json'), '--json'));
  const { did: modelSigner } = JSON.parse(
    await done('key', 'create', '--p256', file('model-key.json'), '--json'),
  );
  mkdirSync(file('model'));
  const recorded = await project.record(
    ['--input', 'trainer.pyz', '--output', 'model', '--sign', file('me.json')],
    'echo the weights of the model > model/weights.bin; echo {} > model/config.json',
  );
  expect(recorded.code, recorded.stderr).toBe(0);
  const key = ['--private-key', file('model-key.json')];
  const inside = ['model', 'sign', file('model'), ...key, '--record', '--signature', file('model/model.sig')];
  expect(await run(inside)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Name a place beside it'),
  });
  const signing = ['model', 'sign', file('model'), ...key, '--signature', file('model.sig')];
  const stored = JSON.parse(await done(...signing, '--record', '--json'));
  expect(stored).toMatchObject({
    files: 2,
    kind: 'model-signing',
    signatures: [{ result: 'ok', signer: modelSigner }],
  });

  // A scheduler deploys it.
  const version = `sha256:${sha256(readFileSync(file('model/weights.bin')))}`;
  const producer = 'https://scheduler.example/v1';
  const facet = {
    _producer: producer,
    _schemaURL: 'https://openlineage.io/spec/facets/1-0-1/DatasetVersionDatasetFacet.json',
    datasetVersion: version,
  };
  write('deploy.json', {
    eventType: 'COMPLETE',
    eventTime: '2026-02-01T12:00:00Z',
    producer,
    schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
    run: { runId: '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4' },
    job: { namespace: 'scheduler', name: 'deploy' },
    inputs: [{ namespace: 'models', name: 'credit', facets: { version: facet } }],
    outputs: [
      {
        namespace: 'https://api.example',
        name: 'score',
        facets: { version: { ...facet, datasetVersion: '7' } },
      },
    ],
  });
  await done('import', file('deploy.json'));

  const { runs } = JSON.parse(await done('runs', '--json'));
  const deployment = runs.find(({ name }: { name: string }) => /deploy/.test(name));
  const [deployed] = deployment.outputs;
  const { nodes, edges } = JSON.parse(
    await done('lineage', deployed.id, '--direction', 'upstream', '--json'),
  );
  const of = (member: string) => nodes.map((node: Readonly<Record<string, unknown>>) => node[member]);
  expect(of('name')).toEqual(
    expect.arrayContaining(['raw.csv', 'trainer.pyz', 'numpy@2.0', 'github.com/o/app@v1']),
  );
  const reached = new Set([deployed.id]);
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    for (const { from, to } of edges as Edge[])
      if (reached.has(from) || reached.has(to)) reached.add(from).add(to);
  }
  expect(of('id').filter((id: string) => !reached.has(id))).toEqual([]);
  const signers = of('trust').map((trust?: { readonly by?: string }) => trust?.by);
  expect(signers).toEqual(expect.arrayContaining([builder.did, recorder, modelSigner]));
});
