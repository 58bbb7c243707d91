import fc from 'fast-check';
import jsonld from 'jsonld';
import ContextResolver from 'jsonld/lib/ContextResolver.js';
import { describe, expect, test } from 'vitest';
import type { ServiceError } from '../../src/domain/errors.ts';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { ContextWorld, contextDocument } from '../../src/domain/integrity/contexts/world.ts';
import { toRdf } from '../../src/domain/integrity/identification/json-ld.ts';
import { canonicalNQuads } from '../../src/domain/integrity/identification/rdfc.ts';
import { StatementTemplates } from '../../src/domain/integrity/identification/statement-template.ts';
import { blobUrn, did, type Json, thrownBy } from '../builders/statements.ts';
import { runs } from '../property-runs.ts';
import { describeTestData, listTestData, readTestText } from '../test-data.ts';

type FlatValue = string | readonly string[];

const context = 'https://example.com/context';
const limits = { workFactor: 3 };

/** The result without templates: canonical N-Quads, and whether jsonld's safe mode accepts the document. */
async function reference(document: Json, world: ContextWorld) {
  const options = {
    algorithm: 'RDFC-1.0',
    documentLoader: world.loader(new Set()),
    contextResolver: new ContextResolver({ sharedCache: new Map() }),
    safe: true,
  };
  const isSafe =
    (await thrownBy(() => jsonld.canonize(structuredClone(document), options as object))) === undefined;
  const { quads } = await toRdf(structuredClone(document), world);
  return { nquads: await canonicalNQuads(quads, limits), complete: isSafe };
}

async function compare(templates: StatementTemplates, world: ContextWorld, document: Json): Promise<boolean> {
  const answer = await templates.apply(document, limits).catch((error: ServiceError) => {
    expect(error.code).toBe('too_complex');
  });
  if (!answer) return false;
  const { nquads, complete } = answer;
  expect({ nquads, complete }).toEqual(await reference(document, world));
  return true;
}

const iri = fc.constantFrom(
  'urn:cid:data_cid',
  'urn:x:y',
  'urn:a',
  'did:key:z6Mk',
  'did:web:a.example%3A80:b',
  'urn:cairn-probe-0-0',
  'did:cairn-probe-1-1',
  'urn:cid:x',
  'urn:uuid:1b4e28ba-2fa1-41d2-883f-0016d3cca427',
  blobUrn('a'),
  did,
);
const nasty = fc.constantFrom(
  '',
  ' ',
  '"',
  '\\',
  'a\nb\r\t',
  '\u0000\u0007\u000b\u007f\u0085\u2028',
  '😀',
  '\uff01\ue000',
  'é\u0301',
  '@foo',
  '@id',
  '@type',
  '_:b0',
  '_:',
  'relative',
  '../up',
  '#fragment',
  '?query',
  '//host/path',
  ':',
  'a:',
  'ex:thing',
  'ex:',
  'urn:',
  'did:',
  'urn:a b',
  'urn:a<b>',
  'urn:a"b',
  'urn:a#b',
  'urn:é',
  'URN:x:y',
  'http://example.com/',
  'https://example.com/a?b=c#d',
  'http://example.com/{x}|^`\\',
  'term',
  'a',
  'Type',
  'true',
  '5',
  '1.5E0',
  'NaN',
  'null',
  '{"a":1}',
  'cairn probe 0 0',
  'cairn probe 1 1',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#type',
  '2026-01-31T12:00:00Z',
);
const text = fc.oneof(
  { weight: 5, arbitrary: nasty },
  {
    weight: 2,
    arbitrary: fc.string({ unit: 'binary', maxLength: 8 }).filter((value) => value.isWellFormed()),
  },
  { weight: 1, arbitrary: fc.webUrl() },
);

/** Two values of the same form: a template learned from one applies to the other. */
const twins: fc.Arbitrary<readonly [FlatValue, FlatValue]> = fc
  .tuple(fc.constantFrom(iri, text, fc.oneof(iri, text)), fc.boolean())
  .chain(([item, isList]): fc.Arbitrary<readonly [FlatValue, FlatValue]> => {
    const list = fc.array(item, { minLength: 1, maxLength: 4 });
    return isList ? fc.tuple(list, list) : fc.tuple(item, item);
  });

type NestedValue = FlatValue | Json;

/** Two objects with the same members, of which some are objects again. */
function nestedTwins(
  name: fc.Arbitrary<string>,
  contexts: FlatValue,
): fc.Arbitrary<readonly [NestedValue, NestedValue]> {
  const keywords = fc.record(
    {
      '@context': fc.constant(contexts),
      '@type': fc.constantFrom<FlatValue>('DataRegistration', 'VerifiableCredential', ['Type', 'urn:cid:x']),
    },
    { requiredKeys: [] },
  );
  const objects = (depth: number): fc.Arbitrary<readonly [Json, Json]> => {
    const value = depth === 0 ? twins : fc.oneof({ weight: 4, arbitrary: twins }, objects(depth - 1));
    return fc.tuple(keywords, fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 })).map(([more, pairs]) => {
      const form = (at: 0 | 1): Json => ({
        ...more,
        ...Object.fromEntries(Object.entries(pairs).map(([key, pair]) => [key, pair[at]])),
      });
      return [form(0), form(1)] as const;
    });
  };
  return objects(1);
}

/** Both statements with these members under one context. */
function statements(
  contexts: FlatValue,
  types: fc.Arbitrary<FlatValue | undefined>,
  names: readonly string[],
) {
  const name = fc.constantFrom(...names);
  const members = fc.dictionary(
    name,
    fc.oneof({ weight: 3, arbitrary: twins }, nestedTwins(name, contexts)),
    {
      maxKeys: 6,
    },
  );
  return fc.tuple(types, members).map(([type, values]) =>
    ([0, 1] as const).map(
      (form): Json => ({
        '@context': contexts,
        ...(type !== undefined && { '@type': type }),
        ...Object.fromEntries(Object.entries(values).map(([name, pair]) => [name, pair[form]])),
      }),
    ),
  );
}

const oddNames = [
  'a',
  'b',
  'c',
  'id',
  'type',
  'value',
  'ex:a',
  'ex',
  'urn',
  'did',
  'urn:cid:x',
  'urn:x:y',
  'http://example.com/p',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#type',
  'unknown',
  'constructor',
  'toString',
  'hasOwnProperty',
  '__proto__',
  '',
  ' ',
  '_:p',
  '@foo',
  '@index',
  'cairn probe 0 0',
];

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
    const forms = statements(ownContextUrl, types, names);
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
    const forms = statements('https://www.w3.org/ns/credentials/v2', types, names);
    expect(await checkAll(ContextWorld.bundled(), forms, 200)).toBeGreaterThan(10);
  });
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
    expect(await checkAll(world, statements(url, types, names), 300)).toBeGreaterThan(30);
  });
});

const definition = fc.oneof(
  fc.constantFrom<unknown>(
    '@id',
    '@type',
    '@value',
    '@language',
    '@index',
    '@graph',
    '@included',
    '@nest',
    '@reverse',
    '@list',
    '@set',
    '@direction',
    null,
    'http://example.com/a',
    'urn:x:y',
    'ex:thing',
    'http://www.w3.org/1999/02/22-rdf-syntax-ns#type',
    { '@id': '@type', '@container': '@set' },
    { '@reverse': 'http://example.com/r' },
    { '@reverse': 'http://example.com/r', '@type': '@id' },
    { '@id': 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type', '@type': '@id' },
    { '@id': 'http://example.com/', '@prefix': true },
  ),
  fc
    .record(
      {
        '@id': fc.constantFrom(
          'http://example.com/a',
          'http://example.com/b',
          'ex:c',
          'urn:x:y',
          'relative',
          '_:p',
        ),
        '@type': fc.constantFrom(
          '@id',
          '@vocab',
          '@json',
          '@none',
          'http://www.w3.org/2001/XMLSchema#double',
          'http://www.w3.org/2001/XMLSchema#string',
          'http://www.w3.org/2001/XMLSchema#dateTime',
          'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString',
          'xsd:integer',
        ),
        '@container': fc.constantFrom<unknown>(
          '@list',
          '@set',
          '@language',
          '@index',
          '@id',
          '@type',
          '@graph',
          ['@set', '@index'],
        ),
        '@language': fc.constantFrom('de', 'EN-us', 'not a tag', null),
        '@direction': fc.constantFrom('rtl', null),
        '@protected': fc.boolean(),
        '@nest': fc.constant('@nest'),
        '@context': fc.constantFrom<unknown>(
          { a: 'http://scoped.example/a' },
          { '@vocab': 'http://scoped.example/' },
          null,
          {
            a: { '@id': 'http://scoped.example/a', '@type': '@id' },
            b: null,
          },
        ),
      },
      { requiredKeys: [] },
    )
    .map((terms) => terms as unknown),
);

const oddContext = fc
  .tuple(
    fc.dictionary(
      fc.constantFrom(
        'a',
        'b',
        'c',
        'id',
        'type',
        'value',
        'ex',
        'urn',
        'did',
        'urn:cid:x',
        'did:key:z6Mk',
        'Type',
        'term',
        'ex:a',
        'cairn',
        '@type',
      ),
      definition,
      { maxKeys: 5 },
    ),
    fc.record(
      {
        '@version': fc.constant(1.1),
        '@vocab': fc.constantFrom<unknown>(
          'http://vocab.example/',
          '',
          'urn:',
          'urn:v:',
          '_:',
          'relative/',
          null,
          'did:',
        ),
        '@language': fc.constantFrom<unknown>('en', 'DE', 'not a tag', null),
        '@direction': fc.constantFrom('ltr', null),
        '@base': fc.constantFrom<unknown>('http://base.example/', 'urn:base:', null),
        '@protected': fc.boolean(),
        '@propagate': fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([terms, keywords]): object => ({
    '@context': { ex: 'http://ex.example/', xsd: 'http://www.w3.org/2001/XMLSchema#', ...keywords, ...terms },
  }));

const oddTypes = fc.constantFrom<FlatValue | undefined>(
  undefined,
  'Type',
  'a',
  'urn:cairn-probe-0-0',
  ['Type', 'urn:cid:x'],
  ['term', 'ex:Type'],
  'http://example.com/Type',
  ['relative', '_:t', '@foo'],
);

describe('contexts with odd definitions', () => {
  const forms = statements(context, oddTypes, oddNames);

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
    const both = statements([context, second], oddTypes, oddNames);
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

describe('statements without a template', () => {
  const templates = new StatementTemplates(ContextWorld.bundled());
  const statement = { '@context': ownContextUrl, '@type': 'DataRegistration', data: 'urn:x:y' };

  test.each<[string, Json]>([
    ['a number', { ...statement, registeredBy: 5 }],
    ['an empty object in a list', { ...statement, registeredBy: [{}] }],
    ['an object with an @id', { ...statement, registeredBy: { '@id': 'urn:x:y' } }],
    ['a line break in a name', { ...statement, 'a\nb': 'x' }],
    ['null', { ...statement, registeredBy: null }],
    ['a list with a number', { ...statement, data: ['urn:x:y', 5] }],
    ['an empty list', { ...statement, data: [] }],
    ['a list of lists', { ...statement, data: [['urn:x:y']] }],
    ['IRIs and texts in one list', { ...statement, data: ['urn:x:y', 'text'] }],
    ['an @id', { ...statement, '@id': 'urn:x:y' }],
    ['another keyword', { ...statement, '@index': 'x' }],
    ['an inline context', { ...statement, '@context': [ownContextUrl, {}] }],
    ['no context', { data: 'urn:x:y' }],
    ['a member named __proto__', JSON.parse('{"@context":"x","__proto__":"y"}')],
  ])('%s is left to jsonld', async (_name, document) => {
    expect(await templates.apply(document, limits)).toBeUndefined();
  });

  test('a statement with a signed credential has a template', async () => {
    const credential = (id: string): Json => ({
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      id,
      type: ['VerifiableCredential'],
      issuer: did,
      credentialSubject: { id: blobUrn(id) },
      proof: {
        type: 'DataIntegrityProof',
        cryptosuite: 'eddsa-rdfc-2022',
        created: '2026-01-31T12:00:00Z',
        verificationMethod: `${did}#key`,
        proofPurpose: 'assertionMethod',
        proofValue: `z${id.length}`,
      },
    });
    const world = ContextWorld.bundled();
    for (const id of ['urn:uuid:1b4e28ba-2fa1-41d2-883f-0016d3cca427', 'urn:x:y']) {
      const document = {
        '@context': ownContextUrl,
        '@type': 'CredentialRegistration',
        credential: credential(id),
      };
      expect(await compare(templates, world, document)).toBe(true);
    }
  });

  test('a flat statement has a template', async () => {
    expect(await templates.apply(statement, limits)).toMatchObject({ complete: true });
  });
});
