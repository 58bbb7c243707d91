import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cidUrn } from '../../src/domain/integrity/identifiers/cid.ts';
import { blobUrn, dataStatement } from '../builders/statements.ts';
import { carType, exportBytes, newGraph, putStatements } from './manifest-samples.ts';
import { putBlob, send, useService } from './service.ts';

const service = useService();

async function idsIn(query: string): Promise<string[]> {
  return Object.keys(JSON.parse((await exportBytes(service, query)).toString()).statements);
}

async function graphWith(name: string, more: Record<string, unknown> = {}) {
  const graph = await newGraph(service, more);
  const [id] = await putStatements(service, graph, [dataStatement(blobUrn(`${name} ${graph}`))]);
  return { graph, id: String(id) };
}

describe('GET /manifest/v1', () => {
  it('has each statement of the named graphs once, with repeated or comma-separated ids', async () => {
    const [one, two, three] = [await graphWith('one'), await graphWith('two'), await graphWith('three')];
    const [shared] = await putStatements(service, one.graph, [dataStatement(blobUrn(`shared ${one.graph}`))]);
    await putStatements(service, two.graph, [dataStatement(blobUrn(`shared ${one.graph}`))]);
    const expected = [one.id, two.id, String(shared)].toSorted();
    expect((await idsIn(`graph_ids=${one.graph}&graph_ids=${two.graph}`)).toSorted()).toEqual(expected);
    expect(await idsIn(`graph_ids=${two.graph},urn:uuid:${one.graph}`)).toHaveLength(3);
    expect(await idsIn(`graph_ids=${three.graph}`)).toEqual([three.id]);
    expect(new Set(await idsIn('')).isSupersetOf(new Set([...expected, three.id]))).toBe(true);
  });

  it('has statements that are in no graph only when it names no graphs', async () => {
    const [id] = await putStatements(service, undefined, [dataStatement(blobUrn(randomUUID()))]);
    const { graph } = await graphWith('some');
    expect(await idsIn('')).toContain(id);
    expect(await idsIn(`graph_ids=${graph}`)).not.toContain(id);
  });

  it('includes descendant graphs on request', async () => {
    const root = await graphWith('root');
    const child = await graphWith('child', { parent_id: root.graph });
    const grandchild = await graphWith('grandchild', { parent_id: child.graph });
    expect(await idsIn(`graph_ids=${root.graph}`)).toEqual([root.id]);
    const all = await idsIn(`graph_ids=${root.graph}&include_descendants=true`);
    expect(all.toSorted()).toEqual([root.id, child.id, grandchild.id].toSorted());
  });

  it('counts the blobs that it lacks', async () => {
    const graph = await newGraph(service);
    await putBlob(service, 'there');
    await putStatements(service, graph, [
      dataStatement([blobUrn('there'), blobUrn('not there'), blobUrn('nor this')]),
    ]);
    const path = `/manifest/v1?graph_ids=${graph}&include_blobs=true`;
    for (const method of ['GET', 'HEAD']) {
      const answer = await service.app.request(path, { method });
      expect([answer.status, answer.headers.get('cairn-missing-blobs')]).toEqual([200, '2']);
      await answer.arrayBuffer();
    }
    const without = await send(service, 'GET', `/manifest/v1?graph_ids=${graph}`);
    expect(without.headers.get('cairn-missing-blobs')).toBeNull();
    expect(without.json).toMatchObject({ version: '3', contexts: {}, blobs: {} });
  });

  it('counts references that none of its parts satisfies as missing, such as a statement of another graph', async () => {
    const [graph, other] = [await newGraph(service), await newGraph(service)];
    const put = async (into: string, statement: object) => {
      const body = { statement, generate_id: true, graph_id: into };
      return cidUrn((await send(service, 'PUT', '/statements/v1', body)).json.jcs_cid);
    };
    const own = await put(graph, dataStatement([blobUrn('a'), blobUrn('b')]));
    const otherForm = await put(graph, dataStatement([blobUrn('b'), blobUrn('a')]));
    const elsewhere = await put(other, dataStatement(blobUrn(`elsewhere ${other}`)));
    await put(graph, dataStatement([own, otherForm, elsewhere]));
    const missing = async (accept: string) => {
      const path = `/manifest/v1?graph_ids=${graph}&include_blobs=true`;
      const answer = await service.app.request(path, { headers: { accept } });
      await answer.arrayBuffer();
      return answer.headers.get('cairn-missing-blobs');
    };
    // The blobs a and b, and the foreign statement. JSON has one of the two forms.
    expect(await missing(carType)).toBe('3');
    expect(await missing('application/json')).toBe('4');
  });

  it('is an empty manifest for an empty graph', async () => {
    const graph = await newGraph(service);
    const text = (await exportBytes(service, `graph_ids=${graph}`)).toString();
    expect(text).toBe('{"version":"3","contexts":{},"statements":{},"blobs":{}}');
  });

  it('is a CAR if the caller prefers that', async () => {
    const graph = await newGraph(service);
    const answer = await service.app.request(`/manifest/v1?graph_ids=${graph}`, {
      headers: { accept: `application/json;q=0.5, ${carType}` },
    });
    expect(answer.headers.get('content-type')).toBe(`${carType}; version=1`);
    await answer.arrayBuffer();
  });

  it.each([
    [`graph_ids=${randomUUID()}`, 404, 'not_found'],
    ['graph_ids=not-a-uuid', 400, 'invalid_request'],
    ['graph_ids=', 400, 'invalid_request'],
    ['include_blobs=perhaps', 400, 'invalid_request'],
    [`graph_id=${randomUUID()}`, 400, 'invalid_request'],
    [`graph_ids[]=${randomUUID()}`, 400, 'invalid_request'],
  ])('refuses ?%s', async (query, status, code) => {
    const answer = await send(service, 'GET', `/manifest/v1?${query}`);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it('has everything that was acknowledged before it began, once, during concurrent writes', async () => {
    const graph = await newGraph(service);
    const batch = (name: string) =>
      Array.from({ length: 300 }, (_, index) => dataStatement(blobUrn(`${name} ${index} ${graph}`)));
    const before = (
      await Promise.all([1, 2, 3].map((n) => putStatements(service, graph, batch(`before ${n}`))))
    ).flat();
    const writing = (async () => {
      for (let n = 0; n < 6; n += 1) await putStatements(service, graph, batch(`during ${n}`));
    })();
    const texts = await Promise.all(
      [0, 1].map(async () => (await exportBytes(service, `graph_ids=${graph}`)).toString()),
    );
    await writing;
    for (const text of texts) {
      const keys = [...text.matchAll(/[{,]"(urn:cid:bagb6qaq6e[a-z2-7]+)":/g)].map(([, key]) => key);
      expect(new Set(keys).size).toBe(keys.length);
      expect(new Set(keys).isSupersetOf(new Set(before))).toBe(true);
      expect(Object.keys(JSON.parse(text).statements)).toEqual(keys);
    }
  });

  it('stops when the caller disconnects', async () => {
    const { graph } = await graphWith('for nobody');
    const path = `/manifest/v1?graph_ids=${graph}`;
    const answer = await service.app.request(path, { signal: AbortSignal.abort() });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('disconnected')]);
  });

  it('serves many callers, a few at a time', async () => {
    const { graph, id } = await graphWith('for many');
    const many = await Promise.all(Array.from({ length: 50 }, () => idsIn(`graph_ids=${graph}`)));
    expect(many).toEqual(Array.from({ length: 50 }, () => [id]));
  });

  it('frees its disk space when the caller disconnects', async () => {
    const graph = await newGraph(service);
    await putStatements(
      service,
      graph,
      Array.from({ length: 1_000 }, (_, at) => dataStatement(blobUrn(`${at}`))),
    );
    const answer = await service.app.request(`/manifest/v1?graph_ids=${graph}`);
    const reader = (answer.body as ReadableStream).getReader();
    await reader.read();
    await reader.cancel();
    expect((await send(service, 'GET', '/ready')).status).toBe(200);
  });
});
