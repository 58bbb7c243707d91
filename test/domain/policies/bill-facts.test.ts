import { expect, test, vi } from 'vitest';
import type { Evidence } from '../../../src/domain/integrity/evidence/evidence.ts';
import { cyclonedx } from '../../../src/domain/integrity/evidence/sbom/cyclonedx.ts';
import { spdx3 } from '../../../src/domain/integrity/evidence/sbom/spdx-3.ts';
import { cidOf, codecs } from '../../../src/domain/integrity/identifiers/cid.ts';
import { billFacts } from '../../../src/domain/integrity/policies/gathering/bill-facts.ts';
import { billReader } from '../../../src/domain/integrity/policies/gathering/read-bill.ts';
import { remembering } from '../../../src/domain/integrity/policies/gathering/remembered-bills.ts';
import type { JsonObject } from '../../../src/domain/json/is-object.ts';

async function factsOf(members: object) {
  const component = { type: 'application', name: 'app', 'bom-ref': 'app' };
  return await factsIn({ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component }, ...members });
}

async function factsIn(bill: JsonObject, kind = cyclonedx, statements = ['urn:cid:statement']) {
  const bytes = Buffer.from(JSON.stringify(bill));
  const evidence = kind.read(JSON.parse(bytes.toString()), 'b3'.repeat(32)) as Evidence;
  return await billFacts(
    {
      documents: async () => [bytes],
      readBill: billReader({ read: async () => ({ kind: kind.name, evidence: [evidence] }) }),
    },
    statements.map((statement) => ({ file: cidOf(codecs.raw, bytes).text, statement })),
  );
}

test.each([
  ['critical', [{ severity: 'low' }, { severity: 'critical' }]],
  ['critical', [{ score: 9.8, method: 'CVSSv31' }]],
  ['critical', [{ severity: 'unknown', score: 9, method: 'CVSSv4' }]],
  ['high', [{ score: 10, method: 'CVSSv2' }]],
  ['medium', [{ severity: 'medium', score: 9.8, method: 'CVSSv31' }]],
  ['low', [{ score: 0.1, method: 'CVSSv3' }]],
  ['none', [{ score: 0, method: 'CVSSv3' }]],
  ['unknown', [{ score: 9.8, method: 'other' }]],
  ['unknown', []],
])('a vulnerability is %s by the ratings %j', async (severity, ratings) => {
  const { vulnerabilities } = await factsOf({
    vulnerabilities: [{ id: 'CVE-1', ratings, affects: [{ ref: 'app' }] }],
  });
  expect(vulnerabilities?.map((one) => one.severity)).toEqual([severity]);
});

test('the licenses of a component are unknown if nobody says them, and none if somebody says so', async () => {
  const licenses = [[{ license: { id: 'MIT' } }], [], undefined];
  const components = licenses.map((one, at) => ({ type: 'library', name: `lib${at}`, licenses: one }));
  const { components: found } = await factsOf({ components });
  expect(found?.map((one) => one.licenses)).toEqual([['MIT'], undefined, undefined]);
});

test('SPDX 3 says licenses and severities by relationships', async () => {
  const created = '2026-01-31T12:00:00Z';
  const creationInfo = { type: 'CreationInfo', specVersion: '3.0.1', created, createdBy: ['urn:x:ada'] };
  const element = (spdxId: string, type: string, more: object = {}) => ({
    spdxId,
    type,
    creationInfo,
    ...more,
  });
  const relation = (from: string, relationshipType: string, to: string) =>
    element(`${from}#${relationshipType}`, 'Relationship', { from, relationshipType, to: [to] });
  const { components, vulnerabilities } = await factsIn(
    {
      '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
      '@graph': [
        element('urn:x:doc', 'SpdxDocument', { rootElement: ['urn:x:app'] }),
        element('urn:x:app', 'software_Package', { name: 'app' }),
        element('urn:x:lib', 'software_Package', { name: 'lib' }),
        element('urn:x:cve', 'security_Vulnerability', { name: 'CVE-1' }),
        relation('urn:x:app', 'dependsOn', 'urn:x:lib'),
        relation('urn:x:lib', 'hasDeclaredLicense', 'https://spdx.org/licenses/MIT'),
        {
          ...relation('urn:x:cve', 'hasAssessmentFor', 'urn:x:lib'),
          type: 'security_CvssV4VulnAssessmentRelationship',
          security_severity: 'critical',
        },
      ],
    },
    spdx3,
  );
  expect(components).toMatchObject([{ name: 'lib', licenses: ['MIT'] }]);
  expect(vulnerabilities).toMatchObject([{ id: 'CVE-1', severity: 'critical' }]);
});

test('what scans of many nights list alike is one fact of all of them', async () => {
  const nights = Array.from({ length: 365 }, (_, night) => `urn:cid:night-${night}`);
  const library = { type: 'library', name: 'lib', version: '1.0' };
  const found = { id: 'CVE-1', ratings: [{ severity: 'low' }], affects: [{ ref: 'app' }] };
  const component = { type: 'application', name: 'app', 'bom-ref': 'app' };
  const bill = { bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component } };
  const components = [
    { ...library, 'bom-ref': 'one' },
    { ...library, 'bom-ref': 'two' },
  ];
  const facts = await factsIn({ ...bill, components, vulnerabilities: [found] }, cyclonedx, nights);
  expect(facts.vulnerabilities).toEqual([{ id: 'CVE-1', severity: 'low', state: '', statements: nights }]);
  // One file may list something several times.
  expect(facts.components?.map(({ name, statements }) => [name, statements])).toEqual([
    ['lib', nights],
    ['lib', nights],
  ]);
});

test('a file that is checked again is not read again', async () => {
  const read = vi.fn(async () => ({ components: [], vulnerabilities: [], listsVulnerabilities: true }));
  const remembered = remembering(read);
  const bytes = Buffer.from('bill');
  const file = cidOf(codecs.raw, bytes);
  expect(await remembered(file, bytes)).toEqual(await remembered(file, bytes));
  expect(read).toHaveBeenCalledOnce();
});
