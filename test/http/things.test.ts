import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type FoundThingsAnswer,
  foundThings,
  type SearchGroup,
} from '../../src/contract/integrity/search.ts';
import { encodeCollection } from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { cidOf, codecs, makeCid, parseCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { ownStatement } from '../builders/statements.ts';
import { putBlob, send, useService } from './service.ts';

const service = useService();
const did = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';

async function search(query: Record<string, string>): Promise<FoundThingsAnswer> {
  const { status, json } = await send(service, 'GET', `/search/v1?${new URLSearchParams(query)}`);
  expect(status, JSON.stringify(json)).toBe(200);
  return foundThings.parse(json);
}

const ids = (found: FoundThingsAnswer, group: SearchGroup) => found[group]?.items.map(({ id }) => id);

async function name(subject: string, document: object, graph_id?: string) {
  const { status, json: blob } = await send(service, 'PUT', '/store/v1/jcs', document);
  expect(status).toBeLessThan(300);
  const metadata = `urn:cid:${blob.cid}`;
  const statement = ownStatement('MetadataRegistration', { registeredBy: did, subject, metadata });
  await send(service, 'PUT', '/statements/v1', { statement, generate_id: true, graph_id });
}

async function newGraph(graphName: string): Promise<string> {
  const graph_id = randomUUID();
  const { status } = await send(service, 'PUT', '/graph/v1', { graph_id, name: graphName });
  expect(status).toBe(201);
  return graph_id;
}

describe('GET /search/v1', () => {
  test('answers a thing once, with its names, its graph and its page', async () => {
    const own = randomUUID();
    const graphId = await newGraph(`graph of ${own}`);
    const { json: blob } = await putBlob(service, own);
    const id = `urn:cid:${blob.cid}`;
    for (const path of [`old/${own}.js`, `src/${own}/trace.js`]) await name(id, { path }, graphId);
    const found = await search({ q: `${own.slice(2)}` });
    expect(found.artefacts?.items).toEqual([
      {
        id,
        name: `src/${own}/trace.js`,
        other_names: [`old/${own}.js`],
        type: 'file',
        page: `/ui/lineage/${blob.cid}`,
        graph: { graph_id: graphId, name: `graph of ${own}` },
        timestamp: expect.any(String),
      },
    ]);
    expect(found.graphs?.items).toMatchObject([{ type: 'graph', page: `/ui/graph/${graphId}` }]);
    expect(found).toMatchObject({
      computations: { items: [] },
      people: { items: [] },
      agents: { items: [] },
    });
    expect(await search({ q: own, group: 'graphs' })).toEqual({ graphs: found.graphs });
  });

  test('finds a whole CID in capitals, after ipfs:// and after urn:cid:', async () => {
    const { json: blob } = await putBlob(service, randomUUID());
    const id = `urn:cid:${blob.cid}`;
    await name(id, { name: 'capital' });
    const forms = [blob.cid.toUpperCase(), `ipfs://${blob.cid}`, `IPFS://${blob.cid.toUpperCase()}`];
    for (const q of [...forms, id.toUpperCase()])
      expect([q, ids(await search({ q }), 'artefacts')]).toEqual([q, [id]]);
  });

  test('finds what people paste: addresses of pages, and identifiers in quotes or brackets', async () => {
    const { json: blob } = await putBlob(service, randomUUID());
    const id = `urn:cid:${blob.cid}`;
    await name(id, { name: 'pasted' });
    const page = `http://127.0.0.1:3050/ui/lineage/${blob.cid}`;
    const texts = [
      ...[page, `${page}?direction=upstream#x`, `127.0.0.1:3050/ui/lineage/urn%3Acid%3A${blob.cid}`],
      ...[`"${blob.cid}"`, `“${blob.cid}”`, `(${id}),`, `<${blob.cid}>.`, `${blob.cid};`],
    ];
    for (const q of texts) expect([q, ids(await search({ q }), 'artefacts')]).toEqual([q, [id]]);
    const graphId = await newGraph('pasted');
    for (const q of [`https://cairn.example/ui/graph/${graphId}`, `{${graphId}}`])
      expect(ids(await search({ q }), 'graphs')).toEqual([`urn:uuid:${graphId}`]);
    expect(await search({ q: 'https://cairn.example/%/%' })).toMatchObject({ artefacts: { items: [] } });
  });

  test('finds packages by their package URL, whatever its type and qualifiers', async () => {
    const own = randomUUID().slice(0, 8);
    const packages = {
      [`@babel/${own}@7.1.0`]: [`pkg:npm/%40babel/${own}@7.1.0`, `"pkg:npm/%40babel/${own}"`],
      [`github.com/o/go-${own}@v1`]: [`pkg:golang/github.com/o/go-${own}@v1#sub`],
      [`lib${own}@2.36-9`]: [`pkg:deb/debian/lib${own}@2.36-9?arch=amd64&distro=debian-12`],
      [`pkg:pypi/py-${own}@1`]: [`pkg:pypi/py-${own}@1`],
    };
    for (const [called, urls] of Object.entries(packages)) {
      const id = `urn:cid:${(await putBlob(service, called)).json.cid}`;
      await name(id, { name: called });
      for (const q of urls) expect([q, ids(await search({ q }), 'artefacts')]).toEqual([q, [id]]);
    }
    expect(ids(await search({ q: `pkg:npm/%40other/${own}@7.1.0` }), 'artefacts')).toEqual([]);
    expect(ids(await search({ q: 'pkg:npm/%' }), 'artefacts')).toEqual([]);
  });

  test('finds names in quotes, by patterns of files, and with other separators', async () => {
    const own = randomUUID().slice(0, 8);
    const { json: blob } = await putBlob(service, own);
    const id = `urn:cid:${blob.cid}`;
    await name(id, { path: `${own}/Credit_model final-2.csv` });
    const same = [`"${own}/Credit_model"`, `“credit_model” ${own}`, `${own} *.csv`, `${own}*final*`];
    const other = [`${own} credit-model`, `${own}, credit model final_2`, `${own} model+final`];
    for (const q of [...same, ...other])
      expect([q, ids(await search({ q }), 'artefacts')]).toEqual([q, [id]]);
    expect(ids(await search({ q: `${own} credit-models` }), 'artefacts')).toEqual([]);
  });

  test('finds computations by name, and goes on with a group', async () => {
    const own = randomUUID();
    const input = `urn:cid:${(await putBlob(service, own)).json.cid}`;
    const stored: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      const statement = ownStatement('ComputationRegistration', {
        registeredBy: did,
        computation: input,
        input: [input],
        output: [`urn:cid:${(await putBlob(service, `${own} ${at}`)).json.cid}`],
        operatedBy: did,
      });
      const { status, json } = await send(service, 'PUT', '/statements/v1', { statement, generate_id: true });
      expect(status, JSON.stringify(json)).toBe(201);
      stored.push(`urn:cid:${json.rdfc_cid}`);
      await name(stored.at(-1) ?? '', { step: `train ${own}` });
    }
    const first = await search({ q: `tra ${own}`, limit: '2' });
    expect(first.computations?.items[0]).toMatchObject({ type: 'ComputationRegistration' });
    const cursor = first.computations?.next_cursor ?? expect.fail();
    const rest = await search({ q: `tra ${own}`, group: 'computations', cursor, limit: '2' });
    const all = [...(ids(first, 'computations') ?? []), ...(ids(rest, 'computations') ?? [])];
    expect(all).toEqual(stored.toReversed());
    expect(rest.computations?.next_cursor).toBeUndefined();
  });

  test('finds bytes by any of their identifiers and digests', async () => {
    const bytes = `bytes of ${randomUUID()}`;
    const { json: blob } = await putBlob(service, bytes);
    const id = `urn:cid:${blob.cid}`;
    await name(id, { name: 'the bytes' });
    const hex = (algorithm: string, given = bytes) => createHash(algorithm).update(given).digest('hex');
    const git = hex('sha1', `blob ${bytes.length}\0${bytes}`);
    const blake3 = Buffer.from(parseCid(blob.cid).digest).toString('hex');
    for (const q of [id, blob.cid, ` ${blob.cid} `, `blake3:${blake3}`, blake3.toUpperCase()])
      expect(ids(await search({ q }), 'artefacts'), q).toEqual([id]);
    await expect
      .poll(async () => ids(await search({ q: `sha256:${hex('sha256')}` }), 'artefacts'))
      .toEqual([id]);
    const sha256 = makeCid(codecs.raw, Buffer.from(hex('sha256'), 'hex'), 'sha2-256').text;
    for (const q of [
      sha256,
      `urn:cid:${sha256}`,
      hex('sha256'),
      `sha512:${hex('sha512')}`,
      git,
      `git:${git}`,
    ])
      expect(ids(await search({ q }), 'artefacts'), q).toEqual([id]);
  });

  test('finds a file of a folder by any part of its path, and says in which folder it is', async () => {
    const own = randomUUID();
    const digest = cidOf(codecs.raw, own).digest;
    const { metadata, root } = encodeCollection([{ name: `a/${own}/i2.txt`, digest }]);
    await putBlob(service, Buffer.from(metadata));
    const { json: folder } = await putBlob(
      service,
      Buffer.from(root),
      `?multicodec_code=${codecs.hashSequence}`,
    );
    const statement = ownStatement('DataRegistration', {
      registeredBy: did,
      data: [`urn:cid:${folder.cid}`],
    });
    const graph_id = await newGraph('images');
    await send(service, 'PUT', '/statements/v1', { statement, generate_id: true, graph_id });
    await name(`urn:cid:${folder.cid}`, { path: 'data/imgs' });
    const cid = makeCid(codecs.raw, digest).text;
    const expected = {
      id: `urn:cid:${cid}`,
      name: `a/${own}/i2.txt`,
      type: 'file',
      page: `/ui/lineage/${cid}`,
      folder: { collection: folder.cid, name: 'data/imgs', path: `a/${own}/i2.txt` },
    };
    await expect
      .poll(async () => (await search({ q: `${own.slice(1)} i2` })).artefacts?.items)
      .toMatchObject([{ ...expected, graph: { graph_id } }]);
    for (const q of [cid, `imgs/a/${own}/i2.txt`, `DATA/imgs/a/${own}`, `mgs/ ${own}/i`, `i2 data ${own}`])
      expect((await search({ q })).artefacts?.items, q).toMatchObject([expected]);
    for (const q of [`images/a/${own}/i2.txt`, `imgs/${own}/i2.txt`, `images ${own}`, `${own} i3`])
      expect((await search({ q })).artefacts?.items, q).toEqual([]);
  });

  test('finds graphs, entities and people by their identifiers', async () => {
    const graphId = await newGraph('by its id');
    const entity = `urn:uuid:${randomUUID()}`;
    await name(entity, { name: 'an entity' });
    expect(ids(await search({ q: graphId.toUpperCase() }), 'graphs')).toEqual([`urn:uuid:${graphId}`]);
    expect((await search({ q: entity })).artefacts?.items).toMatchObject([{ id: entity, type: 'entity' }]);
    expect((await search({ q: did })).people?.items).toMatchObject([{ id: did, type: 'actor' }]);
  });

  test('refuses half a digest, a thousand words and a cursor without its group', async () => {
    const half = createHash('sha256').digest('hex').slice(0, 32);
    const refused = async (query: Record<string, string>) => {
      const { status, json } = await send(service, 'GET', `/search/v1?${new URLSearchParams(query)}`);
      expect(status).toBe(400);
      return json.error;
    };
    expect(await refused({ q: `sha256:${half}` })).toContain(
      'SHA-256 has 64 hexadecimal digits, and this has 32',
    );
    expect(await refused({ q: 'a '.repeat(1_000).trim() })).toContain('has at most 32 words');
    expect(await refused({ q: 'a', cursor: 'x' })).toContain('Name the group that');
    expect(await refused({ q: 'a', cursor: 'x', group: 'people' })).toContain('cursor');
    expect(await refused({ q: ' ' })).toContain('q');
    expect(await search({ q: `md5:${half}` })).toMatchObject({ artefacts: { items: [] } });
  });
});
