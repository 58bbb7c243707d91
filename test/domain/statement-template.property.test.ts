import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { ContextWorld, contextDocument } from '../../src/domain/integrity/contexts/world.ts';
import { StatementTemplates } from '../../src/domain/integrity/identification/statement-template.ts';
import { oddContext, oddTypes } from '../builders/odd-contexts.ts';
import { type FlatValue, oddNames, statementTwins } from '../builders/statement-twins.ts';
import type { Json } from '../builders/statements.ts';
import { runs } from '../property-runs.ts';
import { describeTestData, listTestData, readTestText } from '../test-data.ts';
import { compare } from './template-comparison.ts';

const context = 'https://example.com/context';

async function checkAll(world: ContextWorld, forms: fc.Arbitrary<Json[]>, numRuns: number): Promise<number> {
  const templates = new StatementTemplates(world);
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(forms, async (documents) => {
      for (const document of documents) if (await compare(templates, world, document)) answered += 1;
    }),
    { numRuns: runs(numRuns) },
  );
  return answered;
}

describe('N-Quads by template equal those of jsonld', () => {
  test('in the own context', async () => {
    const names = [
      'registeredBy',
      'timestamp',
      'data',
      'did',
      'entity',
      'subject',
      'association',
      'type',
      'storedOn',
      'operatedBy',
      'input',
      'output',
      'executedOn',
      'sigstoreBundle',
      ...oddNames,
    ];
    const types = fc.constantFrom<FlatValue | undefined>(
      undefined,
      'AssociationRegistration',
      'DataRegistration',
      'ComputationRegistration',
      'CredentialRegistration',
      'Unknown',
      ['DataRegistration', 'EntityRegistration'],
      ['https://example.com/Type'],
    );
    const forms = statementTwins(ownContextUrl, types, names);
    expect(await checkAll(ContextWorld.bundled(), forms, 600)).toBeGreaterThan(50);
  });

  test('in the credentials context', async () => {
    const names = [
      'id',
      'type',
      'issuer',
      'name',
      'description',
      'validFrom',
      'credentialSubject',
      'evidence',
      'relatedResource',
      'termsOfUse',
      'proof',
      'digestSRI',
      ...oddNames,
    ];
    const types = fc.constantFrom<FlatValue | undefined>(undefined, 'VerifiableCredential', [
      'VerifiablePresentation',
    ]);
    const forms = statementTwins('https://www.w3.org/ns/credentials/v2', types, names);
    expect(await checkAll(ContextWorld.bundled(), forms, 200)).toBeGreaterThan(10);
  });
});

test('N-Quads by template equal those of jsonld in a context that keeps everything', async () => {
  const terms = {
    '@version': 1.1,
    '@vocab': 'http://vocab.example/',
    '@language': 'en',
    link: { '@type': '@id' },
    list: { '@container': '@list' },
    words: { '@container': '@language' },
    graph: { '@container': '@graph' },
    double: { '@type': 'http://www.w3.org/2001/XMLSchema#double' },
    whole: { '@type': 'http://www.w3.org/2001/XMLSchema#integer' },
    json: { '@type': '@json' },
    back: { '@reverse': 'http://vocab.example/forth' },
    id: '@id',
    type: '@type',
  };
  const world = new ContextWorld([contextDocument(context, JSON.stringify({ '@context': terms }))]);
  const names = ['a', 'b', 'c', ...Object.keys(terms).filter((name) => !name.startsWith('@'))];
  const types = fc.constantFrom<FlatValue | undefined>(undefined, 'Type', ['Type', 'urn:cid:x']);
  expect(await checkAll(world, statementTwins(context, types, names), 1_500)).toBeGreaterThan(100);
});

describeTestData('N-Quads by template with foreign data', () => {
  test('in the public common context', async () => {
    const world = ContextWorld.bundled();
    for (const name of listTestData('interop', 'contexts', 'cid')) {
      world.add(contextDocument(`urn:cid:${name}`, readTestText('interop', 'contexts', 'cid', name)));
    }
    const url = 'urn:cid:bafkr4icploa577ziqnb57jlpoj7l2hi5kgt3knxpdtunlttjd3q33zeqpy';
    const types = fc.constantFrom<FlatValue>(
      'AssociationRegistration',
      'DataRegistration',
      'StorageRegistration',
      'EqtyVCompAmdSevV1',
    );
    const names = [
      'registeredBy',
      'timestamp',
      'data',
      'subject',
      'association',
      'type',
      'storedOn',
      'statements',
      'measurement',
      ...oddNames,
    ];
    expect(await checkAll(world, statementTwins(url, types, names), 300)).toBeGreaterThan(30);
  });
});

describe('contexts with odd definitions', () => {
  const forms = statementTwins(context, oddTypes, oddNames);

  test('give the same N-Quads by template as by jsonld', async () => {
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(
        oddContext,
        fc.array(forms, { minLength: 1, maxLength: 3 }),
        async (document, groups) => {
          const world = new ContextWorld([contextDocument(context, JSON.stringify(document))]);
          const templates = new StatementTemplates(world);
          for (const one of groups.flat()) if (await compare(templates, world, one)) answered += 1;
        },
      ),
      { numRuns: 600 },
    );
    expect(answered).toBeGreaterThan(100);
  });

  test('give the same N-Quads with two contexts', async () => {
    const second = 'https://example.com/second';
    const both = statementTwins([context, second], oddTypes, oddNames);
    await fc.assert(
      fc.asyncProperty(oddContext, oddContext, both, async (one, other, documents) => {
        const world = new ContextWorld([
          contextDocument(context, JSON.stringify(one)),
          contextDocument(second, JSON.stringify(other)),
        ]);
        const templates = new StatementTemplates(world);
        for (const document of documents) await compare(templates, world, document);
      }),
      { numRuns: runs(200) },
    );
  });
});
