import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { carHeader, sectionHead } from '../../src/domain/integrity/car/writing.ts';
import { ownContext, ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { ContextWorld, contextDocument } from '../../src/domain/integrity/contexts/world.ts';
import { StatementIdentifier } from '../../src/domain/integrity/identification/identify.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import {
  blobUrn,
  dataStatement,
  did,
  identifierWith,
  identifyOptions,
  type Json,
} from '../builders/statements.ts';
import { temporaryFolder } from '../storage/temporary-folder.ts';
import { describeTestData, listTestData, readTestBytes, readTestJson, readTestText } from '../test-data.ts';
import {
  carType,
  everything,
  exportBytes,
  importBytes,
  newGraph,
  putStatements,
} from './manifest-samples.ts';
import { putBlob, send, useService } from './service.ts';

const ownContextText = ownContext.versions.get(ownContext.url) ?? '';

const service = useService();
const limited = useService({ CAIRN_MAX_MANIFEST_BYTES: '2MiB', CAIRN_MAX_STATEMENT_BYTES: '64KiB' });

/** A statement with its id, computed with the bundled contexts and these. */
async function identified(statement: Json, contexts: Readonly<Record<string, object>> = {}) {
  return await identifiedWith(identifierWith(contexts).world, statement);
}

async function identifiedWith(world: ContextWorld, statement: Json) {
  const options = { ...identifyOptions, strict: false };
  const bytes = Buffer.from(JSON.stringify(statement));
  const { jcs, rdfcCid } = await new StatementIdentifier(world).identify(bytes, options);
  return { id: cidUrn(rdfcCid), statement: JSON.parse(jcs) as Json };
}

interface Parts {
  readonly statements?: readonly { id: string; statement: Json }[];
  readonly contexts?: object;
  readonly blobs?: object;
  readonly anchors?: unknown;
  readonly version?: unknown;
}

function manifestOf({ statements = [], contexts = {}, blobs = {}, version = '3', anchors }: Parts) {
  const byId = Object.fromEntries(statements.map(({ id, statement }) => [id, statement]));
  return { version, contexts, statements: byId, blobs, ...(anchors !== undefined && { anchors }) };
}

const unique = () => identified(dataStatement(blobUrn(randomUUID())) as Json);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const found = async (id: string) => (await send(service, 'GET', `/statements/v1/id/${id}`)).status;

describe('POST /manifest/v1', () => {
  it('registers a graph with the given id, name and parent', async () => {
    const parent = await newGraph(service);
    const graph = randomUUID();
    const one = await unique();
    const query = `graph_id=${graph}&name=evidence&parent_id=${parent}`;
    const answer = await importBytes(service, manifestOf({ statements: [one] }), query);
    expect([answer.status, answer.json.graph_id]).toEqual([201, graph]);
    const children = await send(service, 'GET', `/graph/v1/${parent}`);
    expect(children.json.graphs).toEqual([
      { graph_id: graph, name: 'evidence', parent_id: parent, project_id: parent, statements: 1 },
    ]);
    expect(await found(one.id)).toBe(200);
  });

  it('answers 200 for a repeat with the same content, and 409 with other content', async () => {
    const graph = randomUUID();
    const [one, two, three] = [await unique(), await unique(), await unique()];
    const both = manifestOf({
      statements: [one, two],
      blobs: { [cidOf(codecs.raw, 'b').text]: base64('b') },
    });
    expect((await importBytes(service, both, `graph_id=${graph}`)).status).toBe(201);
    const again = await importBytes(service, both, `graph_id=${graph}`);
    expect([again.status, again.json.statements, again.json.blobs]).toEqual([
      200,
      { stored: 0, known: 2 },
      { stored: 0, known: 1 },
    ]);
    for (const content of [
      manifestOf({ statements: [one, three] }),
      manifestOf({ statements: [one], anchors: [{ statements: [one.id] }] }),
    ]) {
      const other = await importBytes(service, content, `graph_id=${graph}`);
      expect([other.status, other.json.code]).toEqual([409, 'conflict']);
    }
    expect(await found(three.id)).toBe(404);
    const own = await exportBytes(service, `graph_ids=${graph}&${everything}`);
    expect((await importBytes(service, own, `graph_id=${graph}`)).status).toBe(200);
    const elsewhere = await importBytes(service, own, `graph_id=${graph}&parent_id=${randomUUID()}`);
    expect(elsewhere.status).toBe(409);
  });

  it('refuses unknown parameters, so that a misspelt parent is not ignored', async () => {
    const answer = await importBytes(service, manifestOf({}), `parent=${randomUUID()}`);
    expect([answer.status, answer.json.error]).toEqual([400, expect.stringContaining('"parent"')]);
  });

  it('accepts two concurrent imports of the same manifest', async () => {
    const graph = randomUUID();
    const [one, other] = [
      manifestOf({ statements: [await unique()] }),
      manifestOf({ statements: [await unique()] }),
    ];
    const twins = await Promise.all([1, 2].map(() => importBytes(service, one, `graph_id=${graph}`)));
    expect(twins.map(({ status }) => status).toSorted()).toEqual([200, 201]);
    const rival = randomUUID();
    const both = await Promise.all(
      [one, other].map((each) => importBytes(service, each, `graph_id=${rival}`)),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  it('creates a new graph each time without a graph id', async () => {
    const manifest = manifestOf({ statements: [await unique()] });
    const answers = [await importBytes(service, manifest), await importBytes(service, manifest)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[0]?.json.graph_id).not.toBe(answers[1]?.json.graph_id);
  });

  it('keeps anchors and exports them again, byte for byte', async () => {
    const one = await unique();
    const anchor = `{ "statements": ["${one.id}"],\n "payload": {"type": "StatementId"}, "n": 1.50 }`;
    const manifest = JSON.stringify(manifestOf({ statements: [one] })).slice(0, -1);
    const answer = await importBytes(service, `${manifest},"anchors": [ ${anchor} , {"b":2}]}`);
    expect(answer.status, answer.text).toBe(201);
    const exported = (await exportBytes(service, `graph_ids=${answer.json.graph_id}`)).toString();
    expect(exported.endsWith(`,"anchors":[${anchor},{"b":2}]}`)).toBe(true);
  });

  it('accepts parts in any order, white space, null for missing parts, and foreign members', async () => {
    const one = await unique();
    const statements = JSON.stringify({ [one.id]: one.statement }, undefined, 2);
    const text = `\n{ "anchors": null, "blobs" : null, "tool": {"by": ["]}"]},\r\n"statements":${statements}, "version":"3" }\n`;
    const answer = await importBytes(service, text);
    expect([answer.status, answer.json?.statements]).toEqual([201, { stored: 1, known: 0 }]);
  });

  describe('refuses, and stores nothing of', () => {
    const some = () => unique();
    type Case = [name: string, make: () => Promise<unknown>, code: string, place?: string];

    it.each<Case>([
      ['JSON that is not a manifest', async () => ({ hello: 'world' }), 'invalid_request', 'no "version"'],
      ['an array', async () => '[]', 'invalid_json'],
      ['nothing', async () => '', 'invalid_json'],
      [
        'version 1',
        async () => manifestOf({ statements: [await some()], version: '1' }),
        'invalid_request',
        'version "1"',
      ],
      [
        'version 2',
        async () => manifestOf({ statements: [await some()], version: 2 }),
        'invalid_request',
        'version 2',
      ],
      [
        'version 9',
        async () => manifestOf({ statements: [await some()], version: '9' }),
        'invalid_request',
        'version "9"',
      ],
      [
        'statements that are a list',
        async () => ({ version: '3', statements: [] }),
        'invalid_request',
        'is not an object',
      ],
      ['no statements', async () => ({ version: '3' }), 'invalid_request', '"statements"'],
      [
        'an incomplete manifest',
        async () => JSON.stringify(manifestOf({ statements: [await some()] })).slice(0, -30),
        'invalid_json',
      ],
      ['something after the manifest', async () => `${JSON.stringify(manifestOf({}))}x`, 'invalid_json'],
      [
        'the same part twice',
        async () => '{"version":"3","statements":{},"statements":{}}',
        'invalid_request',
        'twice',
      ],
      [
        'a key that is not the @id',
        async () => ({ version: '3', statements: { [(await some()).id]: (await some()).statement } }),
        'id_mismatch',
        '/statements/urn:cid:',
      ],
      [
        'a statement without @id',
        async () => {
          const {
            id,
            statement: { '@id': _, ...statement },
          } = await some();
          return manifestOf({ statements: [{ id, statement }] });
        },
        'missing_id',
        '/statements/urn:cid:',
      ],
      [
        'a changed statement',
        async () => {
          const { id, statement } = await some();
          return manifestOf({
            statements: [{ id, statement: { ...statement, timestamp: '2026-01-31T12:00:01Z' } }],
          });
        },
        'id_mismatch',
        '/@id',
      ],
      [
        'a repeated statement',
        async () => {
          const { id, statement } = await some();
          const member = `"${id}":${JSON.stringify(statement)}`;
          return `{"version":"3","statements":{${member},${member}}}`;
        },
        'invalid_request',
        'twice',
      ],
      [
        'a statement that is not an object',
        async () => ({ version: '3', statements: { [(await some()).id]: 7 } }),
        'invalid_statement',
      ],
      [
        'a statement with a repeated key',
        async () => {
          const { id, statement } = await some();
          return `{"version":"3","statements":{"${id}":${JSON.stringify(statement).slice(0, -1)},"@id":"${id}"}}}`;
        },
        'invalid_json',
      ],
      [
        'an unknown context',
        async () => {
          const { id } = await some();
          return manifestOf({
            statements: [{ id, statement: { '@context': 'https://nowhere.example/c', '@id': id, a: 'b' } }],
          });
        },
        'unknown_context',
        'nowhere.example',
      ],
      [
        'a repeated context',
        async () => `{"version":"3","statements":{},"contexts":{"urn:x":{},"urn:x":{}}}`,
        'invalid_request',
        'twice',
      ],
      [
        'a context that is not an object',
        async () => manifestOf({ contexts: { 'urn:x': 'text' } }),
        'unknown_context',
      ],
      [
        'a context whose URL is not valid Unicode',
        async () => '{"version":"3","statements":{},"contexts":{"urn:\\ud800":{}}}',
        'invalid_json',
        'well-formed',
      ],
      [
        'a context that is not UTF-8',
        async () => Buffer.from('{"version":"3","statements":{},"contexts":{"urn:x":{"\xff":1}}}', 'latin1'),
        'invalid_json',
        '/contexts/urn:x',
      ],
      [
        'an ambiguous context',
        async () =>
          '{"version":"3","statements":{},"contexts":{"urn:x":{"@context":{},"@context":{"a":"urn:a"}}}}',
        'invalid_json',
        '/contexts/urn:x/@context',
      ],
      [
        'a foreign member that is not JSON',
        async () => '{"version":"3","statements":{},"tool":[}}',
        'invalid_json',
        '/tool',
      ],
      [
        'a blob with other bytes',
        async () => manifestOf({ blobs: { [cidOf(codecs.raw, 'a').text]: base64('b') } }),
        'cid_mismatch',
        '/blobs/bafkr4i',
      ],
      [
        'a blob whose base64 is broken',
        async () => manifestOf({ blobs: { [cidOf(codecs.raw, 'a').text]: 'YQ=' } }),
        'invalid_request',
        '/blobs/bafkr4i',
      ],
      [
        'a blob whose base64 is not canonical',
        async () => manifestOf({ blobs: { [cidOf(codecs.raw, 'a').text]: 'YR==' } }),
        'invalid_request',
        '/blobs/bafkr4i',
      ],
      [
        'a blob that is not a string',
        async () => manifestOf({ blobs: { [cidOf(codecs.raw, 'a').text]: 1 } }),
        'invalid_request',
        '/blobs/bafkr4i',
      ],
      [
        'a repeated blob',
        async () => {
          const member = `"${cidOf(codecs.raw, 'a').text}":"YQ=="`;
          return `{"version":"3","statements":{},"blobs":{${member},${member}}}`;
        },
        'invalid_request',
        'twice',
      ],
      [
        'a blob whose name is not a CID',
        async () => manifestOf({ blobs: { blob: base64('a') } }),
        'invalid_cid',
        '/blobs/blob',
      ],
      [
        'an anchor that is not an object',
        async () => manifestOf({ anchors: ['x'] }),
        'invalid_request',
        '/anchors/0',
      ],
      [
        'an anchor with a repeated key',
        async () => '{"version":"3","statements":{},"anchors":[{"a":{"b":1,"b":2}}]}',
        'invalid_json',
        '/anchors/0/a/b',
      ],
      [
        'a statement in an anchor that does not match its @id',
        async () => {
          const one = await unique();
          const changed = { ...one.statement, timestamp: '2020-01-01T00:00:00Z' };
          return manifestOf({
            statements: [one],
            anchors: [{ statements: [one.id, one.statement, changed] }],
          });
        },
        'id_mismatch',
        '/anchors/0/statements/2',
      ],
      [
        'a statement under a very long key',
        async () => manifestOf({ statements: [{ ...(await some()), id: 'k'.repeat(60_000) }] }),
        'id_mismatch',
        '/statements/kkk',
      ],
      [
        'anchors that are not a list',
        async () => manifestOf({ anchors: {} }),
        'invalid_request',
        'is not an array',
      ],
    ])('%s', async (_name, make, code, place = '') => {
      const graph = randomUUID();
      const good = await unique();
      const manifest = (await make()) as object | string;
      const answer = await importBytes(service, withGood(manifest, good), `graph_id=${graph}`);
      expect([answer.status, answer.json.code], answer.text).toEqual([400, code]);
      expect(answer.json.error).toContain(place);
      expect(answer.text.length).toBeLessThan(2_000);
      expect((await send(service, 'GET', `/graph/v1/${graph}`)).status).toBe(404);
      expect(await found(good.id)).toBe(404);
    });

    /** A valid statement comes first, to check that it is not stored either. */
    function withGood(manifest: object | string, good: { id: string; statement: Json }): object | string {
      if (
        typeof manifest === 'string' ||
        manifest instanceof Uint8Array ||
        !('statements' in manifest) ||
        Array.isArray(manifest.statements)
      )
        return manifest;
      return { ...manifest, statements: { [good.id]: good.statement, ...(manifest.statements as object) } };
    }

    it('more bytes than the limit, even if they are spaces', async () => {
      const endless = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1 << 16).fill(0x20)),
      });
      const init = {
        method: 'POST',
        body: endless,
        duplex: 'half',
        headers: { 'content-type': 'application/json' },
      };
      const answer = await limited.app.request('/manifest/v1', init as RequestInit);
      expect(answer.status).toBe(413);
      expect(await answer.text()).toContain('CAIRN_MAX_MANIFEST_BYTES');
      const announced = await importBytes(limited, Buffer.alloc(3 << 20, 0x20));
      expect([announced.status, announced.json.code]).toEqual([413, 'too_large']);
      const spaces = await importBytes(limited, Buffer.alloc(1 << 20, 0x20));
      expect([spaces.status, spaces.json.code]).toEqual([400, 'invalid_json']);
    });

    it('a statement over the limit', async () => {
      const { id, statement } = await unique();
      const large = { ...statement, executedOn: 'x'.repeat(70_000) };
      const answer = await importBytes(limited, manifestOf({ statements: [{ id, statement: large }] }));
      expect([answer.status, answer.json.code]).toEqual([413, 'too_large']);
    });

    it('other kinds of bodies', async () => {
      expect((await importBytes(service, '{}', '', 'text/plain')).status).toBe(415);
      expect((await importBytes(service, '{}', `graph_id=x`)).status).toBe(400);
      const orphan = await importBytes(service, manifestOf({}), `parent_id=${randomUUID()}`);
      expect([orphan.status, orphan.json.code]).toEqual([404, 'not_found']);
    });
  });

  describe('with contexts of its own', () => {
    const termsOf = (iri: string) => ({ '@context': { '@version': 1.1, name: iri, says: `${iri}/says` } });

    it('accepts a trusted context in another JSON form', async () => {
      const one = await unique();
      const contexts = { [ownContextUrl]: JSON.parse(ownContextText) };
      const text = JSON.stringify(manifestOf({ statements: [one], contexts }), undefined, 3);
      const answer = await importBytes(service, text);
      expect([answer.status, answer.json.contexts, answer.json.unverified_contexts]).toEqual([201, 1, []]);
      expect(await found(one.id)).toBe(200);
    });

    it('trusts a context whose bytes match the CID in its URL, and keeps it', async () => {
      const text = `{ "@context": {"name": "https://terms.example/${randomUUID()}"} }\n`;
      const url = cidUrn(cidOf(codecs.raw, text));
      const one = await identified({ '@context': url, name: 'one' }, { [url]: JSON.parse(text) });
      const manifest = JSON.stringify(manifestOf({ statements: [one] }));
      const exact = manifest.replace('"contexts":{}', () => `"contexts":{"${url}":${text}}`);
      const answer = await importBytes(service, exact);
      expect([answer.status, answer.json.unverified_contexts], answer.text).toEqual([201, []]);
      expect(await found(one.id)).toBe(200);
      const exported = await exportBytes(service, `graph_ids=${answer.json.graph_id}&${everything}`);
      expect(exported.toString()).toContain(`"${url}":${text}}`);
      expect(
        (
          await send(service, 'PUT', '/statements/v1', {
            generate_id: true,
            statement: { '@context': url, name: 'two' },
          })
        ).status,
      ).toBe(201);
    });

    it('keeps statements with unverified contexts inside their graph', async () => {
      const url = `https://contexts.example/${randomUUID()}`;
      const document = termsOf('https://terms.example/name');
      const one = await identified({ '@context': url, name: 'one' }, { [url]: document });
      const answer = await importBytes(
        service,
        manifestOf({ statements: [one], contexts: { [url]: document } }),
      );
      expect([answer.status, answer.json.unverified_contexts]).toEqual([201, [url]]);
      expect(await found(one.id)).toBe(404);
      const exported = await exportBytes(service, `graph_ids=${answer.json.graph_id}&${everything}`);
      expect(JSON.parse(exported.toString())).toEqual(
        manifestOf({ statements: [one], contexts: { [url]: document } }),
      );
      expect((await importBytes(service, exported, `graph_id=${answer.json.graph_id}`)).status).toBe(200);
      const unknown = await send(service, 'PUT', '/statements/v1', {
        generate_id: true,
        statement: { '@context': url, name: 'two' },
      });
      expect(unknown.json.code).toBe('unknown_context');
    });

    it('does not trust a statement with one verified and one unverified context', async () => {
      const url = `https://contexts.example/${randomUUID()}`;
      const document = termsOf('https://terms.example/name');
      const mixed = { ...dataStatement(blobUrn(url)), '@context': [ownContextUrl, url], name: 'mixed' };
      const one = await identified(mixed, { [url]: document });
      const manifest = manifestOf({ statements: [one], contexts: { [url]: document } });
      const answer = await importBytes(service, manifest);
      expect([answer.status, answer.json.unverified_contexts], answer.text).toEqual([201, [url]]);
      expect(await found(one.id)).toBe(404);
    });

    it('does not let a forged context change what an id answers, or any lineage', async () => {
      const graph = await newGraph(service);
      const genuine = dataStatement(blobUrn(`genuine ${graph}`)) as Json;
      const [id] = await putStatements(service, graph, [genuine]);
      const target = blobUrn(`target ${graph}`);
      // In this context a false statement has the RDF of the genuine one.
      const forged = {
        '@context': {
          DataRegistration: { '@id': 'https://eqtylab.io/terms/DataRegistration' },
          registeredBy: 'https://eqtylab.io/terms/registeredBy',
          timestamp: {
            '@id': 'https://eqtylab.io/terms/timestamp',
            '@type': 'http://www.w3.org/2001/XMLSchema#dateTime',
          },
          real: { '@id': 'https://eqtylab.io/terms/data', '@type': '@id' },
          data: null,
          output: null,
        },
      };
      for (const url of [ownContextUrl, 'https://forged.example/context']) {
        const claim = {
          '@context': url,
          '@id': id,
          '@type': 'DataRegistration',
          registeredBy: did,
          timestamp: genuine.timestamp,
          real: genuine.data,
          // Members that the own context drops are refused everywhere.
          ...(url !== ownContextUrl && { data: target }),
        };
        const manifest = manifestOf({
          statements: [{ id: String(id), statement: claim }],
          contexts: { [url]: forged },
        });
        const answer = await importBytes(service, manifest);
        expect([answer.status, answer.json.unverified_contexts], answer.text).toEqual([201, [url]]);
        const text = JSON.stringify(claim);
        expect((await send(service, 'GET', `/statements/v1/id/${id}`)).json).toEqual({
          ...genuine,
          '@id': id,
        });
        expect(JSON.parse((await exportBytes(service, `graph_ids=${graph}`)).toString()).statements).toEqual({
          [String(id)]: { ...genuine, '@id': id },
        });
        const own = JSON.parse(
          (await exportBytes(service, `graph_ids=${answer.json.graph_id}&${everything}`)).toString(),
        );
        expect(own.statements[String(id)]).toEqual(JSON.parse(text));
        const again = await send(service, 'PUT', '/statements/v1', { statement: { ...genuine, '@id': id } });
        expect(again.status).toBe(200);
        // With both, the id means the genuine one.
        const both = await send(
          service,
          'GET',
          `/manifest/v1?graph_ids=${graph},${answer.json.graph_id}&${everything}`,
        );
        expect(both.json.statements).toEqual({ [String(id)]: { ...genuine, '@id': id } });
      }
    });

    it('answers by its id once its context is trusted, while false forms of it stay in their graph', async () => {
      const folder = await temporaryFolder();
      const path = join('https', 'contexts.example', randomUUID());
      const url = path.replace('https', 'https:/');
      const [honest, forged] = ['honest', 'forged'].map((name) => termsOf(`https://terms.example/${name}`));
      const one = await identified({ '@context': url, name: url }, { [url]: honest as Json });
      const claim = {
        ...one,
        statement: { ...one.statement, '@context': [url, { lie: null }], lie: 'a lie' },
      };
      const graphOf = async (manifest: object) => {
        const answer = await importBytes(service, manifest);
        expect([answer.status, answer.json.unverified_contexts], answer.text).toEqual([201, [url]]);
        return answer.json.graph_id;
      };
      const contexts = { [url]: honest };
      const graphs = [
        await graphOf(manifestOf({ statements: [one], contexts })),
        await graphOf(manifestOf({ statements: [claim], contexts })),
      ];
      const other = await identified({ '@context': url, name: url }, { [url]: forged as Json });
      graphs.push(await graphOf(manifestOf({ statements: [other], contexts: { [url]: forged } })));
      const exportsOf = () =>
        Promise.all(graphs.map((graph) => exportBytes(service, `graph_ids=${graph}&${everything}`)));
      const before = await exportsOf();
      expect([await found(one.id), await found(other.id)]).toEqual([404, 404]);

      await mkdir(join(folder, 'https', 'contexts.example'), { recursive: true });
      await writeFile(join(folder, path), JSON.stringify(honest));
      await service.restart({ CAIRN_CONTEXTS_DIR: folder });
      expect([await found(one.id), await found(other.id)]).toEqual([404, 404]);
      const again = await importBytes(service, manifestOf({ statements: [one], contexts }));
      expect([again.status, again.json.unverified_contexts], again.text).toEqual([201, []]);
      expect((await send(service, 'GET', `/statements/v1/id/${one.id}`)).json).toEqual(one.statement);
      expect(await found(other.id)).toBe(404);
      expect(await exportsOf()).toEqual(before);
      const { '@id': _, ...statement } = one.statement;
      const computed = await send(service, 'POST', '/utils/v1/integrity/statement/compute-id', { statement });
      expect(computed.json.id).toBe(one.id);
      await service.restart();
    });

    it.each([
      ['a/../forged', 'forged'],
      ['./forged', 'forged'],
      ['', './'],
    ])('resolves the context %j to %j, as JSON-LD does', async (spelling, url) => {
      const own = dataStatement(blobUrn(randomUUID())) as Json;
      const { id, statement: genuine } = await identified(own);
      const term = (name: string, type: string) => ({
        '@id': `https://eqtylab.io/terms/${name}`,
        '@type': type,
      });
      const forged = {
        '@context': {
          Claim: 'https://eqtylab.io/terms/DataRegistration',
          by: 'https://eqtylab.io/terms/registeredBy',
          at: term('timestamp', 'http://www.w3.org/2001/XMLSchema#dateTime'),
          what: term('data', '@id'),
        },
      };
      const { registeredBy, timestamp, data } = own;
      const claim = { '@context': spelling, '@id': id, '@type': 'Claim', by: registeredBy, at: timestamp };
      const statement = { ...claim, what: data, lie: url };
      const manifest = manifestOf({ statements: [{ id, statement }], contexts: { [url]: forged } });
      const answer = await importBytes(service, manifest);
      expect([answer.status, answer.json.unverified_contexts], answer.text).toEqual([201, [url]]);
      expect(await found(id)).toBe(404);
      await putStatements(service, undefined, [own]);
      expect((await send(service, 'GET', `/statements/v1/id/${id}`)).json).toEqual(genuine);
      const exported = await exportBytes(service, `graph_ids=${answer.json.graph_id}&${everything}`);
      expect(JSON.parse(exported.toString())).toEqual(manifest);
    });

    it('leaves out statements that give a URL another meaning than trusted statements', async () => {
      const graph = await newGraph(service);
      await putStatements(service, graph, [dataStatement(blobUrn(`trusted ${graph}`))]);
      const forged = { '@context': { name: 'https://terms.example/forged' } };
      const claim = await identifiedWith(
        new ContextWorld([contextDocument(ownContextUrl, JSON.stringify(forged))]),
        {
          '@context': ownContextUrl,
          name: graph,
        },
      );
      const manifest = manifestOf({ statements: [claim], contexts: { [ownContextUrl]: forged } });
      const imported = await importBytes(service, manifest);
      expect(imported.status, imported.text).toBe(201);
      const alone = await send(
        service,
        'GET',
        `/manifest/v1?graph_ids=${imported.json.graph_id}&${everything}`,
      );
      expect([Object.keys(alone.json.statements), alone.headers.get('cairn-left-out-statements')]).toEqual([
        [claim.id],
        null,
      ]);
      const both = await send(
        service,
        'GET',
        `/manifest/v1?graph_ids=${imported.json.graph_id},${graph}&${everything}`,
      );
      expect(Object.keys(both.json.statements)).not.toContain(claim.id);
      expect(both.headers.get('cairn-left-out-statements')).toBe('1');
      expect(both.json.contexts[ownContextUrl]).toEqual(JSON.parse(ownContextText));
    });
  });

  describe('as a CAR', () => {
    async function exportedCar(): Promise<Buffer> {
      const graph = await newGraph(service);
      await putBlob(service, `blob of ${graph}`);
      await putStatements(service, graph, [dataStatement(blobUrn(`blob of ${graph}`))]);
      return await exportBytes(service, `graph_ids=${graph}&${everything}`, carType);
    }

    it('is refused if a block does not match its CID, and nothing becomes visible', async () => {
      const car = await exportedCar();
      const graph = randomUUID();
      const last = Buffer.from(car);
      last[last.length - 1] = (last.at(-1) ?? 0) ^ 1;
      const answer = await importBytes(service, last, `graph_id=${graph}`, carType);
      expect([answer.status, answer.json.code]).toEqual([400, 'cid_mismatch']);
      expect(answer.json.error).toContain('block ');
      expect((await send(service, 'GET', `/graph/v1/${graph}`)).status).toBe(404);
      expect((await importBytes(service, car.subarray(0, -5), '', carType)).status).toBe(400);
      expect((await importBytes(service, car.subarray(0, 20), '', carType)).status).toBe(400);
    });

    it('is refused if its root has "blobs", which would be ignored', async () => {
      const root = JSON.stringify(manifestOf({ blobs: { [cidOf(codecs.raw, 'a').text]: base64('b') } }));
      const cid = cidOf(codecs.raw, root);
      const car = Buffer.concat([carHeader(cid), sectionHead(cid, root.length), Buffer.from(root)]);
      const answer = await importBytes(service, car, '', carType);
      expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request']);
      expect(answer.json.error).toContain('its root has "blobs"');
    });

    it('is refused if it is not a manifest', async () => {
      expect((await importBytes(service, '{"version":"3"}', '', carType)).status).toBe(400);
      expect((await importBytes(service, '', '', carType)).status).toBe(400);
    });
  });
});

describeTestData('the CARs of the conformance suite', () => {
  it.each(['carv1-basic', 'carv2-basic'])('%s is not a manifest and is refused', async (name) => {
    const car = readTestBytes('conformance', 'car', name, `${name}.car`);
    const answer = await importBytes(service, car, '', carType);
    expect(answer.status, answer.text).toBe(400);
  });
});

describeTestData('manifests of other tools', () => {
  const { statements } = readTestJson<{ statements: { statement: Json; rdfc_cid: string }[] }>(
    'interop',
    'vectors.json',
  );
  const contexts = Object.fromEntries(
    listTestData('interop', 'contexts', 'cid').map((name) => [
      `urn:cid:${name}`,
      JSON.parse(readTestText('interop', 'contexts', 'cid', name)),
    ]),
  );

  it('are imported with reformatted contexts, and exported unchanged', async () => {
    const manifest = manifestOf({
      statements: statements.map(({ statement, rdfc_cid }) => ({ id: `urn:cid:${rdfc_cid}`, statement })),
      contexts,
    });
    const answer = await importBytes(service, JSON.stringify(manifest, undefined, 2));
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json.statements.stored).toBe(new Set(statements.map(({ rdfc_cid }) => rdfc_cid)).size);
    const exported = await exportBytes(service, `graph_ids=${answer.json.graph_id}&include_context=true`);
    const again = JSON.parse(exported.toString());
    expect(again.statements).toEqual(manifest.statements);
    for (const [url, document] of Object.entries(again.contexts))
      expect(document).toEqual(contexts[url] ?? document);
  });
});

it('requests and answers match the documented schemas', async () => {
  const description = await send(service, 'GET', '/openapi.json');
  expect(Object.keys(description.json.paths['/manifest/v1'])).toEqual(['get', 'post']);
});
