import { expect, test } from 'vitest';
import type { Evidence } from '../../../src/domain/integrity/evidence/evidence.ts';
import { cyclonedx } from '../../../src/domain/integrity/evidence/sbom/cyclonedx.ts';
import { cidOf, codecs } from '../../../src/domain/integrity/identifiers/cid.ts';
import { billFacts } from '../../../src/domain/integrity/policies/gathering/bill-facts.ts';

async function factsOf(members: object) {
  const component = { type: 'application', name: 'app', 'bom-ref': 'app' };
  const bill = { bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component }, ...members };
  const bytes = Buffer.from(JSON.stringify(bill));
  const evidence = cyclonedx.read(JSON.parse(bytes.toString()), 'b3'.repeat(32)) as Evidence;
  return await billFacts(
    {
      documents: async () => [bytes],
      evidenceReader: { read: async () => ({ kind: 'cyclonedx', evidence: [evidence] }) },
    },
    [{ file: cidOf(codecs.raw, bytes).text, statement: 'urn:cid:statement' }],
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
