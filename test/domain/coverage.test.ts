import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/domain/errors.ts';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import {
  blobUrn,
  bytesOf,
  identifierWith,
  identifyOptions,
  type Json,
  ownStatement,
  thrownBy,
  validFields,
} from '../builders/statements.ts';

const identifier = identifierWith({
  'https://example.com/things': {
    '@context': {
      name: 'https://example.com/name',
      knows: { '@id': 'https://example.com/knows', '@type': '@id' },
      items: { '@id': 'https://example.com/items', '@container': '@list' },
      labels: { '@id': 'https://example.com/labels', '@container': '@index' },
      note: '@index',
      raw: { '@id': 'https://example.com/raw', '@type': '@json' },
      parts: '@included',
    },
  },
});

const reporting = { ...identifyOptions, strict: false, reportCoverage: true };

async function pointersOf(document: Json): Promise<string[]> {
  const { uncovered, isCovered } = await identifier.identify(bytesOf(document), reporting);
  expect(isCovered).toBe(uncovered.length === 0);
  return uncovered.map(({ pointer }) => pointer).sort();
}

async function refusedPointers(document: Json): Promise<(string | undefined)[]> {
  const error = await thrownBy(() =>
    identifier.identify(bytesOf(document), { ...identifyOptions, strict: false }),
  );
  expect(error).toBeInstanceOf(ServiceError);
  const { code, details } = error as ServiceError;
  expect(code).toBe('not_covered');
  return (details ?? []).map(({ pointer }) => pointer).sort();
}

describe('in the own context, uncovered content is refused with its place', () => {
  const { credential } = validFields.CredentialRegistration as { credential: Json };

  test.each([
    ['a term that the context lacks', { data: blobUrn('a'), extra: 'x' }, ['/extra']],
    ['a term of another kind', { data: blobUrn('a'), storedOn: blobUrn('b') }, ['/storedOn']],
    ['null', { data: blobUrn('a'), extra: null }, ['/extra']],
    ['null for a term', { data: null }, ['/data']],
    ['null in a list', { data: [blobUrn('a'), null] }, ['/data/1']],
    ['an empty list', { data: [] }, ['/data']],
    ['a relative IRI', { data: 'relative' }, ['/data']],
    ['a relative IRI among others', { data: [blobUrn('a'), 'relative'] }, ['/data/1']],
    ['something that looks like a keyword', { data: '@foo' }, ['/data']],
    ['a member that looks like a keyword', { data: blobUrn('a'), '@foo': 'x' }, ['/@foo']],
    ['@index', { data: blobUrn('a'), '@index': 'x' }, ['/@index']],
    ['a member without a name', { data: blobUrn('a'), '': 'x' }, ['/']],
    ['an object under an unknown term', { data: blobUrn('a'), extra: { a: 1, b: 2 } }, ['/extra']],
    ['names that a pointer escapes', { data: blobUrn('a'), 'a/b~c': 'x' }, ['/a~1b~0c']],
    ['the name of something that objects inherit', { data: blobUrn('a'), toString: 'x' }, ['/toString']],
    ['several', { data: [], one: 1, two: null }, ['/data', '/one', '/two']],
  ])('%s', async (_name, fields, pointers) => {
    expect(await refusedPointers(ownStatement('DataRegistration', fields))).toEqual(pointers);
  });

  test.each([
    [
      'an unknown term',
      { ...credential, credentialSubject: { id: blobUrn('a'), extra: 1 } },
      '/credentialSubject/extra',
    ],
    ['an empty list', { ...credential, evidence: [] }, '/evidence'],
    ['null', { ...credential, name: null }, '/name'],
    ['an unknown type', { ...credential, type: ['VerifiableCredential', 'Unknown'] }, '/type/1'],
    ['a relative id, with which everything goes', { ...credential, id: 'relative' }, ''],
  ])('inside a credential: %s', async (_name, changed, pointer) => {
    const statement = ownStatement('CredentialRegistration', { credential: changed });
    expect(await refusedPointers(statement)).toEqual([`/credential${pointer}`]);
  });

  test('an unknown type', async () => {
    const statement = { ...ownStatement('DataRegistration', {}), '@type': 'Unknown' };
    expect(await refusedPointers(statement)).toEqual(['/@type']);
  });

  test('indexes of a second context', async () => {
    const statement = {
      ...ownStatement('DataRegistration'),
      '@context': [ownContextUrl, 'https://example.com/things'],
    };
    expect(await refusedPointers({ ...statement, note: 'hidden' })).toEqual(['/note']);
    expect(await refusedPointers({ ...statement, labels: { hidden: 'x' } })).toEqual(['/labels/hidden']);
    expect(await refusedPointers({ ...statement, parts: [{ '@id': 'urn:x:hidden' }] })).toEqual([
      '/parts/0/@id',
    ]);
  });

  test('many places in one statement', async () => {
    const extra = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`extra${at}`, at]));
    const pointers = await refusedPointers(
      ownStatement('DataRegistration', { data: blobUrn('a'), ...extra }),
    );
    expect(pointers.length).toBe(100);
  });

  test.each([
    ['first', [ownContextUrl, 'https://example.com/things']],
    ['last', ['https://example.com/things', ownContextUrl]],
  ])('if the own context is %s of several', async (_, contexts) => {
    const document = ownStatement('DataRegistration', { '@context': contexts, extra: 'x' });
    expect(await refusedPointers(document)).toEqual(['/extra']);
  });
});

describe('in foreign contexts, uncovered content is accepted and reported', () => {
  const thing = { '@context': 'https://example.com/things', name: 'one' };

  test.each([
    ['nothing', {}, []],
    ['a term that the context lacks', { extra: 'x' }, ['/extra']],
    ['a relative IRI', { knows: ['urn:x:a', 'relative'] }, ['/knows/1']],
    ['the note of an index', { note: 'hidden' }, ['/note']],
    ['the keys of an index', { labels: { one: 'x', two: 'y' } }, ['/labels/one', '/labels/two']],
  ])('%s', async (_name, fields, pointers) => {
    expect(await pointersOf({ ...thing, ...fields })).toEqual(pointers);
  });

  test.each([
    ['an empty ordered list', { items: [] }],
    ['null inside of a JSON literal', { raw: { a: null, b: [] } }],
    ['a node without properties', { name: ['one', {}] }],
    ['a list of lists', { items: [['a'], []] }],
  ])('covered although it looks empty: %s', async (_name, fields) => {
    expect(await pointersOf({ ...thing, ...fields })).toEqual([]);
  });

  test('a value object with null is reported without its place', async () => {
    const document = bytesOf({ ...thing, name: ['one', { '@value': null }] });
    expect((await identifier.identify(document, reporting)).isCovered).toBe(false);
  });

  test('without reportCoverage only isCovered is set', async () => {
    const document = bytesOf({ ...thing, extra: 'x' });
    const identified = await identifier.identify(document, { ...reporting, reportCoverage: false });
    expect(identified).toMatchObject({ isCovered: false, uncovered: [] });
  });
});

describe('covered content in the own context is accepted', () => {
  test('an empty ordered list of a second context', async () => {
    const statement = {
      ...ownStatement('DataRegistration'),
      '@context': [ownContextUrl, 'https://example.com/things'],
      items: [],
      raw: [null],
    };
    expect(await pointersOf(statement)).toEqual([]);
  });
});
