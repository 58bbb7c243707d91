import fc from 'fast-check';
import jsonld from 'jsonld';
import ContextResolver from 'jsonld/lib/ContextResolver.js';
import { describe, expect, test } from 'vitest';
import type { ServiceError } from '../../src/domain/errors.ts';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { ContextWorld, contextDocument } from '../../src/domain/integrity/contexts/world.ts';
import { holdsSilentValues } from '../../src/domain/integrity/identification/coverage.ts';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { toRdf } from '../../src/domain/integrity/identification/json-ld.ts';
import { canonicalNQuads } from '../../src/domain/integrity/identification/rdfc.ts';
import { StatementTemplates } from '../../src/domain/integrity/identification/statement-template.ts';
import { inRdf } from '../../src/domain/integrity/statements/references.ts';
import { type FlatValue, oddNames, statementTwins } from '../builders/statement-twins.ts';
import { blobUrn, did, type Json, thrownBy } from '../builders/statements.ts';
import { runs } from '../property-runs.ts';
import { describeTestData, listTestData, readTestText } from '../test-data.ts';

const context = 'https://example.com/context';
const limits = { workFactor: 3 };
const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

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
  return {
    nquads: await canonicalNQuads(quads, limits),
    complete: isSafe,
    mayDrop: holdsSilentValues(document) || world.hasSilentTerms(document),
    types: quads.filter(({ predicate }) => predicate.value === rdfType).map(({ object }) => object.value),
  };
}

/** A shape and its values can each need a second document to be learned. */
const sightings = 3;

async function compare(templates: StatementTemplates, world: ContextWorld, document: Json): Promise<boolean> {
  for (let round = 0; round < sightings; round += 1) {
    const answer = await templates.apply(document, limits).catch((error: ServiceError) => {
      expect(error.code).toBe('too_complex');
    });
    if (answer) {
      const { types, ...expected } = await reference(document, world);
      expect(answer).toMatchObject(expected);
      expect(types).toEqual(expect.arrayContaining([...answer.types]));
      expect(answer.text('urn:x:id')).toBe(jcs({ ...document, '@id': 'urn:x:id' }));
      for (const name of answer.carried) {
        for (const value of [document[name]].flat())
          expect(inRdf(answer.nquads)(String(value), name)).toBe(true);
      }
      return true;
    }
  }
  return false;
}

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

describe('statements without a template', () => {
  const templates = new StatementTemplates(ContextWorld.bundled());
  const statement = { '@context': ownContextUrl, '@type': 'DataRegistration', data: 'urn:x:y' };
  const nested = (depth: number): Json => (depth === 0 ? {} : { registeredBy: nested(depth - 1) });

  test.each<[string, Json]>([
    ['a keyword that produces no RDF', { ...statement, '@index': 'x' }],
    ['an @type that is an object', { ...statement, '@type': {} }],
    ['no context', { data: 'urn:x:y' }],
    ['a member named __proto__', JSON.parse('{"@context":"x","__proto__":"y"}')],
    ['many values', { ...statement, data: Array.from({ length: 500 }, (_, at) => at) }],
    ['deep objects', { ...statement, ...nested(20) }],
  ])('%s is left to jsonld', async (_name, document) => {
    for (let round = 0; round < sightings; round += 1)
      expect(await templates.apply(document, limits)).toBeUndefined();
  });

  test('a shape is not learned before it comes again', async () => {
    expect(await templates.apply(statement, limits)).toBeUndefined();
    expect(await templates.apply({ ...statement, data: 'urn:x:z' }, limits)).toMatchObject({
      complete: true,
    });
  });
});

describe('statements with a template', () => {
  const uuid = 'urn:uuid:1b4e28ba-2fa1-41d2-883f-0016d3cca42';
  const list = 'https://cairn.example/credentials/v1/status-lists/1';
  const credential = (number: number, more: Json = {}): Json => ({
    '@context': ownContextUrl,
    '@type': 'CredentialRegistration',
    credential: {
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      id: uuid + number,
      type: ['VerifiableCredential'],
      issuer: did,
      credentialSubject: { id: blobUrn(String(number)) },
      proof: {
        type: 'DataIntegrityProof',
        cryptosuite: 'eddsa-rdfc-2022',
        created: `2026-01-31T12:00:0${number}Z`,
        verificationMethod: `${did}#key`,
        proofPurpose: 'assertionMethod',
        proofValue: `z${number}`,
      },
      ...more,
    },
  });
  const status = (number: number) =>
    ['revocation', 'suspension'].map((statusPurpose) => ({
      id: `${list}#${statusPurpose}-${number}`,
      type: 'BitstringStatusListEntry',
      statusPurpose,
      statusListIndex: String(number),
      statusListCredential: list,
    }));
  const data = { '@context': ownContextUrl, '@type': 'DataRegistration' };
  const inline = { '@version': 1.1, score: 'https://example.com/score', tags: 'https://example.com/tags' };

  test.each<[string, (number: number) => Json]>([
    ['strings and lists', (number) => ({ ...data, data: [`urn:x:${number}`, 'urn:x:y'] })],
    ['a signed credential', credential],
    ['status entries', (number) => credential(number, { credentialStatus: status(number) })],
    [
      'status entries without ids',
      (number) => credential(number, { credentialStatus: status(number).map(({ id: _, ...one }) => one) }),
    ],
    [
      'several subjects and evidence',
      (number) =>
        credential(number, {
          credentialSubject: [
            { id: uuid + number },
            { id: did, name: { '@value': `a ${number}`, '@language': 'en' } },
          ],
          evidence: [
            { id: blobUrn(`e${number}`), type: 'Evidence' },
            { type: ['Evidence'], name: `b ${number}` },
          ],
        }),
    ],
    [
      'an issuer that is an object',
      (number) => credential(number, { issuer: { id: did, name: `n ${number}` } }),
    ],
    [
      'an inline context, numbers, booleans and null',
      (number) => ({
        ...data,
        '@context': [ownContextUrl, inline],
        score: [number, number + 0.5, -number, true, null],
        tags: [{ score: number }, { score: number + 0.25 }, `tag ${number}`, []],
      }),
    ],
    [
      'blank nodes that have others in the same member',
      (number) => ({
        ...data,
        '@context': [ownContextUrl, inline],
        tags: [{ score: number, tags: [{ score: 1 }, { score: -number }] }, { score: number + 0.5 }],
      }),
    ],
    [
      'a DSSE envelope',
      (number) => ({
        '@context': ownContextUrl,
        '@type': 'CredentialRegistration',
        credentialDsse: {
          payloadType: 'text/plain',
          payload: btoa(`payload ${number}`),
          signatures: [{ keyid: did, sig: btoa(`${number}`) }, { sig: btoa(`other ${number}`) }],
        },
      }),
    ],
  ])('have one for %s', async (_name, statement) => {
    const world = ContextWorld.bundled();
    const templates = new StatementTemplates(world);
    expect(await compare(templates, world, statement(1))).toBe(true);
    for (const number of [2, 3, 4, 5, 6])
      expect(await templates.apply(statement(number), limits)).toMatchObject({
        nquads: (await reference(statement(number), world)).nquads,
      });
  });
});
