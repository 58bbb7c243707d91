import { describe, expect, it } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { send, useService } from './service.ts';

const service = useService();
const statement = {
  '@context': ownContextUrl,
  '@type': 'DataRegistration',
  data: 'urn:cid:data_cid',
  registeredBy: 'did:key:zQ3shtdnadpYS81njBma5RqQMEAL3BenSJdCfZAu2Uj1ukwo9',
  timestamp: '2024-06-27T21:40:37Z',
};

describe('utilities for JSON-LD documents', () => {
  it.each(['rdfc_cid', 'to-nquads'])('accept an object or an array: %s', async (name) => {
    const convert = async (body: string) => await send(service, 'POST', `/utils/v1/json-ld/${name}`, body);
    for (const body of [' {"@id": "urn:x:1", "urn:x:p": "v"}', '[{"@id": "urn:x:1", "urn:x:p": "v"}]'])
      expect((await convert(body)).status).toBe(200);
    for (const body of ['"text"', '1', 'null']) {
      const { status, json } = await convert(body);
      expect([status, json.code, json.error]).toEqual([
        400,
        'invalid_request',
        'The body must be a JSON-LD document: a JSON object or array.',
      ]);
    }
  });
});

describe('POST /utils/v1/integrity/statement/compute-id', () => {
  const compute = (of: unknown) =>
    send(service, 'POST', '/utils/v1/integrity/statement/compute-id', { statement: of });

  it('computes both CIDs and stores nothing, whatever the statement refers to', async () => {
    const { status, json } = await compute(statement);
    expect(status).toBe(200);
    expect(json).toEqual({
      id: 'urn:cid:bagb6qaq6ea37jzd3jsdloy7nfjo5xpxeh2yly5o3pmq5dbyk2eqw6x53nxsbo',
      rdfc_cid: 'bagb6qaq6ea37jzd3jsdloy7nfjo5xpxeh2yly5o3pmq5dbyk2eqw6x53nxsbo',
      jcs_cid: expect.stringMatching(/^baga6yaq6e/),
      statement: {
        ...statement,
        '@id': 'urn:cid:bagb6qaq6ea37jzd3jsdloy7nfjo5xpxeh2yly5o3pmq5dbyk2eqw6x53nxsbo',
      },
      uncovered: [],
    });
    expect((await send(service, 'GET', `/store/v1/exists/${json.rdfc_cid}`)).json.exists).toBe(false);
  });

  it('lists what the id does not cover in a foreign context', async () => {
    const foreign = {
      '@context': { known: 'https://example.org/known' },
      known: 'x',
      unknown: 'y',
      none: null,
    };
    const { json } = await compute(foreign);
    expect(json.uncovered.map((place: { pointer: string }) => place.pointer)).toEqual(['/unknown', '/none']);
  });

  it('refuses members that the own context would drop', async () => {
    const answer = await compute({ ...statement, note: 'x' });
    expect([answer.status, answer.json.code, answer.json.details[0].pointer]).toEqual([
      400,
      'not_covered',
      '/note',
    ]);
  });

  it('refuses bodies that no statement needs with 413', async () => {
    const large = { a: 'x'.repeat(1.2 * 2 ** 20) };
    for (const path of ['integrity/statement/compute-id', 'json-ld/rdfc_cid', 'json-ld/to-nquads']) {
      const answer = await send(service, 'POST', `/utils/v1/${path}`, large);
      expect([answer.status, answer.json.code]).toEqual([413, 'too_large']);
      expect(answer.json.error).toContain('CAIRN_MAX_STATEMENT_BYTES');
    }
    const beside = await send(service, 'POST', '/utils/v1/integrity/statement/compute-id', {
      statement,
      x: 'x'.repeat(2 ** 16),
    });
    expect([beside.status, beside.json.code]).toEqual([413, 'too_large']);
  });

  it('lists uncovered places under long names in a short answer', async () => {
    const values = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`v${at}`, at]));
    const answer = await compute({
      '@context': { known: 'https://example.org/known' },
      known: 'x',
      ['n'.repeat(50_000)]: values,
    });
    expect(answer.status).toBe(200);
    const pointers = answer.json.uncovered.map(({ pointer }: { pointer: string }) => pointer);
    expect(pointers).toHaveLength(2);
  });

  it.each([{ a: 1 }, {}])('refuses a statement without any meaning: %j', async (empty) => {
    const { status, json } = await compute(empty);
    expect([status, json.code, json.error]).toEqual([
      400,
      'invalid_statement',
      expect.stringContaining('It needs an @context'),
    ]);
  });
});

describe('POST /utils/v1/json-ld', () => {
  const document = { '@context': { foo: 'http://foo.com' }, '@id': 'urn:foo', foo: ['b', 'a'] };

  it('answers N-Quads and their CID, including the @id', async () => {
    const quads = await send(service, 'POST', '/utils/v1/json-ld/to-nquads', document);
    expect(quads.text).toBe('<urn:foo> <http://foo.com> "a" .\n<urn:foo> <http://foo.com> "b" .\n');
    expect(quads.headers.get('content-type')).toContain('application/n-quads');
    expect((await send(service, 'POST', '/utils/v1/json-ld/rdfc_cid', document)).json.rdfc_cid).toMatch(
      /^bagb6qaq6e/,
    );
  });

  it('takes an array of documents as one graph', async () => {
    const [nquads, cid] = ['to-nquads', 'rdfc_cid'].map((path) => `/utils/v1/json-ld/${path}`);
    const expanded = [
      { '@id': 'urn:a', 'urn:p': 'b' },
      { '@context': { foo: 'urn:foo' }, '@id': 'urn:b', foo: { '@id': 'urn:a' } },
    ];
    const quads = await send(service, 'POST', nquads ?? '', expanded);
    expect([quads.status, quads.text]).toEqual([200, '<urn:a> <urn:p> "b" .\n<urn:b> <urn:foo> <urn:a> .\n']);
    const together = await send(service, 'POST', cid ?? '', { '@graph': expanded });
    expect((await send(service, 'POST', cid ?? '', expanded)).json).toEqual(together.json);
  });

  it.each([[{}], [[]], [{ a: 1 }], [{ '@context': { foo: 'urn:foo' } }]])(
    'has no CID of %j, which says nothing',
    async (empty) => {
      const { status, json } = await send(service, 'POST', '/utils/v1/json-ld/rdfc_cid', empty);
      expect([status, json.code, json.error]).toEqual([
        400,
        'invalid_statement',
        expect.stringContaining('It needs an @context'),
      ]);
      expect((await send(service, 'POST', '/utils/v1/json-ld/to-nquads', empty)).text).toBe('');
    },
  );

  it('names blank nodes canonically by default', async () => {
    const nested = { '@context': { foo: 'http://foo.com' }, foo: { foo: 'bar' } };
    expect((await send(service, 'POST', '/utils/v1/json-ld/to-nquads', nested)).text).toContain('_:c14n0');
    expect(
      (await send(service, 'POST', '/utils/v1/json-ld/to-nquads?canonical=false', nested)).text,
    ).toContain('_:b0');
  });

  it('refuses an unknown context, invalid JSON-LD and other values', async () => {
    const path = '/utils/v1/json-ld/rdfc_cid';
    expect((await send(service, 'POST', path, { '@context': 'https://example.org/none' })).json.code).toBe(
      'unknown_context',
    );
    expect((await send(service, 'POST', path, { '@context': { a: { '@id': 5 } } })).json.code).toBe(
      'invalid_statement',
    );
    expect((await send(service, 'POST', path, '5')).json.code).toBe('invalid_request');
  });
});

describe('GET /utils/v1/json-ld/static-contexts', () => {
  it('answers the bundled documents by URL', async () => {
    const { json } = await send(service, 'GET', '/utils/v1/json-ld/static-contexts');
    expect(Object.keys(json)).toEqual(
      expect.arrayContaining([ownContextUrl, 'https://www.w3.org/ns/credentials/v2']),
    );
    expect(json[ownContextUrl]['@context']).toBeTypeOf('object');
  });
});
