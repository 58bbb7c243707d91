import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeCollection } from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { type Cid, cidOf, cidUrn, codecs, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import type { StatementKind } from '../../src/domain/integrity/kinds/registry.ts';
import { startProvider } from '../access/provider.ts';
import { did, ownStatement } from '../builders/statements.ts';
import { cairn, temporaryFolder } from '../cli/run-cairn.ts';
import { json, newWorldWithCallers, oidcSettings, sendAs, type World } from './access-world.ts';
import {
  carType,
  everything,
  exportBytes,
  importBytes,
  newGraph,
  putStatements,
} from './manifest-samples.ts';
import { putBlob, send, useService } from './service.ts';

const sha256Of = (bytes: Uint8Array) =>
  makeCid(codecs.raw, createHash('sha256').update(bytes).digest(), 'sha2-256');
const bothOf = (bytes: Uint8Array): [blake3: Cid, sha256: Cid] => [cidOf(codecs.raw, bytes), sha256Of(bytes)];

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly role: string;
}

describe('two hashes of the same bytes', () => {
  const service = useService();

  async function put(type: StatementKind, fields: Record<string, unknown>, graph?: string): Promise<string> {
    const statement = ownStatement(type, { registeredBy: did, ...fields });
    const body = { statement, generate_id: true, graph_id: graph };
    const { status, json } = await send(service, 'PUT', '/statements/v1', body);
    expect(status, JSON.stringify(json)).toBeLessThan(300);
    return `urn:cid:${json.rdfc_cid}`;
  }
  const step = (input: Cid, output: Cid | Cid[], graph?: string) =>
    put(
      'ComputationRegistration',
      { input: cidUrn(input), output: [output].flat().map(cidUrn), operatedBy: did },
      graph,
    );
  const get = async (path: string) => await send(service, 'GET', path);
  const store = async (bytes: Uint8Array, cid = cidOf(codecs.raw, bytes)) => {
    const answer = await putBlob(service, bytes, cid.multihash === 'blake3' ? '' : '?multihash=sha2-256');
    expect(answer.json.cid).toBe(cid.text);
  };
  const folder = async (files: readonly Buffer[]) => {
    const entries = files.map((file, at) => ({ name: `${at}`, digest: cidOf(codecs.raw, file).digest }));
    const { metadata, root } = encodeCollection(entries);
    await store(metadata);
    await store(root);
    return cidOf(codecs.hashSequence, root);
  };
  const lineage = async (id: string, more = '') => {
    const { status, json } = await get(`/lineage/v1/${encodeURIComponent(id)}?${more}`);
    expect(status, JSON.stringify(json)).toBe(200);
    return json as { id: string; nodes: { id: string; name?: string; kind: string }[]; edges: Edge[] };
  };

  test.each([300, 100_000])(
    'are one artefact in find, lineage and names once %i bytes are stored',
    async (size) => {
      const [raw, table, model] = [randomBytes(size), randomBytes(size), randomBytes(size)];
      const made = await step(sha256Of(raw), sha256Of(table));
      const trained = await step(cidOf(codecs.raw, table), sha256Of(model));
      const document = Buffer.from(JSON.stringify({ name: `table ${size}` }));
      await put('MetadataRegistration', {
        subject: cidUrn(sha256Of(table)),
        metadata: cidUrn(cidOf(codecs.raw, document)),
      });
      await store(document);
      expect((await lineage(sha256Of(model).text)).nodes.map(({ id }) => id)).not.toContain(made);
      await store(table);
      await store(model, sha256Of(model));
      const [blake3, sha256] = bothOf(table);
      await expect
        .poll(async () =>
          (await get(`/cid/v1/find/${blake3.text}`)).json.statements.map((one: { id: string }) => one.id),
        )
        .toEqual(expect.arrayContaining([made, trained]));
      const found = (await get(`/cid/v1/find/${sha256.text}`)).json;
      expect(found.statements.map(({ id }: { id: string }) => id)).toEqual(
        expect.arrayContaining([made, trained]),
      );
      expect(found.blob).toEqual({ size, codec: 'raw' });

      const [modelBlake3, modelSha256] = bothOf(model);
      await expect.poll(async () => (await lineage(modelSha256.text)).id).toBe(cidUrn(modelBlake3));
      const traced = await lineage(modelSha256.text, 'direction=upstream');
      expect(traced.nodes.find(({ id }) => id === cidUrn(blake3))?.name).toBe(`table ${size}`);
      expect(traced.nodes.map(({ id }) => id)).not.toContain(cidUrn(sha256));
      const edges = traced.edges.map(({ from, to }) => [from, to]);
      expect(edges).toEqual(
        expect.arrayContaining([
          [cidUrn(sha256Of(raw)), made],
          [made, cidUrn(blake3)],
          [cidUrn(blake3), trained],
          [trained, cidUrn(modelBlake3)],
        ]),
      );
      expect((await lineage(modelBlake3.text, 'direction=upstream')).edges).toEqual(traced.edges);
      const mermaid = await send(service, 'GET', `/lineage/v1/${sha256.text}`, undefined, {
        accept: 'text/vnd.mermaid',
      });
      expect(mermaid.status).toBe(200);
    },
  );

  test('open the same blob, in every direction', async () => {
    const [one, other] = [randomBytes(50), randomBytes(50)];
    await store(one);
    await store(other, sha256Of(other));
    for (const bytes of [one, other])
      for (const cid of bothOf(bytes)) {
        const answer = await service.app.request(`/store/v1/blob/${cid.text}`);
        expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
        expect((await get(`/store/v1/exists/${cid.text}`)).json).toMatchObject({ exists: true });
      }
  });

  test('pages of references under several names hold each reference once', async () => {
    const bytes = randomBytes(60);
    await store(bytes);
    const made: string[] = [];
    for (let at = 0; at < 6; at += 1)
      made.push(await step(bothOf(bytes)[at % 2] as Cid, cidOf(codecs.raw, randomUUID())));
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = `/cid/v1/find/${sha256Of(bytes).text}?limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const { json } = await get(page);
      seen.push(...json.statements.map(({ id }: { id: string }) => id));
      cursor = json.next_cursor;
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
  });

  test.each([
    ['', true],
    ['ok\n', true],
    ['1234567', true],
    ['12345678', false],
    ['an empty folder', true],
    ['a folder', false],
  ])('the log %j of two pipelines joins no strangers: %s', async (text, isApart) => {
    const log = Buffer.from(text);
    if (text !== '') await store(log);
    const logCid = text.endsWith('folder') ? await folder(isApart ? [] : [log]) : cidOf(codecs.raw, log);
    const pipeline = async () => {
      const graph = await newGraph(service);
      const [data, model, report] = [0, 1, 2].map(() => cidOf(codecs.raw, randomUUID())) as [Cid, Cid, Cid];
      const train = await step(data, [model, logCid], graph);
      const summary = await step(logCid, report, graph);
      return { graph, data, model, report, train, summary };
    };
    const [mine, theirs] = [await pipeline(), await pipeline()];
    const traced = await lineage(mine.data.text, 'direction=downstream');
    const ids = traced.nodes.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([mine.train, mine.summary, cidUrn(mine.report)]));
    expect(ids.includes(theirs.summary)).toBe(!isApart);
    const node = isApart ? `${cidUrn(logCid)}#${mine.graph}` : cidUrn(logCid);
    expect(ids).toContain(node);
    // The node can be asked for, and so can all of them.
    const there = await lineage(node);
    expect(there.id).toBe(node);
    expect(there.nodes.map(({ id }) => id).includes(theirs.train)).toBe(!isApart);
    const everywhere = (await lineage(logCid.text)).nodes.map(({ id }) => id);
    expect(everywhere).toEqual(
      expect.arrayContaining([mine.train, theirs.train, mine.summary, theirs.summary]),
    );
    const inGraph = await lineage(mine.data.text, `direction=downstream&graph_id=${mine.graph}`);
    expect(inGraph.nodes.map(({ id }) => id)).toContain(cidUrn(logCid));
  });

  test('an empty file in the folders of two pipelines joins no strangers', async () => {
    const nothing = Buffer.alloc(0);
    await store(nothing);
    const pipeline = async () => {
      const graph = await newGraph(service);
      const data = Buffer.from(randomUUID());
      await store(data);
      const made = await folder([nothing, data]);
      const [source, report] = [0, 1].map(() => cidOf(codecs.raw, randomUUID())) as [Cid, Cid];
      await step(source, made, graph);
      return {
        source,
        data: cidOf(codecs.raw, data),
        used: await step(cidOf(codecs.raw, nothing), report, graph),
      };
    };
    const [mine, theirs] = [await pipeline(), await pipeline()];
    const ids = async (start: Cid) =>
      (await lineage(start.text, 'direction=downstream')).nodes.map(({ id }) => id);
    await expect.poll(async () => await ids(mine.source)).toContain(mine.used);
    expect(await ids(mine.source)).not.toContain(theirs.used);
  });
});

describe('a manifest', () => {
  const service = useService();
  const other = useService();

  test.each(['application/json', carType])(
    'carries a blob under the hash that its statements name, once, and verifies (%s)',
    async (type) => {
      const [named, both] = [Buffer.from(`named ${type}`), Buffer.from(`both ${type}`)];
      for (const bytes of [named, both]) await putBlob(service, bytes);
      const [[, sha256], [blake3, too]] = [bothOf(named), bothOf(both)];
      const graph = await newGraph(service);
      const about = [sha256, blake3, too].map((cid) =>
        ownStatement('DataRegistration', { data: cidUrn(cid) }),
      );
      await putStatements(service, graph, about);

      const manifest = await exportBytes(service, `graph_ids=${graph}&${everything}`, type);
      if (type !== carType)
        expect(JSON.parse(manifest.toString()).blobs).toEqual({
          [sha256.text]: named.toString('base64'),
          [blake3.text]: both.toString('base64'),
        });
      using folder = temporaryFolder();
      const file = join(folder.path, 'manifest');
      writeFileSync(file, manifest);
      const verified = await cairn(['verify', '--json', file]);
      expect(JSON.parse(verified.stdout)).toMatchObject({ summary: { ok: true, blobs: 2, missing: 0 } });

      const imported = await importBytes(other, manifest, '', type);
      expect([imported.status, imported.json.blobs]).toEqual([201, { stored: 2, known: 0 }]);
      const content = await send(other, 'GET', `/store/v1/text/${sha256.text}`);
      expect(content.text).toBe(named.toString());
      const query = `graph_ids=${imported.json.graph_id}&${everything}`;
      expect((await exportBytes(other, query, type)).equals(manifest)).toBe(true);
    },
  );
});

describe('a hash is no permission', async () => {
  const provider = await startProvider();
  afterAll(async () => await provider[Symbol.asyncDispose]());

  describe.each(['any', 'project'])('with CAIRN_BLOB_SCOPE=%s', (scope) => {
    const service = useService({ ...oidcSettings(provider), CAIRN_BLOB_SCOPE: scope });
    let world: World;
    let [admin, reader, stranger] = ['', '', ''];
    const bytes = Buffer.from('The answer is 42.');
    const [blake3, sha256] = bothOf(bytes);

    beforeAll(async () => {
      const callers = await newWorldWithCallers(service, provider);
      ({ world, everyone: admin, ofAlpha: reader, ofBeta: stranger } = callers);
      await as(admin, 'PUT', '/store/v1/blob', {
        body: bytes,
        headers: { 'content-type': 'application/octet-stream' },
      });
      await claim(admin, world.alpha.id, blake3);
    });

    const as = async (token: string, method: string, path: string, sent: object = {}) =>
      await sendAs(service, token, { method, path, ...sent });
    const claim = async (token: string, graph_id: string, cid: Cid) =>
      await as(
        token,
        'PUT',
        '/statements/v1',
        json({
          statement: ownStatement('DataRegistration', { data: cidUrn(cid), registeredBy: did }),
          generate_id: true,
          graph_id,
        }),
      );

    test('another hash opens a blob for those who see a statement about it, and for nobody else', async () => {
      const paths = [
        `/store/v1/blob/${sha256.text}`,
        `/cid/v1/find/${sha256.text}`,
        `/lineage/v1/${sha256.text}`,
      ];
      for (const path of paths) {
        expect((await as(reader, 'GET', path)).status, path).toBe(200);
        expect((await as(stranger, 'GET', path)).status, path).toBe(404);
      }
    });

    test('nor does a statement of their own about that hash open it', async () => {
      expect((await claim(stranger, world.beta.id, sha256)).status).toBe(201);
      expect((await as(stranger, 'GET', `/store/v1/blob/${sha256.text}`)).status).toBe(404);
      const { json: found } = await as(stranger, 'GET', `/cid/v1/find/${sha256.text}`);
      expect([found.blob, found.statements.length]).toEqual([null, 1]);
    });

    test('nor does an export of such a statement, except for who sees the other hash', async () => {
      expect((await claim(stranger, world.beta.id, sha256)).status).toBeLessThan(300);
      const exported = async (token: string) =>
        (await as(token, 'GET', `/manifest/v1?graph_ids=${world.beta.id}&${everything}`)).json.blobs;
      expect(await exported(stranger)).not.toHaveProperty(sha256.text);
      expect(await exported(admin)).toHaveProperty(sha256.text);
    });
  });
});
