import { expect, test } from 'vitest';
import { readEvidence } from '../../../src/domain/integrity/evidence/reading.ts';
import { derive } from '../../../src/domain/integrity/evidence/statements.ts';

const libraries = {
  fromXml: () => Promise.reject(new TypeError('no XML')),
  assertFollows: () => Promise.resolve(),
};
const digest = (at: number) => ({ sha256: at.toString(16).padStart(64, '0') });

test('a file that says very many things is refused before statements are made of it', async () => {
  const file = (count: number) =>
    Buffer.from(
      JSON.stringify({
        _type: 'https://in-toto.io/Statement/v1',
        subject: Array.from({ length: count }, (_, at) => ({ digest: digest(at) })),
        predicateType: 'https://example.com/scan',
      }),
    );
  const { evidence } = await readEvidence(file(10), 64, libraries);
  expect(evidence[0]?.descriptions).toHaveLength(10);
  await expect(readEvidence(file(150_001), 64, libraries)).rejects.toMatchObject({
    code: 'too_complex',
    message: 'The file says 300002 things. At most 300000 are taken. Split it.',
  });
});

test('a document about many things is written once', async () => {
  let reads = 0;
  const document = {
    get results() {
      reads += 1;
      return [];
    },
  };
  const about = Array.from({ length: 100 }, (_, at) => ({ digests: digest(at) }));
  const descriptions = about.map((one) => ({ about: one, document }));
  const by = { registeredBy: 'did:web:example.com', time: new Date(0) };
  const { statements, documents } = await derive({ about, descriptions }, by, () => Promise.resolve([]));
  expect([statements.length, documents.length]).toEqual([100, 1]);
  expect(reads).toBeLessThan(10);
});
