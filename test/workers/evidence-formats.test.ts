import { expect, test } from 'vitest';
import { ServiceError } from '../../src/domain/errors.ts';
import type { Evidence } from '../../src/domain/integrity/evidence/evidence.ts';
import { readEvidence } from '../../src/domain/integrity/evidence/reading.ts';
import { formatLibraries } from '../../workers/evidence-formats/libraries.ts';
import { describeTestData, listTestData, readTestBytes } from '../test-data.ts';

async function read(file: Uint8Array | string): Promise<Evidence> {
  const { evidence } = await readEvidence(Buffer.from(file), 100, formatLibraries);
  expect(evidence).toHaveLength(1);
  return evidence[0] as Evidence;
}

async function refusal(file: Uint8Array | string): Promise<ServiceError> {
  const error = await read(file).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ServiceError);
  return error as ServiceError;
}

describeTestData('the test resources of CycloneDX', () => {
  const folder = ['interop', 'evidence', 'cyclonedx', 'tools', 'src', 'test', 'resources'];
  const resource = (name: string) => readTestBytes(...folder, ...name.split('/'));
  const files = ['1.6', '1.7'].flatMap((version) =>
    listTestData(...folder, version).map((name) => `${version}/${name}`),
  );

  test.each(files.filter((name) => /\/valid-.*(json|xml)$/.test(name)))('%s is taken', async (name) => {
    const { about, descriptions = [] } = await read(resource(name));
    expect(about.length + descriptions.length).toBeGreaterThan(0);
  });

  test.each(files.filter((name) => /\/invalid-.*(json|xml)$/.test(name)))('%s is refused', async (name) => {
    const { code, message, details } = await refusal(resource(name));
    expect(code).toBe('invalid_evidence');
    expect(message).toMatch(/^CycloneDX 1\.[67] does not allow|^Line \d+ of the XML: |^The XML is <bom>/);
    if (name.endsWith('.json')) expect(details).toMatchObject([{ pointer: expect.stringContaining('/') }]);
  });

  /** Their XML and JSON say different things. */
  const unlike = /component-external-with-version|metadata-timestamp/;
  const pairs = files.filter((name) => /\/valid-.*json$/.test(name) && files.includes(inXml(name)));
  test.each(pairs.filter((name) => !unlike.test(name)))('%s says the same in XML', async (name) => {
    const [json, xml] = await Promise.all([read(resource(name)), read(resource(inXml(name)))]);
    expect(compared(xml)).toBe(compared(json));
  });
});

function inXml(name: string): string {
  return name.replace(/json$/, 'xml');
}

/** Without documents about things, and without digests of the file itself. */
function compared(evidence: Evidence): string {
  const descriptions = evidence.descriptions?.map(({ about, document }) => [about, document.name]);
  return JSON.stringify({ ...evidence, descriptions }).replaceAll(/[0-9a-f]{64}/g, '');
}

describeTestData('the examples of SPDX', () => {
  const examples = [
    'dataset/example01/spdx3.0/example01.spdx3.json',
    'software/example11/spdx2.3/sbom.spdx.json',
    'software/example12/spdx2.2/hello-src.spdx.json',
    'software/example14/content/examplemaven-0.0.1.spdx.json',
    'software/example14/content/examplemaven-0.0.1.spdx3.json',
    'software/example3/spdx3.0/example3-bin.json',
    'software/example5/spdx3.0/example5-src.json',
    'software/example6/spdx3.0/example6-lib.json',
    'software/example7/spdx2.2/example7-bin.spdx.json',
    'software/example7/spdx2.2/example7-golang.spdx.json',
    'software/example7/spdx3.0/example7-bin.spdx3.json',
    'software/example7/spdx3.0/example7-go-module.spdx3.json',
    'software/example8/spdx2.3/examplemaven-0.0.1.spdx.json',
    'software/example9/spdx2.2/appbomination.spdx.json',
    'software/example9/spdx3.0/appbomination.spdx3.json',
  ];

  test.each(examples)('%s is taken', async (name) => {
    const { about } = await read(readTestBytes('interop', 'evidence', 'spdx', ...name.split('/')));
    expect(about[0]?.name).toEqual(expect.any(String));
  });
});

const bom = (inside: string, before = '') =>
  `<?xml version="1.0"?>${before}<bom xmlns="http://cyclonedx.org/schema/bom/1.6" version="1">${inside}</bom>`;

test.each([
  ['a DTD', bom('', '<!DOCTYPE bom>'), 'Line 1 of the XML: it has a DOCTYPE.'],
  ['an external entity', bom('&a;', '<!DOCTYPE bom [<!ENTITY a SYSTEM "file:///etc/passwd">]>'), 'a DOCTYPE'],
  ['an external DTD', bom('', '<!DOCTYPE bom SYSTEM "http://localhost/bom.dtd">'), 'a DOCTYPE'],
  ['an unknown entity', bom('&a;'), 'undefined entity'],
  ['an open element', bom('<components>'), 'unexpected close tag'],
  ['no element', '<?xml version="1.0"?>', 'must contain a root element'],
  ['another encoding', bom('').replace('?>', ' encoding="ISO-8859-1"?>'), 'the encoding is ISO-8859-1.'],
  ['another root', '<project xmlns="http://maven.apache.org/POM/4.0.0"/>', 'only CycloneDX is read'],
  ['an unknown kind of component', bom('<components><component type="x"/></components>'), "'framework',"],
  ['deep elements', bom('<a>'.repeat(200) + '</a>'.repeat(200)), 'more than 100 levels deep'],
])('XML with %s is refused', async (_, xml, reason) => {
  expect(await refusal(xml)).toMatchObject({
    code: 'invalid_evidence',
    message: expect.stringContaining(reason),
  });
});

const component = { type: 'file', name: 'a', 'bom-ref': 'a' };
const short = [{ alg: 'SHA-256', content: 'ab'.repeat(16) }];

test.each([
  ['an old version', { specVersion: '1.3' }, '"1.3" is no version of CycloneDX that is read here'],
  ['no version', {}, 'specVersion is missing. Cairn reads 1.4'],
  ['an unknown member', { specVersion: '1.6', parts: [] }, 'it has the unknown member "parts"'],
  [
    'a component twice',
    {
      specVersion: '1.6',
      components: [
        { type: 'file', name: 'a' },
        { name: 'a', type: 'file' },
      ],
    },
    'no item twice',
  ],
  [
    'an unknown licence',
    { specVersion: '1.6', components: [{ ...component, licenses: [{ license: { id: 'Apache 2' } }] }] },
    'it is "Apache 2", and must be equal to one of the allowed values: 0BSD',
  ],
  [
    'a date that is none',
    { specVersion: '1.6', metadata: { timestamp: 'yesterday' } },
    'it is "yesterday", and must match format "date-time"',
  ],
  ['a bom-ref twice', { specVersion: '1.6', components: [component, { ...component, name: 'b' }] }, 'twice'],
  ['a short digest', { specVersion: '1.6', components: [{ ...component, hashes: short }] }, 'has 64 hexa'],
])('CycloneDX with %s is refused', async (_, members, reason) => {
  const file = JSON.stringify({ bomFormat: 'CycloneDX', version: 1, ...members });
  expect(await refusal(file)).toMatchObject({
    code: 'invalid_evidence',
    message: expect.stringContaining(reason),
  });
});

test.each([
  ['in its package URL', { purl: `pkg:oci/app@sha256%3A${'ab'.repeat(32)}?arch=amd64` }],
  ['as its version', { version: `sha256:${'ab'.repeat(32)}` }],
])('the bill of materials of an image that has its digest %s meets this digest', async (_, members) => {
  const image = { type: 'container', 'bom-ref': 'image', name: 'r.example/app', ...members };
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component: image } };
  const { about, wholes } = await read(JSON.stringify({ ...bom, components: [component] }));
  const digests = { sha256: 'ab'.repeat(32) };
  expect(about).toMatchObject([{ name: expect.stringContaining('r.example/app') }, { digests }]);
  expect(wholes).toEqual([
    { whole: about[0], parts: [expect.objectContaining({ name: component.name })] },
    { whole: { digests }, parts: [about[0], expect.objectContaining({ name: component.name })] },
  ]);
});

test('a file in the text format of protobuf is refused', async () => {
  const { code, message } = await refusal('spec_version: "1.6"\nversion: 1');
  expect([code, message]).toEqual(['invalid_json', expect.stringContaining('neither JSON nor XML')]);
});
