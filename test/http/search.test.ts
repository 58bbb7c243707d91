import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { StatementKind } from '../../src/domain/integrity/kinds/registry.ts';
import { ownStatement } from '../builders/statements.ts';
import { newGraph as newGraphOf } from './manifest-samples.ts';
import { putBlob, send, useService } from './service.ts';

const service = useService();
const did = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
const urn = (text: string) => cidUrn(cidOf(codecs.raw, text));
const claim = { state: 'claimed' };
const get = async (path: string) => await send(service, 'GET', path);

interface Stored {
  readonly id: string;
  readonly jcs_cid: string;
}

async function put(type: StatementKind, fields: Record<string, unknown>, graph_id?: string): Promise<Stored> {
  const statement = ownStatement(type, { registeredBy: did, ...fields });
  const { status, json } = await send(service, 'PUT', '/statements/v1', {
    statement,
    generate_id: true,
    graph_id,
  });
  expect(status, JSON.stringify(json)).toBeLessThan(300);
  return { id: `urn:cid:${json.rdfc_cid}`, jcs_cid: json.jcs_cid };
}

const newGraph = () => newGraphOf(service);

interface Found {
  readonly id: string;
  readonly role: string;
}

describe('GET /cid/v1/find/{cid}', () => {
  it('answers the blob, the statements by role, the credentials and the graphs', async () => {
    const graph = await newGraph();
    const { json: blob } = await putBlob(service, 'found');
    const thing = `urn:cid:${blob.cid}`;
    const data = await put('DataRegistration', { data: thing }, graph);
    const card = await put('MetadataRegistration', { subject: thing, metadata: urn('card') });
    const bundle = await put('CredentialRegistration', { subject: thing, sigstoreBundle: 'e30=' }, graph);
    const vc = await put('CredentialRegistration', {
      credential: {
        '@context': ['https://www.w3.org/ns/credentials/v2'],
        id: 'urn:uuid:5f1f1c8e-3f6a-4f0e-9d7b-0d6f3f2a9b12',
        type: ['VerifiableCredential'],
        issuer: did,
        validFrom: '2026-01-31T12:00:00Z',
        credentialSubject: { id: thing },
      },
    });
    for (const path of [blob.cid, thing]) {
      const { status, json } = await get(`/cid/v1/find/${path}`);
      expect(status).toBe(200);
      const credential = 'CredentialRegistration';
      expect(json).toEqual({
        cid: blob.cid,
        blob: { size: 5, codec: 'raw' },
        statements: [
          { id: vc.id, type: credential, role: 'credentialSubject', graph_ids: [], trust: claim },
          { id: data.id, type: 'DataRegistration', role: 'data', graph_ids: [graph], trust: claim },
          { id: bundle.id, type: credential, role: 'subject', graph_ids: [graph], trust: claim },
          { id: card.id, type: 'MetadataRegistration', role: 'subject', graph_ids: [], trust: claim },
        ],
        credentials: ['urn:uuid:5f1f1c8e-3f6a-4f0e-9d7b-0d6f3f2a9b12', bundle.id],
        graphs: [graph],
      });
    }
    const inGraph = await get(`/cid/v1/find/${blob.cid}?graph_id=${graph}`);
    expect(inGraph.json.statements.map(({ id }: Found) => id)).toEqual([data.id, bundle.id]);
  });

  it('finds a statement by either of its ids, with all of its forms', async () => {
    const [a, b] = [urn('one'), urn('other')];
    const first = await put('DataRegistration', { data: [a, b] });
    const second = await put('DataRegistration', { data: [b, a] });
    expect(second.id).toBe(first.id);
    const about = await put('GovernanceRegistration', { subject: first.id, document: urn('approval') });
    const byId = await get(`/cid/v1/find/${first.id}`);
    expect(byId.json).toMatchObject({
      cid: first.id.slice('urn:cid:'.length),
      blob: null,
      statements: [
        { id: first.id, type: 'DataRegistration', role: 'self' },
        { id: about.id, role: 'subject' },
      ],
      variants: [first.jcs_cid, second.jcs_cid],
    });
    const byForm = await get(`/cid/v1/find/${second.jcs_cid}`);
    expect(byForm.json).toMatchObject({
      statements: [{ id: first.id, role: 'self' }],
      variants: [first.jcs_cid, second.jcs_cid],
    });
    const pages = await allPages(`/cid/v1/find/${first.id}`, 1);
    expect(pages.map(({ statements }) => statements.map(({ role }: Found) => role))).toEqual([
      ['self'],
      [],
      ['subject'],
    ]);
    expect(pages.flatMap(({ variants = [] }) => variants)).toEqual([first.jcs_cid, second.jcs_cid]);
  });

  it('finds UUIDs and DIDs in any spelling', async () => {
    const entity = randomUUID();
    const { id } = await put('EntityRegistration', { entity: `urn:uuid:${entity}` });
    for (const path of [entity, entity.toUpperCase(), `urn:uuid:${entity}`]) {
      const { json } = await get(`/cid/v1/find/${path}`);
      expect(json).toMatchObject({ cid: entity, blob: null, statements: [{ id, role: 'entity' }] });
    }
    const actor = 'did:web:example.org/path?query#key';
    const registered = await put('DidRegistration', { did: actor });
    const { json } = await get(`/cid/v1/find/${encodeURIComponent(actor)}`);
    expect(json).toMatchObject({ cid: actor, statements: [{ id: registered.id, role: 'did' }] });
  });

  it('is read page by page', async () => {
    const thing = urn('paged');
    const stored: string[] = [];
    for (let at = 0; at < 7; at += 1) {
      const { id } = await put('MetadataRegistration', { subject: thing, metadata: urn(`card ${at}`) });
      stored.unshift(id);
    }
    for (const limit of [1, 3, 7, 100]) {
      const pages = await allPages(`/cid/v1/find/${thing}`, limit);
      expect(pages.flatMap(({ statements }) => statements.map(({ id }: Found) => id))).toEqual(stored);
    }
  });

  it('answers 404 for an unknown identifier and an unknown graph', async () => {
    for (const path of [
      urn('unknown'),
      randomUUID(),
      'did:web:unknown',
      `${urn('paged')}?graph_id=${randomUUID()}`,
    ]) {
      const { status, json } = await get(`/cid/v1/find/${path}`);
      expect([status, json.code]).toEqual([404, 'not_found']);
    }
  });

  it.each(['hello', 'urn:cid:', 'did:', 'urn:uuid:hello', 'urn:other:thing', 'x'.repeat(3_000)])(
    'refuses %s',
    async (path) => {
      expect((await get(`/cid/v1/find/${path}`)).status).toBe(400);
    },
  );

  it.each(['limit=0', 'limit=1001', 'limit=-1', 'cursor=hello', 'cursor=fhello', 'cursor=rhello', 'cursor='])(
    'refuses ?%s',
    async (query) => {
      await put('DataRegistration', { data: urn('queried') });
      expect((await get(`/cid/v1/find/${urn('queried')}?${query}`)).status).toBe(400);
    },
  );
});

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at freely
async function allPages(path: string, limit: number): Promise<any[]> {
  const pages = [];
  for (let cursor = ''; cursor !== undefined; ) {
    const { status, json } = await get(
      `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${cursor}`}`,
    );
    expect(status).toBe(200);
    pages.push(json);
    cursor = json.next_cursor;
  }
  return pages;
}

describe('names', () => {
  const subjectsOf = ({ statements }: { statements: { statement: { subject: string } }[] }) =>
    statements.map(({ statement }) => statement.subject);
  const named = async (subject: string, document: object, graph?: string) => {
    const { json } = await send(service, 'PUT', '/store/v1/jcs', document);
    await put('MetadataRegistration', { subject, metadata: `urn:cid:${json.cid}` }, graph);
  };
  const names = async (body: object) => await send(service, 'POST', '/names/v1', body);

  it('are read for many things at once, and searched by their start', async () => {
    const [one, other] = [urn('to name'), urn('to name as well')];
    await named(one, { title: 'Fraud model 1' });
    await named(other, { path: 'fraud MODEL 2', name: '' });
    const asked = await names({ ids: [one.slice('urn:cid:'.length), other, urn('nameless')] });
    expect(asked.json).toEqual({ names: { [one]: 'Fraud model 1', [other]: 'fraud MODEL 2' } });
    const first = await get('/statements/v1?name=FRAUD%20model&limit=1');
    expect(subjectsOf(first.json)).toEqual([one]);
    const next = `name=FRAUD%20model&limit=1&cursor=${first.json.next_cursor}`;
    const rest = await get(`/statements/v1?${next}`);
    expect(subjectsOf(rest.json)).toEqual([other]);
    expect(rest.json.next_cursor).toBeUndefined();
    expect((await get(`/statements/v1?${next}x`)).status).toBe(400);
    expect(subjectsOf((await get(`/statements/v1?name=fraud&subject=${other}`)).json)).toEqual([other]);
  });

  it('are cut after 200 characters, and the document stays as it is', async () => {
    const long = `${'\u{1f5ff}\u202e\n'}${'long '.repeat(2_000)}`;
    await named(urn('long'), { name: long });
    const { json } = await names({ ids: [urn('long')] });
    const name: string = json.names[urn('long')];
    expect([...name].length).toBeLessThanOrEqual(200);
    expect(name).toMatch(/^\u{1f5ff} long long /u);
  });

  it.each([
    ['1,001 identifiers', { ids: Array(1_001).fill(urn('x')) }],
    ['something else than an identifier', { ids: ['x'] }],
    ['no list', {}],
  ])('are refused for %s', async (_, body) => {
    expect((await names(body)).status).toBe(400);
  });

  it.each(['', '%20', 'x'.repeat(201), 'x'.repeat(1 << 20)])(
    'are not searched by a start of no or too many characters',
    async (start) => {
      expect((await get(`/statements/v1?name=${start}`)).status).toBe(400);
    },
  );
});

describe('GET /statements/v1', () => {
  const ids = (json: { statements: Found[] }) => json.statements.map(({ id }) => id);

  it('finds statements by type, subject, actor, graph and time, newest first', async () => {
    const graph = await newGraph();
    const registeredBy = 'did:web:searched.example';
    const thing = urn('searched');
    const at = (day: number) => ({ timestamp: `2026-03-0${day}T00:00:00Z`, registeredBy });
    const card = await put('MetadataRegistration', { subject: thing, metadata: urn('1'), ...at(1) }, graph);
    const policy = await put('GovernanceRegistration', { subject: thing, document: urn('2'), ...at(2) });
    const data = await put('DataRegistration', { data: thing, ...at(3) }, graph);
    const found = async (query: string) => ids((await get(`/statements/v1?${query}`)).json);
    expect(await found(`registered_by=${registeredBy}`)).toEqual([data.id, policy.id, card.id]);
    expect(await found(`subject=${thing}`)).toEqual([policy.id, card.id]);
    expect(await found(`graph_id=${graph}`)).toEqual([data.id, card.id]);
    expect(await found(`graph_id=urn:uuid:${graph}&subject=${thing}`)).toEqual([card.id]);
    expect(await found(`type=GovernanceRegistration&registered_by=${registeredBy}`)).toEqual([policy.id]);
    const span = `registered_by=${registeredBy}&after=2026-03-01T01:00:00%2B01:00&before=2026-03-03T00:00:00Z`;
    expect(await found(span)).toEqual([policy.id, card.id]);
    expect(await found('type=Unknown')).toEqual([]);
    expect(await found(`subject=${urn('never')}`)).toEqual([]);
  });

  it('finds the statements of a batch by their times', async () => {
    const statement = (second: number) => ({
      '@context': ownContextUrl,
      '@type': 'DataRegistration',
      registeredBy: did,
      timestamp: `2025-01-01T00:00:0${second}Z`,
      data: urn('batched'),
    });
    const statements = [0, 1, 2, 3].map(statement);
    await send(service, 'PUT', '/statements/v1/batch', { statements, generate_id: true });
    const { json } = await get('/statements/v1?after=2025-01-01T00:00:01Z&before=2025-01-01T00:00:03Z');
    const times = json.statements.map(
      ({ statement }: { statement: { timestamp: string } }) => statement.timestamp,
    );
    expect(times).toEqual(['2025-01-01T00:00:02Z', '2025-01-01T00:00:01Z']);
  });

  it('answers whole statements', async () => {
    const graph = await newGraph();
    const { id, jcs_cid } = await put('DataRegistration', { data: urn('whole') }, graph);
    const { json } = await get(`/statements/v1?graph_id=${graph}`);
    const stored = await get(`/statements/v1/id/${id}`);
    const type = 'DataRegistration';
    expect(json).toEqual({
      statements: [{ id, jcs_cid, type, graph_ids: [graph], trust: claim, statement: stored.json }],
    });
  });

  it('finds a statement as soon as its write is answered, page by page', async () => {
    const graph = await newGraph();
    const stored: string[] = [];
    for (let at = 0; at < 9; at += 1) {
      stored.unshift((await put('DataRegistration', { data: urn(`soon ${at}`) }, graph)).id);
      expect(ids((await get(`/statements/v1?graph_id=${graph}`)).json)).toEqual(stored);
    }
    for (const limit of [1, 4, 9]) {
      const pages = await allPages(`/statements/v1?graph_id=${graph}`, limit);
      expect(pages.flatMap(ids)).toEqual(stored);
    }
  });

  it.each([
    'limit=0',
    'limit=1001',
    'cursor=made-up',
    'cursor=1.abcdefghijkl',
    'after=yesterday',
    'after=2026-02-30T00:00:00Z',
    'before=2026-01-01',
    'before=2026-01-01T00:00:00+01:00',
    'subject=hello',
    'registered_by=me',
    'graph_id=x',
    'type=',
  ])('refuses ?%s', async (query) => {
    expect((await get(`/statements/v1?${query}`)).status).toBe(400);
  });

  it('answers 404 for an unknown graph', async () => {
    const { status, json } = await get(`/statements/v1?graph_id=${randomUUID()}`);
    expect([status, json.code]).toEqual([404, 'not_found']);
  });
});
