import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/domain/errors.ts';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { MissingContexts } from '../../src/domain/integrity/identification/json-ld.ts';
import {
  blobUrn,
  bytesOf,
  did,
  identifierWith,
  identifyOptions,
  type Json,
  ownStatement,
  thrownBy,
  validFields,
} from '../builders/statements.ts';

const identifier = identifierWith({
  'https://example.com/animals': { '@context': { '@vocab': 'https://example.com/animals#' } },
  'https://example.com/disguise': {
    '@context': {
      DataRegistration: 'https://eqtylab.io/terms/DataRegistration',
      x: { '@id': 'https://eqtylab.io/terms/data', '@type': '@id' },
      registeredBy: 'https://eqtylab.io/terms/registeredBy',
      timestamp: {
        '@id': 'https://eqtylab.io/terms/timestamp',
        '@type': 'http://www.w3.org/2001/XMLSchema#dateTime',
      },
    },
  },
  'https://example.com/forged': {
    '@context': {
      DataRegistration: 'https://example.com/Other',
      data: { '@id': 'https://example.com/data', '@type': '@id' },
    },
  },
});
const identify = (statement: unknown, changes = {}) =>
  identifier.identify(bytesOf(statement), { ...identifyOptions, ...changes });
const strict = { generateId: false };

async function refusal(statement: unknown, changes = {}): Promise<ServiceError> {
  const error = await thrownBy(() => identify(statement, changes));
  expect(error).toBeInstanceOf(ServiceError);
  return error as ServiceError;
}

const statement = ownStatement('DataRegistration');

describe('the @id of a statement', () => {
  test('can be generated, and the result is accepted unchanged', async () => {
    const generated = await identify(statement);
    const again = await identify(generated.jcs, strict);
    expect(again).toEqual(generated);
    expect(JSON.parse(generated.jcs)).toMatchObject({ '@id': `urn:cid:${generated.rdfcCid.text}` });
  });

  test('does not affect itself', async () => {
    const one = await identify({ ...statement, '@id': 'urn:cid:one' });
    expect(one).toEqual(await identify(statement));
  });

  test('is required unless it is generated', async () => {
    expect((await refusal(statement, strict)).code).toBe('missing_id');
  });

  test.each([
    ['another text', 'urn:cid:x'],
    ['the bare CID', 'bare'],
    ['null', null],
    ['a list', ['urn:cid:x']],
    ['an object', {}],
    ['a number', 1],
  ])('is wrong: %s', async (_name, id) => {
    const { rdfcCid } = await identify(statement);
    const error = await refusal({ ...statement, '@id': id === 'bare' ? rdfcCid.text : id }, strict);
    expect(error.code).toBe('id_mismatch');
    expect(error.details).toEqual([{ pointer: '/@id', reason: `must be urn:cid:${rdfcCid.text}` }]);
  });
});

describe('the CIDs of a statement', () => {
  const cids = async (document: Json) => {
    const { rdfcCid, jcsCid } = await identify(document);
    return { rdfc: rdfcCid.text, jcs: jcsCid.text };
  };

  test.each([
    ['the order of an array', [blobUrn('a'), blobUrn('b')], [blobUrn('b'), blobUrn('a')]],
    ['one value and a list of one', blobUrn('a'), [blobUrn('a')]],
    ['a value twice', [blobUrn('a')], [blobUrn('a'), blobUrn('a')]],
  ])('%s changes jcs_cid only', async (_name, data, other) => {
    const one = await cids(ownStatement('DataRegistration', { data }));
    const two = await cids(ownStatement('DataRegistration', { data: other }));
    expect(two.rdfc).toBe(one.rdfc);
    expect(two.jcs).not.toBe(one.jcs);
  });

  test('do not depend on the order of members or the formatting of the JSON', async () => {
    const reversed = Object.fromEntries(Object.entries(statement).reverse());
    const spaced = JSON.stringify(reversed, undefined, 2).replace(
      'DataRegistration',
      '\\u0044ataRegistration',
    );
    expect(await identify(spaced)).toEqual(await identify(statement));
  });

  test.each(Object.keys(statement).filter((name) => !name.startsWith('@')))(
    '%s changes both',
    async (name) => {
      const changed = {
        ...statement,
        [name]: name === 'data' ? blobUrn('other') : `${statement[name]}0`.replace('Z0', '+00:00'),
      };
      const one = await cids(statement);
      const { rdfcCid, jcsCid } = await identify(changed, { strict: false });
      expect(rdfcCid.text).not.toBe(one.rdfc);
      expect(jcsCid.text).not.toBe(one.jcs);
    },
  );
});

describe('refused statements', () => {
  test.each([
    ['a list', [statement], 'invalid_statement'],
    ['null', null, 'invalid_statement'],
    ['a text', '"text"', 'invalid_statement'],
    ['no JSON', '{', 'invalid_json'],
    ['a duplicate key', '{"@type":"A","@type":"A"}', 'invalid_json'],
    ['a number that JSON cannot hold', '{"n":9007199254740993}', 'invalid_json'],
    ['deep nesting', `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`, 'too_deep'],
    ['nothing that makes RDF', {}, 'invalid_statement'],
    ['no context', { '@type': 'DataRegistration', data: 'x' }, 'invalid_statement'],
    ['an invalid context', { '@context': 5, a: 1 }, 'invalid_statement'],
    [
      'a member named __proto__',
      `{"@context":"${ownContextUrl}","__proto__":{"did":"x"}}`,
      'invalid_statement',
    ],
    ['one deep inside', '{"@context":{"@vocab":"urn:v:"},"a":[{"__proto__":"x"}]}', 'invalid_statement'],
  ])('%s', async (_name, document, code) => {
    expect((await refusal(document)).code).toBe(code);
  });

  test('an unknown context is reported with its URL', async () => {
    const error = await thrownBy(() => identify({ '@context': 'https://example.com/unknown', a: 'b' }));
    expect(error).toBeInstanceOf(MissingContexts);
    expect(error).toHaveProperty('urls', ['https://example.com/unknown']);
  });

  test('a graph with many similar blank nodes is too complex', async () => {
    const nodes = Array.from({ length: 12 }, (_, at) => ({
      '@id': `_:n${at}`,
      next: Array.from({ length: 11 }, (_none, other) => ({ '@id': `_:n${(at + other + 1) % 12}` })),
    }));
    const document = { '@context': { '@vocab': 'https://example.com/' }, next: nodes };
    expect((await refusal(document, { workFactor: 0 })).code).toBe('too_complex');
    expect((await refusal(document, { timeoutMs: 200 })).code).toBe('too_complex');
  });
});

describe('kinds', () => {
  test('are those of the vocabulary if the context maps the type to them', async () => {
    expect((await identify(statement)).kind).toBe('DataRegistration');
  });

  test('are foreign if a foreign context maps the type to another IRI', async () => {
    const forged = { ...statement, '@context': 'https://example.com/forged', data: 'not even a CID' };
    expect(await identify({ ...forged, data: [blobUrn('a')] })).toMatchObject({
      kind: 'https://example.com/Other',
      references: [{ identifier: blobUrn('a'), role: 'data' }],
    });
    expect((await identify(forged)).kind).toBe('https://example.com/Other');
  });

  test('JSON that gets the id of another statement through a foreign context adds no edges', async () => {
    const genuine = await identify({ ...statement, data: blobUrn('a') });
    const { data: _, ...others } = statement;
    const disguised = await identify({
      ...others,
      '@context': 'https://example.com/disguise',
      x: blobUrn('a'),
      data: blobUrn('evil'),
    });
    expect(disguised.rdfcCid.text).toBe(genuine.rdfcCid.text);
    expect(disguised.references.map(({ identifier: named }) => named)).not.toContain(blobUrn('evil'));
  });

  test('a nested node does not set the kind of the statement', async () => {
    const inner = { '@type': 'https://eqtylab.io/terms/DataRegistration' };
    const forged = { ...statement, '@context': 'https://example.com/forged', data: inner };
    expect((await identify(forged)).kind).toBe('https://example.com/Other');
  });

  test('a foreign type is kept as written', async () => {
    const foreign = {
      '@context': 'https://example.com/animals',
      '@type': ['Cow', 'Animal'],
      eats: blobUrn('grass'),
    };
    expect(await identify(foreign)).toMatchObject({
      kind: 'Cow',
      references: [{ identifier: blobUrn('grass'), role: 'eats' }],
      isCovered: true,
    });
    expect((await identify({ '@context': 'https://example.com/animals', eats: 'grass' })).kind).toBe('');
  });

  test('strict requires the shape of the kind in the own context', async () => {
    const wrong = ownStatement('DataRegistration', { data: 'urn:cid:data_cid' });
    const { code, details } = await refusal(wrong);
    expect(code).toBe('invalid_statement');
    expect(details?.[0]?.pointer).toBe('/data');
    expect((await identify(wrong, { strict: false })).references).toEqual([
      { identifier: did, role: 'registeredBy' },
    ]);
  });
});

test('the context set of a statement lists its documents', async () => {
  const { contexts } = await identify(
    ownStatement('CredentialRegistration', validFields.CredentialRegistration),
  );
  expect(Object.keys(JSON.parse(contexts.text)).sort()).toEqual(
    [ownContextUrl, 'https://www.w3.org/ns/credentials/v2'].sort(),
  );
  const other = await identify(statement);
  expect(Object.keys(JSON.parse(other.contexts.text))).toEqual([ownContextUrl]);
});

test('the id is the hash of the N-Quads', async () => {
  const { nquads } = await identify(statement);
  expect(await identifier.nquads(statement, identifyOptions)).toBe(nquads);
});
