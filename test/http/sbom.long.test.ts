import { expect, test } from 'vitest';
import { cidUrn, codecs, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { did } from '../builders/statements.ts';
import { postEvidence } from './evidence-samples.ts';
import { newGraph } from './manifest-samples.ts';
import { send, useService } from './service.ts';

const service = useService();
const digest = (digit: string) => digit.repeat(64);
const artefact = (digit: string) =>
  cidUrn(makeCid(codecs.raw, Buffer.from(digest(digit), 'hex'), 'sha2-256'));

const app = { type: 'application', name: 'shop', version: '2.0', 'bom-ref': 'app', hashes: hash('a') };
const library = { type: 'library', name: 'lib', version: '1', 'bom-ref': 'lib', purl: 'pkg:npm/lib@1' };
const corpus = { type: 'data', name: 'corpus', 'bom-ref': 'corpus', hashes: hash('c') };

function hash(digit: string) {
  return [{ alg: 'SHA-256', content: digest(digit) }];
}

function bom(members: object) {
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component: app } };
  return JSON.stringify({ ...bom, ...members });
}

interface Lineage {
  readonly nodes: readonly { readonly id: string; readonly name: string | null }[];
  readonly truncated: boolean;
}

async function importInto(
  file: string,
): Promise<{ graph: string; blob: string; lineage: (of: string) => Promise<Lineage> }> {
  const graph = await newGraph(service);
  const { status, json } = await postEvidence(service, file, `?graph_id=${graph}&registered_by=${did}`);
  expect(status, JSON.stringify(json)).toBe(201);
  const lineage = async (of: string) =>
    (await send(service, 'GET', `/lineage/v1/${of}?graph_id=${graph}&direction=upstream&depth=10`)).json;
  return { graph, blob: json.blob, lineage };
}

const names = ({ nodes }: Lineage) => nodes.map(({ name }) => name);

test('the lineage of a product has its components by name, and search finds them', async () => {
  const model = { type: 'machine-learning-model', name: 'ranker', 'bom-ref': 'ranker', hashes: hash('e') };
  const modelCard = { modelParameters: { datasets: [{ ref: 'corpus' }] } };
  const { graph, lineage } = await importInto(
    bom({
      components: [library, { ...model, modelCard }, corpus],
      dependencies: [{ ref: 'lib', dependsOn: [] }],
    }),
  );
  const found = await lineage(artefact('a'));
  expect(names(found)).toEqual(expect.arrayContaining(['shop@2.0', 'lib@1', 'ranker', 'corpus']));
  const { runs } = (await send(service, 'GET', `/runs/v1?graph_id=${graph}`)).json;
  expect(runs).toMatchObject([
    { name: 'Training of ranker', outputs: [{ id: artefact('e'), name: 'ranker' }] },
  ]);
  const { artefacts } = (await send(service, 'GET', '/search/v1?q=lib%401')).json;
  expect(artefacts.items).toMatchObject([{ name: 'lib@1' }]);
});

test('the same bill of materials in XML gives the same things', async () => {
  const { lineage } = await importInto(`<?xml version="1.0"?>
    <bom xmlns="http://cyclonedx.org/schema/bom/1.6" version="1">
      <metadata><component type="application" bom-ref="app"><name>shop</name><version>2.0</version>
        <hashes><hash alg="SHA-256">${digest('a')}</hash></hashes></component></metadata>
      <components><component type="library" bom-ref="lib"><name>lib</name><version>1</version>
        <purl>pkg:npm/lib@1</purl></component></components>
    </bom>`);
  expect(names(await lineage(artefact('a')))).toEqual(expect.arrayContaining(['shop@2.0', 'lib@1']));
});

test('the lineage of components that depend on each other ends', async () => {
  const dependencies = [
    { ref: 'app', dependsOn: ['lib'] },
    { ref: 'lib', dependsOn: ['app'] },
  ];
  const { lineage } = await importInto(bom({ components: [library], dependencies }));
  const found = await lineage(artefact('a'));
  expect(names(found)).toEqual(expect.arrayContaining(['shop@2.0', 'lib@1']));
  expect(found.truncated).toBe(false);
});

test('the lineage of a product with very many components says that it is truncated, and has what else is known', async () => {
  const components = Array.from({ length: 1_000 }, (_, at) => ({ type: 'file', name: `file ${at}` }));
  const { blob, lineage } = await importInto(bom({ components }));
  const { nodes, truncated } = await lineage(artefact('a'));
  expect(truncated).toBe(true);
  expect(nodes.map(({ id }) => id)).toContain(`urn:cid:${blob}`);
});

test('a package that two documents name by its package URL is one thing', async () => {
  const externalRefs = [
    { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: 'pkg:npm/lib@1' },
  ];
  const checksums = [{ algorithm: 'SHA256', checksumValue: digest('f') }];
  const spdx = {
    spdxVersion: 'SPDX-2.3',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: 'lib',
    dataLicense: 'CC0-1.0',
    documentNamespace: 'https://example.com/lib',
    documentDescribes: ['SPDXRef-lib'],
    creationInfo: { created: '2026-01-31T12:00:00Z', creators: ['Tool: test'] },
    packages: [
      {
        SPDXID: 'SPDXRef-lib',
        name: 'lib',
        downloadLocation: 'NONE',
        externalRefs,
        hasFiles: ['SPDXRef-file'],
      },
    ],
    files: [{ SPDXID: 'SPDXRef-file', fileName: './index.js', checksums }],
  };
  const { graph, lineage } = await importInto(bom({ components: [library] }));
  const { status, json } = await postEvidence(service, spdx, `?graph_id=${graph}`);
  expect([status, json.kind]).toEqual([201, 'spdx-2']);
  const part = (await lineage(artefact('a'))).nodes.find(({ name }) => name === 'lib');
  const { nodes } = await lineage(part?.id ?? '');
  expect(nodes.map(({ id }) => id)).toEqual(expect.arrayContaining([artefact('a'), artefact('f')]));
});

test.each([
  ['an invalid component', bom({ components: [{ type: 'thing', name: 'a' }] }), '/components/0/type'],
  ['an old version', bom({ specVersion: '1.2' }), '/specVersion'],
  ['a DTD', '<!DOCTYPE bom><bom xmlns="http://cyclonedx.org/schema/bom/1.6"/>', undefined],
])('a file with %s is refused with the place', async (_, file, pointer) => {
  const { status, json } = await postEvidence(service, file);
  expect([status, json.code, json.details?.[0]?.pointer]).toEqual([400, 'invalid_evidence', pointer]);
});

test('lines of a file can be bills of materials', async () => {
  const lines = `${bom({ components: [library] })}\n${bom({ specVersion: '2' })}\n`;
  const { json } = await postEvidence(service, lines);
  expect(json.results).toMatchObject([
    { line: 1, kind: 'cyclonedx' },
    { line: 2, pointer: '/specVersion' },
  ]);
});
