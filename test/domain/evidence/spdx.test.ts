import { expect, test } from 'vitest';
import {
  type Evidence,
  EvidenceProblem,
  type Thing,
} from '../../../src/domain/integrity/evidence/evidence.ts';
import { spdx2 } from '../../../src/domain/integrity/evidence/sbom/spdx-2.ts';
import { spdx3 } from '../../../src/domain/integrity/evidence/sbom/spdx-3.ts';

const blake3 = 'b3'.repeat(32);
const sha256 = 'ab'.repeat(32);
const names = (things: readonly Thing[] = []) => things.map(({ name, reference }) => name ?? reference?.name);
const wholes = ({ wholes = [] }: Evidence) => wholes.map(({ whole, parts }) => [whole.name, names(parts)]);
const steps = ({ steps = [] }: Evidence) =>
  steps.map(({ inputs, outputs, facts }) => [facts.name, names(inputs), names(outputs)]);

const document2 = {
  spdxVersion: 'SPDX-2.3',
  SPDXID: 'SPDXRef-DOCUMENT',
  name: 'app',
  dataLicense: 'CC0-1.0',
  documentNamespace: 'https://example.com/app',
  creationInfo: { created: '2026-01-31T12:00:00Z', creators: ['Tool: test'] },
};
const pack = (name: string, members = {}) => ({
  SPDXID: `SPDXRef-${name}`,
  name,
  downloadLocation: 'NONE',
  ...members,
});
const relation = (first: string, type: string, second: string) => ({
  spdxElementId: first.includes(':') ? first : `SPDXRef-${first}`,
  relationshipType: type,
  relatedSpdxElement: second.includes(':') ? second : `SPDXRef-${second}`,
});

function read2(members: Readonly<Record<string, unknown>>): Evidence {
  return spdx2.read({ ...document2, ...members }, blake3) as Evidence;
}

test('relationships of SPDX 2 say what a package is made of and from, and leave out tests', () => {
  const evidence = read2({
    packages: [pack('app', { versionInfo: '1' }), pack('lib'), pack('junit'), pack('src'), pack('gcc')],
    files: [
      {
        SPDXID: 'SPDXRef-f',
        fileName: './f',
        checksums: [
          { algorithm: 'SHA1', checksumValue: 'a'.repeat(40) },
          { algorithm: 'SHA256', checksumValue: sha256 },
        ],
      },
    ],
    externalDocumentRefs: [
      {
        externalDocumentId: 'DocumentRef-os',
        spdxDocument: 'https://example.com/os',
        checksum: { algorithm: 'SHA1', checksumValue: 'a'.repeat(40) },
      },
    ],
    relationships: [
      relation('DOCUMENT', 'DESCRIBES', 'app'),
      relation('app', 'DEPENDS_ON', 'lib'),
      relation('f', 'CONTAINED_BY', 'app'),
      relation('junit', 'TEST_DEPENDENCY_OF', 'app'),
      relation('app', 'GENERATED_FROM', 'src'),
      relation('gcc', 'BUILD_TOOL_OF', 'app'),
      relation('lib', 'DYNAMIC_LINK', 'DocumentRef-os:SPDXRef-libc'),
    ],
  });
  expect(names(evidence.about)).toEqual(['app@1']);
  expect(wholes(evidence)).toEqual([
    ['app@1', ['lib', './f']],
    ['lib', ['SPDXRef-libc']],
  ]);
  expect(evidence.wholes?.[0]?.parts).toMatchObject([
    { reference: { namespace: 'https://example.com/app', name: 'SPDXRef-lib' } },
    { digests: { sha256 } },
  ]);
  expect(evidence.wholes?.[1]?.parts).toMatchObject([{ reference: { namespace: 'https://example.com/os' } }]);
  expect(steps(evidence)).toEqual([['Build of app@1', ['src', 'gcc'], ['app@1']]]);
});

test('a package of SPDX 2 without a digest is known by its package URL', () => {
  const externalRefs = [
    { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: 'pkg:npm/a@1' },
  ];
  const { wholes = [] } = read2({ packages: [pack('a', { externalRefs })] });
  expect(wholes).toMatchObject([
    { whole: { digests: { blake3 } }, parts: [{ reference: { namespace: 'pkg', name: 'pkg:npm/a@1' } }] },
  ]);
});

test.each([
  ['another version', { spdxVersion: 'SPDX-2.1' }, '/spdxVersion', '"SPDX-2.1"'],
  ['no namespace', { documentNamespace: undefined }, '/documentNamespace', 'is missing'],
  [
    'no creators',
    { creationInfo: { created: '2026-01-31T12:00:00Z' } },
    '/creationInfo/creators',
    'is missing',
  ],
  [
    'an unknown relationship',
    { relationships: [relation('a', 'LIKES', 'b')] },
    '/relationships/0/relationshipType',
    'LIKES',
  ],
  [
    'a file without checksum',
    { files: [{ SPDXID: 'SPDXRef-f', fileName: 'f', checksums: [] }] },
    '/files/0/checksums',
    '',
  ],
  ['an id twice', { packages: [pack('a'), pack('a')] }, '/packages/1/SPDXID', 'twice'],
  [
    'an empty checksum',
    { packages: [pack('a', { checksums: [{ algorithm: 'SHA256', checksumValue: '' }] })] },
    '/packages/0/checksums/0',
    'no SHA256 digest',
  ],
])('SPDX 2 with %s is refused', (_, members, place, reason) => {
  const problem = refusal(() => read2(members));
  expect(problem).toMatchObject({ place, message: expect.stringContaining(reason) });
});

function refusal(read: () => unknown): unknown {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(EvidenceProblem);
    return error;
  }
  return undefined;
}

const info = {
  '@id': '_:info',
  type: 'CreationInfo',
  specVersion: '3.0.1',
  created: '2026-01-31T12:00:00Z',
  createdBy: ['urn:me'],
};
const element = (id: string, type: string, members = {}) => ({
  spdxId: `urn:x:${id}`,
  type,
  creationInfo: '_:info',
  name: id,
  ...members,
});
const relation3 = (from: string, relationshipType: string, to: string[], members = {}) =>
  element(`${from}-${relationshipType}-${to}`, 'Relationship', {
    from: `urn:x:${from}`,
    relationshipType,
    to: to.map((id) => `urn:x:${id}`),
    ...members,
  });
const root = element('doc', 'SpdxDocument', { rootElement: ['urn:x:sbom'] });
const sbom = element('sbom', 'software_Sbom', { rootElement: ['urn:x:model'] });

function read3(...elements: Readonly<Record<string, unknown>>[]): Evidence {
  const graph = {
    '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
    '@graph': [info, root, sbom, ...elements],
  };
  return spdx3.read(graph, blake3) as Evidence;
}

test('SPDX 3 says which build and which data a model comes from', () => {
  const evidence = read3(
    element('model', 'ai_AIPackage', {
      software_packageVersion: '2',
      verifiedUsing: [
        { type: 'Hash', algorithm: 'sha256', hashValue: sha256 },
        { type: 'PackageVerificationCode', algorithm: 'sha1', hashValue: 'a'.repeat(40) },
      ],
    }),
    element('corpus', 'dataset_DatasetPackage'),
    element('exam', 'dataset_DatasetPackage'),
    element('lib', 'software_Package', { software_packageUrl: 'pkg:pypi/lib@1' }),
    element('train.py', 'software_File'),
    element('pytest', 'software_Package'),
    element('job', 'build_Build', {
      build_buildType: 'https://example.com/job',
      build_buildStartTime: '2026-01-31T12:00:00Z',
      build_buildEndTime: '2026-01-31T12:00:10Z',
      build_parameter: [{ type: 'DictionaryEntry', key: 'epochs', value: '3' }],
    }),
    relation3('model', 'trainedOn', ['corpus']),
    relation3('model', 'testedOn', ['exam']),
    relation3('model', 'dependsOn', ['lib']),
    relation3('model', 'dependsOn', ['pytest'], { type: 'LifecycleScopedRelationship', scope: 'test' }),
    relation3('job', 'hasInput', ['train.py']),
    relation3('job', 'hasOutput', ['model']),
    relation3('job', 'usesTool', ['python']),
    relation3('job', 'hasHost', ['runner']),
    element('python', 'Tool'),
    element('runner', 'software_Package'),
  );
  expect(evidence.about).toMatchObject([{ name: 'model@2', digests: { sha256 } }]);
  expect(evidence.about[0]?.digests).toEqual({ sha256 });
  expect(wholes(evidence)).toEqual([['model@2', ['lib']]]);
  expect(evidence.wholes?.[0]?.parts[0]?.reference).toEqual({ namespace: 'pkg', name: 'pkg:pypi/lib@1' });
  expect(steps(evidence)).toEqual([
    ['job', ['train.py'], ['model@2']],
    ['Training of model@2', ['corpus'], ['model@2']],
  ]);
  expect(evidence.steps?.[0]).toMatchObject({
    program: { name: 'python' },
    machine: 'runner',
    facts: { started: '2026-01-31T12:00:00Z', duration: 10, metadata: { parameters: { epochs: '3' } } },
  });
});

test('an element of SPDX 3 that stands for none is no part, with its IRI or its name', () => {
  const evidence = read3(
    element('app', 'software_Package'),
    element('lib', 'software_Package'),
    relation3('app', 'dependsOn', [], { to: ['NoAssertionElement', 'urn:x:lib'] }),
    relation3('lib', 'dependsOn', [], { to: ['https://spdx.org/rdf/3.0.1/terms/Core/NoneElement'] }),
  );
  expect(wholes(evidence)).toEqual([['app', ['lib']]]);
});

test('licenses and ratings of SPDX 3 are part of the document about what has them', () => {
  const expression = { simplelicensing_licenseExpression: 'MIT OR Apache-2.0' };
  const { descriptions } = read3(
    element('lib', 'software_Package'),
    element('either', 'simplelicensing_LicenseExpression', expression),
    element('CVE-1', 'security_Vulnerability'),
    relation3('lib', 'hasDeclaredLicense', [], { to: ['https://spdx.org/licenses/MIT'] }),
    relation3('lib', 'hasConcludedLicense', ['either']),
    relation3('lib', 'hasConcludedLicense', [], { to: ['expandedlicensing_NoAssertionLicense'] }),
    relation3('CVE-1', 'hasAssessmentFor', ['lib'], {
      type: 'security_CvssV3VulnAssessmentRelationship',
      security_severity: 'critical',
    }),
  );
  expect(descriptions).toMatchObject([
    {
      document: {
        licenses: [{ expression: 'MIT' }, { expression: 'MIT OR Apache-2.0' }, { expression: 'NOASSERTION' }],
        vulnerabilities: [{ name: 'CVE-1', assessment: { security_severity: 'critical' } }],
      },
    },
  ]);
});

test('assessments of vulnerabilities are part of the document about what they assess', () => {
  const { descriptions } = read3(
    element('model', 'ai_AIPackage'),
    element('CVE-1', 'security_Vulnerability'),
    relation3('CVE-1', 'doesNotAffect', ['model'], {
      type: 'security_VexNotAffectedVulnAssessmentRelationship',
      security_justificationType: 'componentNotPresent',
    }),
    relation3('model', 'hasAssociatedVulnerability', ['CVE-1']),
  );
  expect(descriptions).toMatchObject([
    {
      about: { name: 'model' },
      document: {
        name: 'model',
        model: { type: 'ai_AIPackage' },
        vulnerabilities: [
          { name: 'CVE-1', assessment: { relationshipType: 'doesNotAffect' } },
          { name: 'CVE-1' },
        ],
      },
    },
  ]);
});

test.each([
  [
    'no creationInfo',
    element('a', 'software_File', { creationInfo: undefined }),
    '/@graph/3/creationInfo',
    'is missing',
  ],
  ['an unknown creationInfo', element('a', 'software_File', { creationInfo: '_:other' }), '', '"_:other"'],
  ['a relationship to nothing', relation3('model', 'contains', []), '/@graph/3/to', ''],
  ['an unknown relationship', relation3('model', 'likes', ['a']), '/@graph/3/relationshipType', '"likes"'],
  [
    'an unknown algorithm',
    element('a', 'software_File', { verifiedUsing: [{ type: 'Hash', algorithm: 'rot13', hashValue: 'a' }] }),
    '/@graph/3/verifiedUsing/0',
    'known algorithm',
  ],
  [
    'a short digest',
    element('a', 'software_File', {
      verifiedUsing: [{ type: 'Hash', algorithm: 'sha256', hashValue: 'ab' }],
    }),
    '/@graph/3/verifiedUsing/0',
    'has 64 hexadecimal digits',
  ],
  ['an id twice', element('doc', 'software_File'), '/@graph/3/spdxId', 'twice'],
])('SPDX 3 with %s is refused', (_, wrong, place, reason) => {
  const problem = refusal(() => read3(wrong));
  expect(problem).toMatchObject({ place, message: expect.stringContaining(reason) });
});
