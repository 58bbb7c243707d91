import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { permissions } from '../../src/domain/access/grants.ts';
import { cidOf, codecs, makeCid, parseCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { startProvider } from '../access/provider.ts';
import { dataOf, json, newWorld, oidcSettings, sendAs, tokenWith, type World } from './access-world.ts';
import { useService } from './service.ts';

const provider = await startProvider();
const service = useService({ ...oidcSettings(provider), CAIRN_BLOB_SCOPE: 'project' });
let world: World;
let admin: string;
let reader: string;
let stranger: string;

beforeAll(async () => {
  admin = await tokenWith(provider, { '*': permissions });
  world = await newWorld(service, admin);
  reader = await tokenWith(provider, { [world.alpha.id]: ['view_project_data'] });
  stranger = await tokenWith(provider, { [world.beta.id]: permissions });
});
afterAll(async () => await provider[Symbol.asyncDispose]());

type Known = {
  readonly alpha: Pick<World['alpha'], 'blob' | 'collection'> & {
    readonly statement: Pick<World['alpha']['statement'], 'rdfc_cid' | 'jcs_cid'>;
  };
};

/** CIDs of the same kinds for things that are not stored. */
const nothing: Known = {
  alpha: {
    blob: cidOf(codecs.raw, 'nothing').text,
    collection: cidOf(codecs.hashSequence, 'nothing').text,
    statement: { rdfc_cid: cidOf(codecs.rdfc, 'nothing').text, jcs_cid: cidOf(codecs.jcs, 'nothing').text },
  },
};

const get = async (token: string, path: string, headers = {}, method = 'GET') =>
  await sendAs(service, token, { method, path, headers });

describe('with CAIRN_BLOB_SCOPE=project', () => {
  const paths: Record<string, (known: Known) => string> = {
    'a blob': ({ alpha }) => `/store/v1/blob/${alpha.blob}`,
    'a blob under another codec': ({ alpha }) =>
      `/store/v1/blob/${makeCid(codecs.jcs, parseCid(alpha.blob).digest).text}`,
    'the text of a blob': ({ alpha }) => `/store/v1/text/${alpha.blob}`,
    'a collection': ({ alpha }) => `/store/v1/iroh-collection/${alpha.collection}`,
    'the JSON of a statement': ({ alpha }) => `/store/v1/blob/${alpha.statement.jcs_cid}`,
    'the N-Quads of a statement': ({ alpha }) => `/store/v1/blob/${alpha.statement.rdfc_cid}`,
    'a statement': ({ alpha }) => `/statements/v1/id/${alpha.statement.rdfc_cid}`,
    'a form of a statement': ({ alpha }) =>
      `/statements/v1/id/${alpha.statement.rdfc_cid}?jcs_cid=${alpha.statement.jcs_cid}`,
    'what is known of a blob': ({ alpha }) => `/cid/v1/find/${alpha.blob}`,
    'the lineage of a blob': ({ alpha }) => `/lineage/v1/${alpha.blob}`,
  };

  test.each(Object.keys(paths))('%s is visible to its readers, and looks missing to others', async (name) => {
    const path = paths[name]?.(world) ?? '';
    expect((await get(reader, path)).status).toBe(200);
    expect((await get(admin, path)).status).toBe(200);
    const answer = await get(stranger, path);
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found']);
    const unknown = await get(stranger, paths[name]?.(nothing) ?? '');
    const shown = (text: string) =>
      text.replace(/"request_id":"[^"]*"/, '').replaceAll(/\bb[a-z2-7]{50,}/g, 'THE CID');
    expect([answer.status, shown(answer.text)]).toEqual([unknown.status, shown(unknown.text)]);
  });

  test('ranges, HEAD and ETags reveal nothing to others', async () => {
    const path = `/store/v1/blob/${world.alpha.blob}`;
    const etag = { 'if-none-match': `"${world.alpha.blob}"` };
    expect((await get(reader, path, { range: 'bytes=0-0' })).status).toBe(206);
    expect((await get(reader, path, etag)).status).toBe(304);
    expect((await get(reader, path, {}, 'HEAD')).status).toBe(200);
    expect((await get(stranger, path, { range: 'bytes=0-0' })).status).toBe(404);
    expect((await get(stranger, path, { range: 'bytes=999999-' })).status).toBe(404);
    expect((await get(stranger, path, etag)).status).toBe(404);
    expect((await get(stranger, path, {}, 'HEAD')).status).toBe(404);
  });

  test('others are told that a blob does not exist', async () => {
    const exists = async (token: string, cid: string) =>
      (await get(token, `/store/v1/exists/${cid}`)).json.exists;
    for (const cid of [world.alpha.blob, world.alpha.collection, world.alpha.statement.jcs_cid]) {
      expect(await exists(reader, cid)).toBe(true);
      expect(await exists(stranger, cid)).toBe(false);
    }
    expect(await exists(admin, world.loose)).toBe(true);
    expect(await exists(reader, world.loose)).toBe(false);
  });

  test('others are told that a blob is missing, so that they send it', async () => {
    const cids = [world.alpha.blob, world.alpha.collection, world.loose];
    const ask = async (token: string) => {
      const request = { method: 'POST', path: '/store/v1/missing', ...json({ cids: [...cids, ...cids] }) };
      return (await sendAs(service, token, request)).json.missing;
    };
    expect(await ask(admin)).toEqual([]);
    expect(await ask(reader)).toEqual([world.loose]);
    expect(await ask(stranger)).toEqual(cids);
  });

  test('small blobs that are read together are those that may be read one by one', async () => {
    const cids = [world.alpha.blob, world.loose, world.alpha.blob, world.beta.blob];
    const read = async (token: string) => {
      const request = { method: 'POST', path: '/store/v1/small', ...json({ cids }) };
      const { blobs } = (await sendAs(service, token, request)).json;
      for (const { cid, blob } of blobs)
        expect((await get(token, `/store/v1/text/${cid}`)).text).toBe(Buffer.from(blob, 'base64').toString());
      return blobs.map(({ cid }: { cid: string }) => cid);
    };
    expect(await read(admin)).toEqual([world.alpha.blob, world.loose, world.beta.blob]);
    expect(await read(reader)).toEqual([world.alpha.blob]);
    expect(await read(stranger)).not.toContain(world.alpha.blob);
  });

  test('a check by the CID of a policy tells others nothing of a blob', async () => {
    const answers = await Promise.all(
      [world, nothing].map(async ({ alpha: { blob } }) => {
        const asked = json({ subject: world.beta.blob, policy: blob });
        const { status, text } = await sendAs(service, stranger, {
          method: 'POST',
          path: '/checks/v1',
          ...asked,
        });
        return [status, text.replace(/"request_id":"[^"]*"/, '').replace(blob, 'THE CID')];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
  });

  test('a blob becomes visible to a project whose statement refers to it', async () => {
    const path = `/store/v1/text/${world.alpha.blob}`;
    expect((await get(stranger, path)).status).toBe(404);
    const statement = { statement: dataOf(world.alpha.text), generate_id: true, graph_id: world.beta.id };
    const put = { method: 'PUT', path: '/statements/v1', ...json(statement) };
    expect((await sendAs(service, stranger, put)).status).toBe(201);
    expect((await get(stranger, path)).text).toBe(world.alpha.text);
    expect((await get(reader, path)).text).toBe(world.alpha.text);
  });
});
