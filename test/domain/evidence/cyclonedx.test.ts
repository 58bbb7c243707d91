import { expect, test } from 'vitest';
import type { Evidence, Thing } from '../../../src/domain/integrity/evidence/evidence.ts';
import { cyclonedx } from '../../../src/domain/integrity/evidence/sbom/cyclonedx.ts';

const blake3 = 'b3'.repeat(32);
const sha256 = 'ab'.repeat(32);
const serialNumber = 'urn:uuid:3E671687-395b-41f5-a30f-a58921a69b79';
const link = 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/2';

function read(members: Readonly<Record<string, unknown>>): Evidence {
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.7', serialNumber, version: 2, ...members };
  return cyclonedx.read(bom, blake3) as Evidence;
}

const names = (things: readonly Thing[] = []) => things.map(({ name, reference }) => name ?? reference?.name);
const wholes = ({ wholes = [] }: Evidence) => wholes.map(({ whole, parts }) => [whole.name, names(parts)]);

const app = { type: 'application', name: 'shop', version: '2.0', 'bom-ref': 'app' };
const library = { type: 'library', group: 'org.acme', name: 'lib', version: '1', 'bom-ref': 'lib' };

test('a product includes its components, and each component its own and what it depends on', () => {
  const evidence = read({
    metadata: { timestamp: '2026-01-31T12:00:00Z', component: app },
    components: [{ ...library, components: [{ type: 'file', name: 'inner' }] }],
    services: [{ name: 'payments', 'bom-ref': 'pay' }],
    dependencies: [
      { ref: 'app', dependsOn: ['lib', 'pay'] },
      { ref: 'lib', dependsOn: ['pay'] },
      { ref: 'pay' },
    ],
  });
  expect(evidence.time).toBe('2026-01-31T12:00:00Z');
  expect(names(evidence.about)).toEqual(['shop@2.0']);
  expect(wholes(evidence)).toEqual([
    ['org.acme/lib@1', ['inner', 'payments']],
    ['shop@2.0', ['org.acme/lib@1', 'payments']],
  ]);
});

test('components that depend on each other are taken', () => {
  const dependencies = [
    { ref: 'app', dependsOn: ['lib'] },
    { ref: 'lib', dependsOn: ['app', 'lib'] },
  ];
  const evidence = read({ components: [app, library], dependencies });
  expect(wholes(evidence).slice(1)).toEqual([
    ['shop@2.0', ['org.acme/lib@1']],
    ['org.acme/lib@1', ['shop@2.0']],
  ]);
});

test('without a product, the file itself includes the components', () => {
  const { about, wholes = [] } = read({ components: [library] });
  expect(about).toEqual([]);
  expect(wholes).toMatchObject([{ whole: { digests: { blake3 } }, parts: [{ name: 'org.acme/lib@1' }] }]);
});

test.each([
  ['its hashes', { hashes: [{ alg: 'SHA-256', content: sha256.toUpperCase() }] }, { digests: { sha256 } }],
  [
    'the hashes of its only archive',
    {
      externalReferences: [
        { type: 'distribution', url: 'a:b', hashes: [{ alg: 'BLAKE3', content: sha256 }] },
      ],
    },
    { digests: { blake3: sha256 } },
  ],
  ['its SWHID', { swhid: [`swh:1:cnt:${'cd'.repeat(20)}`] }, { digests: { gitBlob: 'cd'.repeat(20) } }],
  [
    'its package URL',
    { purl: 'pkg:npm/lib@1' },
    { digests: {}, reference: { namespace: 'pkg', name: 'pkg:npm/lib@1' } },
  ],
  ['its reference in the file', {}, { digests: {}, reference: { namespace: link, name: 'lib' } }],
  [
    'no digest of 512 bits by BLAKE3',
    { hashes: [{ alg: 'BLAKE3', content: sha256 + sha256 }] },
    { digests: {} },
  ],
])('a component is known by %s', (_, members, thing) => {
  const { wholes = [] } = read({ components: [{ ...library, ...members }] });
  expect(wholes[0]?.parts).toMatchObject([thing]);
});

test('names without a meaning elsewhere belong to the file if it has no serial number', () => {
  const { wholes = [] } = read({
    serialNumber: undefined,
    components: [{ type: 'file', name: 'a', version: '1' }],
  });
  const reference = { namespace: `blake3:${blake3}`, name: 'a', version: '1' };
  expect(wholes[0]?.parts).toMatchObject([{ reference }]);
});

test('a model was made from its data sets, and a patched component from its ancestors', () => {
  const datasets = [
    { ref: 'data' },
    { type: 'dataset', name: 'more', contents: { url: 's3://bucket/more.csv' } },
  ];
  const evidence = read({
    components: [
      { type: 'machine-learning-model', name: 'llm', modelCard: { modelParameters: { datasets } } },
      { type: 'data', name: 'corpus', 'bom-ref': 'data', hashes: [{ alg: 'SHA-256', content: sha256 }] },
      { ...library, pedigree: { ancestors: [{ type: 'library', name: 'original' }] } },
    ],
  });
  expect(evidence.steps).toMatchObject([
    {
      inputs: [
        { name: 'corpus', digests: { sha256 } },
        { reference: { namespace: 's3://bucket', name: 'more.csv' } },
      ],
      outputs: [{ name: 'llm' }],
      facts: { name: 'Training of llm' },
    },
    {
      inputs: [{ name: 'original' }],
      outputs: [{ name: 'org.acme/lib@1' }],
      facts: { name: 'Modification of org.acme/lib@1' },
    },
  ]);
});

test('tasks of a formulation are steps with times, variables and parameters', () => {
  const task = {
    'bom-ref': 'build-1',
    uid: 'build-1',
    name: 'build',
    taskTypes: ['build'],
    inputs: [
      { resource: { ref: 'source' } },
      { resource: { externalReference: { type: 'vcs', url: 'https://example.com/repo.git' } } },
      {
        environmentVars: [{ name: 'CI', value: 'true' }, 'HOME'],
        parameters: [{ name: 'level', value: '3' }],
      },
    ],
    outputs: [{ type: 'artifact', resource: { ref: 'app' } }],
    timeStart: '2026-01-31T12:00:00Z',
    timeEnd: '2026-01-31T12:01:30Z',
  };
  const workflow = { 'bom-ref': 'w', uid: 'w', taskTypes: ['build'], tasks: [task] };
  const components = [{ type: 'file', name: 'main.c', 'bom-ref': 'source' }];
  const { steps } = read({
    metadata: { component: app },
    formulation: [{ components, workflows: [workflow] }],
  });
  expect(steps).toMatchObject([
    {
      inputs: [{ name: 'main.c' }, { reference: { namespace: 'https://example.com', name: 'repo.git' } }],
      outputs: [{ name: 'shop@2.0' }],
      facts: {
        name: 'build',
        started: '2026-01-31T12:00:00.000Z',
        duration: 90,
        environment: { CI: 'true', HOME: null },
        metadata: { uid: 'build-1', parameters: [{ name: 'level', value: '3' }] },
      },
    },
  ]);
});

test('vulnerabilities are part of the document about what they affect', () => {
  const analysis = { state: 'not_affected' };
  const { descriptions = [] } = read({
    metadata: { component: app },
    components: [library],
    vulnerabilities: [
      {
        id: 'CVE-1',
        affects: [{ ref: 'lib' }, { ref: 'urn:cdx:4e671687-395b-41f5-a30f-a58921a69b79/1#a%2Fb' }],
      },
      { id: 'CVE-2', affects: [{ ref: `${link}#lib` }], analysis },
      { id: 'CVE-3' },
    ],
  });
  expect(descriptions.map(({ about, document }) => [about.name ?? about.reference, document])).toMatchObject([
    ['shop@2.0', { name: 'shop@2.0', vulnerabilities: [{ id: 'CVE-3' }] }],
    [
      'org.acme/lib@1',
      { component: { name: 'lib' }, vulnerabilities: [{ id: 'CVE-1' }, { id: 'CVE-2', analysis }] },
    ],
    [
      { namespace: 'urn:cdx:4e671687-395b-41f5-a30f-a58921a69b79/1', name: 'a/b' },
      { vulnerabilities: [{ id: 'CVE-1' }] },
    ],
  ]);
});

test('a task that names neither input nor output is no step, whatever its variables are', () => {
  const workflow = { uid: 'build', inputs: [{ environmentVars: [{ name: 'CI', value: 'true' }] }] };
  expect(read({ formulation: [{ workflows: [workflow] }] }).steps).toEqual([]);
});

test.each([
  [undefined, undefined, false],
  [[], undefined, true],
  [[], { components: [{ type: 'application', name: 'grype' }] }, true],
  [[], { components: [{ type: 'application', name: 'trivy' }] }, false],
  [[], [{ vendor: 'aquasecurity', name: 'trivy' }], false],
  [[{ id: 'CVE-2026-1' }], [{ vendor: 'aquasecurity', name: 'trivy' }], true],
])('vulnerabilities %j by the tools %j are listed: %s', (vulnerabilities, tools, listed) => {
  const evidence = read({ metadata: { component: app, tools }, vulnerabilities });
  expect(evidence.listsVulnerabilities).toBe(listed);
});
