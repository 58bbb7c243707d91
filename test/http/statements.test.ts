import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { send, useService } from './service.ts';

const service = useService({ CAIRN_MAX_STATEMENT_BYTES: '1MiB', CAIRN_MAX_BATCH_STATEMENTS: '12000' });
const did = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
const blobUrn = 'urn:cid:bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu';

function data(seconds = 0, more: Record<string, unknown> = {}) {
  return {
    '@context': ownContextUrl,
    '@type': 'DataRegistration',
    data: blobUrn,
    registeredBy: did,
    timestamp: new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString().replace('.000', ''),
    ...more,
  };
}

async function put(statement: unknown, more: Record<string, unknown> = {}) {
  return await send(service, 'PUT', '/statements/v1', { statement, generate_id: true, ...more });
}

async function newGraph(more: Record<string, unknown> = {}) {
  const graph_id = randomUUID();
  const answer = await send(service, 'PUT', '/graph/v1', { graph_id, name: 'a graph', ...more });
  expect(answer.status).toBe(201);
  return graph_id;
}

describe('PUT /statements/v1', () => {
  it('answers 201, then 200 with the same body', async () => {
    const first = await put(data(1));
    const again = await put(data(1));
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.json).toEqual(first.json);
    expect(first.json.rdfc_cid).toMatch(/^bagb6qaq6e/);
    expect(first.json.jcs_cid).toMatch(/^baga6yaq6e/);
  });

  it('accepts a matching @id without generate_id, and knows the same statement with it', async () => {
    const { json } = await put(data(2));
    const answer = await send(service, 'PUT', '/statements/v1', {
      statement: data(2, { '@id': `urn:cid:${json.rdfc_cid}` }),
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual(json);
  });

  it('refuses a wrong @id, and shows both ids', async () => {
    const { json } = await put(data(3));
    const wrong = `urn:cid:${json.rdfc_cid}`;
    const answer = await send(service, 'PUT', '/statements/v1', { statement: data(4, { '@id': wrong }) });
    expect([answer.status, answer.json.code]).toEqual([400, 'id_mismatch']);
    expect(answer.json.error).toContain(wrong);
    expect(answer.json.error).toMatch(/the id of this statement is "urn:cid:bagb6qaq6e/);
  });

  it('replaces a wrong @id with generate_id', async () => {
    const answer = await put(data(5, { '@id': 'urn:cid:nonsense' }));
    const right = await put(data(5));
    expect(answer.json).toEqual(right.json);
  });

  it('refuses a statement without @id, unless generate_id is true', async () => {
    const answer = await send(service, 'PUT', '/statements/v1', { statement: data(6) });
    expect([answer.status, answer.json.code]).toEqual([400, 'missing_id']);
    expect(answer.json.error).toContain('generate_id');
  });

  it('refuses an unknown graph and stores nothing', async () => {
    const answer = await put(data(7), { graph_id: randomUUID() });
    expect([answer.status, answer.json.code]).toEqual([400, 'unknown_graph']);
    expect((await put(data(7))).status).toBe(201);
  });

  it('answers 201 if a known statement gains a graph, and 200 if it has the graph', async () => {
    const graph_id = await newGraph();
    expect((await put(data(8))).status).toBe(201);
    expect((await put(data(8), { graph_id })).status).toBe(201);
    expect((await put(data(8), { graph_id: `urn:uuid:${graph_id.toUpperCase()}` })).status).toBe(200);
    const { json } = await send(service, 'GET', '/graph/v1');
    expect(json.graphs.find((graph: { graph_id: string }) => graph.graph_id === graph_id).statements).toBe(1);
  });

  it('keeps both JSON forms of an id readable', async () => {
    const other = 'urn:cid:bafkr4ifjn7bsgsxqtp65qvznx53z7p26hzo4tqps2wvcg3mo2cvcuhvdem';
    const first = (await put(data(9, { data: [blobUrn, other] }))).json;
    const second = (await put(data(9, { data: [other, blobUrn] }))).json;
    expect(second.rdfc_cid).toBe(first.rdfc_cid);
    expect(second.jcs_cid).not.toBe(first.jcs_cid);
    const byId = await send(service, 'GET', `/statements/v1/id/urn:cid:${first.rdfc_cid}`);
    expect(byId.json.data).toEqual([blobUrn, other]);
    const variant = await send(
      service,
      'GET',
      `/statements/v1/id/${first.rdfc_cid}?jcs_cid=${second.jcs_cid}`,
    );
    expect(variant.json.data).toEqual([other, blobUrn]);
    expect((await send(service, 'GET', `/store/v1/blob/${second.jcs_cid}`)).text).toBe(variant.text);
  });

  it('finds no form of an id among the forms of another id', async () => {
    const [one, other] = [(await put(data(12))).json, (await put(data(13))).json];
    const answer = await send(service, 'GET', `/statements/v1/id/${one.rdfc_cid}?jcs_cid=${other.jcs_cid}`);
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found']);
  });

  it.each([
    ['a member that the context does not define', { extra: 'x' }, 'not_covered', '/extra'],
    ['a null', { data: null }, 'not_covered', '/data'],
    ['a CID that is none', { data: 'urn:cid:bafkr4' }, 'invalid_statement', '/data'],
    ['a time without Z', { timestamp: '2026-01-01T00:00:00' }, 'invalid_statement', '/timestamp'],
    ['a time that does not exist', { timestamp: '2026-02-30T00:00:00Z' }, 'invalid_statement', '/timestamp'],
    ['a name that is no DID', { registeredBy: 'me' }, 'invalid_statement', '/registeredBy'],
    ['an empty list', { data: [] }, 'not_covered', '/data'],
  ])('refuses %s with its pointer', async (_what, change, code, pointer) => {
    const answer = await put(data(11, change));
    expect([answer.status, answer.json.code]).toEqual([400, code]);
    expect(answer.json.details[0].pointer).toBe(pointer);
  });

  it('requires registeredBy, timestamp and @type in the own context', async () => {
    const { '@type': _, ...untyped } = data(13);
    const {
      registeredBy: __,
      timestamp: ___,
      ...bare
    } = data(13, { '@type': 'https://example.org/Foreign' });
    const { data: ____, ...foreign } = data(13, { '@type': 'https://example.org/Foreign' });
    expect((await put({ ...untyped, data: undefined })).json.details[0].pointer).toBe('/@type');
    expect((await put({ ...bare, data: undefined })).json.code).toBe('invalid_statement');
    expect((await put(foreign)).status).toBe(201);
  });

  it.each([
    ['duplicate keys', '{"statement":{"a":1,"a":2}}', 'invalid_json', '/a'],
    [
      'duplicate keys of the envelope',
      '{"generate_id":true,"generate_id":true,"statement":{}}',
      'invalid_json',
      '/generate_id',
    ],
    ['a lone surrogate', '{"statement":{"a":"\\ud800"}}', 'invalid_json', '/a'],
    ['1e400', '{"statement":{"a":1e400}}', 'invalid_json', '/a'],
    ['2^53+1', '{"statement":{"a":{"b":[9007199254740993]}}}', 'invalid_json', '/a/b/0'],
    ['a statement that is no object', '{"statement":5}', 'invalid_statement', undefined],
    ['no statement', '{"generate_id":true}', 'invalid_request', '/statement'],
    ['an unknown field', '{"statement":{},"generate_ids":true}', 'invalid_request', ''],
    ['a graph id that is no UUID', '{"statement":{},"graph_id":"x"}', 'invalid_request', '/graph_id'],
    ['broken JSON', '{"statement":{', 'invalid_json', undefined],
    ['no JSON at all', 'hello', 'invalid_json', undefined],
  ])('refuses %s', async (_what, body, code, pointer) => {
    const answer = await send(service, 'PUT', '/statements/v1', body);
    expect([answer.status, answer.json.code]).toEqual([400, code]);
    expect(answer.json.details?.[0]?.pointer).toBe(pointer);
    expect(answer.json.request_id).toBe(answer.headers.get('x-request-id'));
  });

  it('refuses bytes that are not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"statement":{"a":"'), Buffer.from([0xff]), Buffer.from('"}}')]);
    expect((await send(service, 'PUT', '/statements/v1', new Uint8Array(body))).json.code).toBe(
      'invalid_json',
    );
  });

  it('refuses JSON that is nested 500 levels deep', async () => {
    const answer = await send(
      service,
      'PUT',
      '/statements/v1',
      `{"statement":${'{"a":'.repeat(500)}1${'}'.repeat(500)}}`,
    );
    expect([answer.status, answer.json.code]).toEqual([400, 'too_deep']);
  });

  it('refuses a batch over 32 MiB and a statement over 1 MiB with 413, and names the settings', async () => {
    const statements = [data(12, { data: 'x'.repeat(33 * 2 ** 20) })];
    const large = await send(service, 'PUT', '/statements/v1/batch', { statements });
    expect([large.status, large.json.code]).toEqual([413, 'too_large']);
    expect(large.json.error).toContain('CAIRN_MAX_JSON_BYTES');
    const single = await put(data(12, { data: 'x'.repeat(2 ** 20) }));
    expect([single.status, single.json.code]).toEqual([413, 'too_large']);
    expect(single.json.error).toContain('CAIRN_MAX_STATEMENT_BYTES');
  });

  it('refuses more than 64 KiB beside the statements with 413', async () => {
    const members = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`member${at}`, 0]));
    for (const [path, body] of [
      ['/statements/v1', { statement: data(12), ...members }],
      ['/statements/v1/batch', { statements: [data(12)], ...members }],
      ['/statements/v1/batch', members],
    ] as const) {
      const answer = await send(service, 'PUT', path, body);
      expect([answer.status, answer.json.code]).toEqual([413, 'too_large']);
      expect(answer.json.error).toMatch(/The members beside "statements?" have \d+ bytes/);
    }
  });

  it('lists at most 100 unknown members', async () => {
    const members = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`member${at}`, 0]));
    const answer = await send(service, 'PUT', '/statements/v1', {
      statement: data(12),
      graph_id: 1,
      ...members,
    });
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(10_000);
  });

  it('refuses an unknown context, says how to add it, and accepts the statement once the context is a blob', async () => {
    const context = JSON.stringify({
      '@context': { note: 'https://example.org/note', registeredBy: 'https://example.org/by' },
    });
    const { json: computed } = await send(service, 'PUT', '/store/v1/jcs', { not: 'this' });
    const blob = await service.app.request('/store/v1/blob?expected_cid=', { method: 'PUT' });
    expect(blob.status).toBe(400);
    const { cidOf, codecs } = await import('../../src/domain/integrity/identifiers/cid.ts');
    const url = `urn:cid:${cidOf(codecs.raw, context).text}`;
    const statement = { '@context': url, note: 'hello', registeredBy: did };
    const before = await put(statement);
    expect([before.status, before.json.code]).toEqual([400, 'unknown_context']);
    expect(before.json.error).toContain(url);
    expect(before.json.error).toContain('CAIRN_CONTEXTS_DIR');
    await service.app.request('/store/v1/blob', {
      method: 'PUT',
      body: context,
      headers: { 'content-type': 'application/octet-stream' },
    });
    const after = await put(statement);
    expect(after.status).toBe(201);
    expect(computed.cid).toMatch(/^baga6yaq6e/);
  });

  it('refuses other content types', async () => {
    const answer = await send(service, 'PUT', '/statements/v1', '{}', { 'content-type': 'text/plain' });
    expect([answer.status, answer.json.code]).toEqual([415, 'unsupported_media_type']);
  });
});

describe('PUT /statements/v1/batch', () => {
  async function batch(statements: unknown[], more: Record<string, unknown> = {}) {
    return await send(service, 'PUT', '/statements/v1/batch', { statements, generate_id: true, ...more });
  }

  it('answers results in order, including duplicates, with 201 and then 200', async () => {
    const statements = [data(100), data(101), data(100)];
    const first = await batch(statements);
    expect(first.status).toBe(201);
    expect(first.json.results).toHaveLength(3);
    expect(first.json.results[2]).toEqual(first.json.results[0]);
    expect(first.json.results[0].statement_id).toBe(`urn:cid:${first.json.results[0].rdfc_cid}`);
    expect((await batch(statements)).status).toBe(200);
  });

  it('stores nothing if one statement is refused, and lists each bad one with index and reason', async () => {
    const bad = await batch([
      data(110),
      data(111, { extra: 1 }),
      data(112),
      7,
      data(113, { data: 'urn:cid:x' }),
    ]);
    expect(bad.status).toBe(400);
    expect(bad.json.details.map((detail: { index: number }) => detail.index)).toEqual([1, 3, 4]);
    expect(bad.json.details[0].reason).toContain('extra is not a member of DataRegistration');
    expect((await batch([data(110), data(112)])).status).toBe(201);
  });

  it.each([
    ['7', 'invalid_statement'],
    ['{"a": 1, "a": 2}', 'invalid_json'],
  ])('names the index of %s in a batch of one', async (text, code) => {
    const body = `{"generate_id": true, "statements": [${text}]}`;
    const { status, json } = await send(service, 'PUT', '/statements/v1/batch', body);
    expect([status, json.code]).toEqual([400, code]);
    expect(json.details).toEqual([expect.objectContaining({ index: 0, code })]);
  });

  it('accepts 10,000 statements', async () => {
    const statements = Array.from({ length: 10_000 }, (_, index) => data(10_000 + index));
    const answer = await batch(statements);
    expect(answer.status).toBe(201);
    expect(answer.json.results).toHaveLength(10_000);
    expect(new Set(answer.json.results.map((result: { rdfc_cid: string }) => result.rdfc_cid)).size).toBe(
      10_000,
    );
    const { json } = await send(
      service,
      'GET',
      `/statements/v1/id/${answer.json.results[9_999].statement_id}`,
    );
    expect(json.timestamp).toBe(statements[9_999]?.timestamp);
  });

  it('refuses more statements than the limit with 413', async () => {
    const answer = await batch(Array.from({ length: 12_001 }, () => ({})));
    expect([answer.status, answer.json.code]).toEqual([413, 'too_large']);
  });

  it('accepts an empty batch, and refuses other values than arrays', async () => {
    expect((await batch([])).json).toEqual({ results: [] });
    const answer = await send(service, 'PUT', '/statements/v1/batch', { statements: { a: 1 } });
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request']);
  });

  it.each(['{"statements":[{},]}', '{"statements":[{}', '{"statements":[,]}', '{"statements":[{} {}]}'])(
    'refuses the broken JSON %s',
    async (body) => {
      const answer = await send(service, 'PUT', '/statements/v1/batch', body);
      expect(answer.status).toBe(400);
    },
  );
});

describe('GET /statements/v1/id/{id}', () => {
  it('answers 304 for the ETag of the requested form', async () => {
    const { json } = await put(data(211));
    const ask = async (accept: string, tag: string) =>
      await send(service, 'GET', `/statements/v1/id/${json.rdfc_cid}`, undefined, {
        accept,
        'if-none-match': `"other", "${tag}"`,
      });
    for (const [accept, own, other] of [
      ['application/json', json.jcs_cid, json.rdfc_cid],
      ['application/n-quads', json.rdfc_cid, json.jcs_cid],
    ]) {
      const same = await ask(accept, own);
      expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', `"${own}"`]);
      expect(same.headers.get('vary')).toBe('Accept');
      expect((await ask(accept, other)).status).toBe(200);
    }
  });

  it('refuses an empty jcs_cid', async () => {
    const { json } = await put(data(210));
    const answer = await send(service, 'GET', `/statements/v1/id/${json.rdfc_cid}?jcs_cid=`);
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_cid']);
  });

  it('answers the statement, or canonical N-Quads on request', async () => {
    const { json } = await put(data(200));
    const asJson = await send(service, 'GET', `/statements/v1/id/${json.rdfc_cid}`);
    expect(asJson.json).toEqual(data(200, { '@id': `urn:cid:${json.rdfc_cid}` }));
    expect(asJson.headers.get('etag')).toBe(`"${json.jcs_cid}"`);
    const asQuads = await send(service, 'GET', `/statements/v1/id/${json.rdfc_cid}`, undefined, {
      accept: 'application/n-quads',
    });
    expect(asQuads.headers.get('content-type')).toContain('application/n-quads');
    expect(asQuads.text.split('\n')).toHaveLength(5);
    expect((await send(service, 'GET', `/store/v1/blob/${json.rdfc_cid}`)).text).toBe(asQuads.text);
  });

  it('answers 404 for an unknown id, 400 for an invalid CID and 406 for another format', async () => {
    const unknown = 'bagb6qaq6ea37jzd3jsdloy7nfjo5xpxeh2yly5o3pmq5dbyk2eqw6x53nxsbo';
    expect((await send(service, 'GET', `/statements/v1/id/${unknown}`)).json.code).toBe('not_found');
    expect((await send(service, 'GET', '/statements/v1/id/hello')).json.code).toBe('invalid_cid');
    const { json } = await put(data(201));
    const answer = await send(service, 'GET', `/statements/v1/id/${json.rdfc_cid}`, undefined, {
      accept: 'text/turtle',
    });
    expect(answer.status).toBe(406);
  });
});

describe('PUT /statements/v1/create/did/{did_key}', () => {
  it('registers a DID once per graph, and answers repeats with 200 and the same statement', async () => {
    const graph_id = await newGraph();
    const first = await send(service, 'PUT', `/statements/v1/create/did/${did}?graph_id=${graph_id}`);
    const again = await send(service, 'PUT', `/statements/v1/create/did/${did}?graph_id=${graph_id}`);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.json).toEqual(first.json);
    expect(first.json.statement).toMatchObject({ '@type': 'DidRegistration', did });
    expect(first.json.statement.registeredBy).toMatch(/^did:key:z6Mk/);
  });

  it('does not take a statement of somebody else for its own, even if that names the service', async () => {
    const graph_id = await newGraph();
    const register = async (query = '') =>
      await send(service, 'PUT', `/statements/v1/create/did/${other}${query}`);
    const other = 'did:key:z6Mkvt1grez4Avdvhqc196hTs6Lxb4qmu1NUdGk2An7QKqnT';
    const { registeredBy } = (await send(service, 'PUT', `/statements/v1/create/did/${did}`)).json.statement;
    const forged = {
      '@context': ownContextUrl,
      '@type': 'DidRegistration',
      did: other,
      registeredBy,
      timestamp: '1999-01-01T00:00:00Z',
    };
    for (const graph of [undefined, graph_id]) {
      const stored = await send(service, 'PUT', '/statements/v1', {
        statement: forged,
        generate_id: true,
        ...(graph && { graph_id: graph }),
      });
      expect(stored.status).toBe(201);
      const query = graph ? `?graph_id=${graph}` : '';
      const first = await register(query);
      expect([first.status, first.json.statement.registeredBy]).toEqual([201, registeredBy]);
      expect(first.json.statement.timestamp).not.toContain('1999');
      const again = await register(query);
      expect([again.status, again.json]).toEqual([200, first.json]);
    }
  });

  it('refuses everything but a did:key of a supported type', async () => {
    const answer = await send(
      service,
      'PUT',
      '/statements/v1/create/did/did:key:z6LSeu9HkTHSfLLeUs2nnzUSNedgDUevfNQgQjQC23ZCit6F',
    );
    expect(answer.status).toBe(400);
    expect(answer.json.error).toContain('X25519');
    expect((await send(service, 'PUT', '/statements/v1/create/did/did:web:example.org')).status).toBe(400);
  });
});
