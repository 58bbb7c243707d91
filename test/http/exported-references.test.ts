import { expect, test } from 'vitest';
import { cidUrn, codecs, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { provenance, sha256, slsaStatement } from '../builders/provenance.ts';
import { postEvidence } from './evidence-samples.ts';
import { send, useService } from './service.ts';

const service = useService();
const commit = 'c'.repeat(40);
const sha512 = 'd'.repeat(128);
const app = cidUrn(makeCid(codecs.raw, Buffer.from(sha256('a'), 'hex'), 'sha2-256'));
const lines = async (id: string, format: string) => {
  const headers = { host: 'localhost' };
  const answer = await service.app.request(`/lineage/v1/${id}/provenance?format=${format}`, { headers });
  return { status: answer.status, text: await answer.text() };
};

test('what is known by a commit, by SHA-512 or by its name is exported so, and never with the digest of a document', async () => {
  const resolvedDependencies = [
    { uri: 'git+https://github.com/o/app@refs/tags/v1', digest: { gitCommit: commit } },
    { uri: 'https://example.com/base.img', digest: { sha512 } },
    { uri: 'pkg:npm/left-pad@1.3.0' },
  ];
  const { buildDefinition } = provenance;
  const predicate = { ...provenance, buildDefinition: { ...buildDefinition, resolvedDependencies } };
  const taken = await postEvidence(service, slsaStatement({ predicate }));
  expect(taken.status, JSON.stringify(taken.json)).toBe(201);

  const slsa = JSON.parse((await lines(app, 'slsa')).text);
  expect(slsa.subject).toEqual([{ name: 'app.tar.gz', digest: { sha256: sha256('a') } }]);
  const resources = slsa.predicate.buildDefinition.resolvedDependencies;
  expect(resources.map(({ digest }: { digest?: object }) => digest)).toEqual([
    { gitCommit: commit },
    { sha512 },
    undefined,
  ]);

  const bom = JSON.parse((await lines(app, 'cyclonedx')).text);
  expect(bom.components.map(({ hashes }: { hashes?: object }) => hashes)).toEqual([
    undefined,
    [{ alg: 'SHA-512', content: sha512 }],
    undefined,
  ]);

  const { entity } = JSON.parse((await lines(app, 'prov')).text);
  const keys = Object.values<object>(entity).map((one) =>
    Object.keys(one).filter((key) => key !== 'prov:label'),
  );
  expect(keys).toEqual([['cairn:sha256'], ['cairn:gitCommit'], ['cairn:sha512'], []]);
});

test('a folder of DVC, whose name is no digest, is exported by its name', async () => {
  const md5 = 'e'.repeat(32);
  const lock = {
    schema: '2.0',
    stages: {
      train: {
        cmd: 'train',
        deps: [{ path: 'prepared', md5: `${md5}.dir` }],
        outs: [{ path: 'model.pkl', md5 }],
      },
    },
  };
  const taken = await postEvidence(service, lock);
  expect(taken.status, JSON.stringify(taken.json)).toBe(201);
  const found = await service.app.request('/search/v1?q=model.pkl', { headers: { host: 'localhost' } });
  const model = JSON.parse(await found.text()).artefacts.items[0].id;
  const { predicate } = JSON.parse((await lines(model, 'slsa')).text);
  const [prepared] = predicate.buildDefinition.resolvedDependencies;
  expect(prepared).toEqual({ uri: expect.stringMatching(/^urn:cid:/), name: 'prepared' });
  const { components } = JSON.parse((await lines(model, 'cyclonedx')).text);
  expect(components).toMatchObject([{ name: 'prepared' }]);
  expect(components[0]).not.toHaveProperty('hashes');
});

test('something without a digest, or a run that made only such things, cannot be the subject of SLSA provenance', async () => {
  const dataset = (name: string) => ({ namespace: 'postgres://db:5432', name });
  const event = {
    eventType: 'COMPLETE',
    eventTime: '2026-01-31T12:00:00Z',
    producer: 'https://example.com',
    schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
    run: { runId: '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4' },
    job: { namespace: 'jobs', name: 'load' },
    inputs: [dataset('orders')],
    outputs: [dataset('totals')],
  };
  await postEvidence(service, event);
  const { runs } = (await send(service, 'GET', '/runs/v1')).json;
  const { id, outputs } = runs.find(({ name }: { name: string }) => name === 'load');
  for (const subject of [outputs[0].id, id]) {
    const { status, text } = await lines(subject, 'slsa');
    expect([status, JSON.parse(text || '{}')]).toMatchObject([
      400,
      { code: 'invalid_request', error: expect.stringContaining('has no digest') },
    ]);
  }
  expect(JSON.parse((await lines(outputs[0].id, 'prov')).text).wasGeneratedBy).toBeDefined();
});

test('what has no digest and no URI, such as a table of BigQuery, is the same one in an import of the export', async () => {
  const dataset = (namespace: string, name: string, version?: string) => ({
    namespace,
    name,
    ...(version !== undefined && { facets: { version: { datasetVersion: version } } }),
  });
  await postEvidence(service, {
    eventType: 'COMPLETE',
    eventTime: '2026-01-31T12:00:00Z',
    producer: 'https://example.com',
    schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
    run: { runId: 'train' },
    job: { namespace: 'jobs', name: 'train' },
    inputs: [dataset('bigquery', 'a.b.c'), dataset('file', '/data/x.csv'), dataset('s3://b', 'k', 'v7')],
    outputs: [dataset('s3://b', 'model.bin', `sha256:${sha256('8')}`)],
  });
  const model = cidUrn(makeCid(codecs.raw, Buffer.from(sha256('8'), 'hex'), 'sha2-256'));
  const [line = ''] = (await lines(model, 'slsa')).text.trim().split('\n');
  const again = await postEvidence(service, JSON.parse(line));
  expect(again.status, JSON.stringify(again.json)).toBe(201);
  const { runs } = (await send(service, 'GET', '/runs/v1')).json;
  const made = runs
    .filter(({ outputs }: { outputs: { id: string }[] }) => outputs.some(({ id }) => id === model))
    .map(({ inputs }: { inputs: { id: string; name: string }[] }) =>
      inputs.map(({ id, name }) => [id, name]),
    );
  expect(made).toHaveLength(2);
  expect(new Set(made[0].map(String))).toEqual(new Set(made[1].map(String)));
});

test('a DID or a UUID that SLSA provenance names as a dependency is a name, because computations use contents', async () => {
  const uris = [
    'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
    'urn:uuid:58172aac-d8ba-41ed-83dd-0b3aef56cc33',
  ];
  const statement = slsaStatement({ subject: [{ name: 'named', digest: { sha256: sha256('7') } }] });
  const { buildDefinition } = provenance;
  const resolvedDependencies = uris.map((uri) => ({ uri }));
  const predicate = { ...provenance, buildDefinition: { ...buildDefinition, resolvedDependencies } };
  const { status, json } = await postEvidence(service, { ...statement, predicate });
  expect(status, JSON.stringify(json)).toBe(201);
  const { runs } = (await send(service, 'GET', '/runs/v1')).json;
  const [run] = runs.filter((one: { outputs: { name: string }[] }) => one.outputs[0]?.name === 'named');
  expect(run.inputs.map(({ name }: { name: string }) => name).sort()).toEqual(uris);
});

test('tables and packages that SLSA provenance names are the same ones when it is imported again', async () => {
  const inputs = [
    { uri: 'postgres://db:5432/shop.public.orders', name: 'orders' },
    { uri: 'pkg:npm/right-pad@1.0.0' },
    { uri: 'git+https://github.com/o/app@refs/tags/v2', digest: { gitCommit: 'e'.repeat(40) } },
  ];
  const subject = [{ name: 'report.csv', digest: { sha256: sha256('9') } }];
  const predicate = {
    ...provenance,
    buildDefinition: { ...provenance.buildDefinition, resolvedDependencies: inputs },
  };
  await postEvidence(service, slsaStatement({ subject, predicate }));
  const report = cidUrn(makeCid(codecs.raw, Buffer.from(sha256('9'), 'hex'), 'sha2-256'));
  const exported = JSON.parse((await lines(report, 'slsa')).text);
  const { resolvedDependencies } = exported.predicate.buildDefinition;
  expect(resolvedDependencies.map(({ uri }: { uri: string }) => uri)).toEqual([
    inputs[0]?.uri,
    inputs[1]?.uri,
    expect.stringMatching(/^urn:cid:/),
  ]);
  const again = await postEvidence(service, exported);
  expect(again.status, JSON.stringify(again.json)).toBe(201);
  const { runs } = (await send(service, 'GET', '/runs/v1')).json;
  const made = runs.filter(({ outputs }: { outputs: { id: string }[] }) =>
    outputs.some(({ id }) => id === report),
  );
  const [one, other] = made.map(({ inputs: used }: { inputs: { id: string }[] }) =>
    used.map(({ id }) => id).sort(),
  );
  expect([made.length, one]).toEqual([2, other]);
});
