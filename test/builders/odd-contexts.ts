import fc from 'fast-check';
import { type FlatValue, oddNames } from './statement-twins.ts';

/** What a context says of one term. */
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

/** Contexts with odd terms and keywords. */
export const oddContext = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...oddNames.filter((name) => name !== '__proto__')), definition, {
      maxKeys: 5,
    }),
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

export const oddTypes = fc.constantFrom<FlatValue | undefined>(
  undefined,
  'Type',
  'a',
  'urn:cairn-probe-0-0',
  ['Type', 'urn:cid:x'],
  ['term', 'ex:Type'],
  'http://example.com/Type',
  ['relative', '_:t', '@foo'],
);
