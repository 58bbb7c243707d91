import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { blobUrn, dataStatement } from '../builders/statements.ts';
import { carType, everything, exportBytes, newGraph, putStatements } from './manifest-samples.ts';
import { putBlob, send, useService } from './service.ts';

const service = useService({ CAIRN_JOB_CONCURRENCY: '1' });
const respondAsync = { prefer: 'respond-async' };

async function graphWith(...data: string[]): Promise<string> {
  const graph = await newGraph(service);
  await putStatements(service, graph, [dataStatement([blobUrn(randomUUID()), ...data.map(blobUrn)])]);
  return graph;
}

/** Requests an export, and returns its path. */
async function begin(query: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await send(service, 'GET', `/manifest/v1?${query}`, undefined, {
    ...respondAsync,
    ...headers,
  });
  expect(answer.status, answer.text).toBe(202);
  return String(answer.headers.get('location'));
}

async function finished(path: string) {
  await expect.poll(async () => (await send(service, 'GET', path)).json.state).toBe('done');
  return (await send(service, 'GET', path)).json;
}

async function resultBytes(path: string): Promise<Buffer> {
  const response = await service.app.request(`${path}/result`);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

describe('GET /manifest/v1 with Prefer: respond-async', () => {
  it.each([
    ['json', 'application/json'],
    ['car', carType],
  ])('makes the same bytes as a request that waits, as %s', async (format, accept) => {
    await putBlob(service, 'carried');
    const graph = await graphWith('carried', 'lost');
    const query = `graph_ids=${graph}&${everything}`;
    const headers = { ...respondAsync, accept };
    const accepted = await send(service, 'GET', `/manifest/v1?${query}`, undefined, headers);
    const location = String(accepted.headers.get('location'));
    expect([accepted.status, accepted.headers.get('preference-applied')]).toEqual([202, 'respond-async']);
    expect(location).toBe(`/manifest/v1/exports/${accepted.json.export_id}`);

    const state = await finished(location);
    const bytes = await exportBytes(service, query, accept);
    expect(state).toMatchObject({
      format,
      statements: 1,
      blobs: 1,
      bytes: bytes.length,
      missing_blobs: { count: 2, cids: expect.arrayContaining([blobUrn('lost').slice('urn:cid:'.length)]) },
      left_out_statements: 0,
      result: `${location}/result`,
      error: null,
    });
    const kept = Date.parse(state.expires_at) - Date.parse(state.finished_at);
    expect(kept).toBe(24 * 3_600_000);
    expect(bytes.equals(await resultBytes(location))).toBe(true);
  });

  it.each(['respond-async, wait=10', 'wait=10,Respond-Async', 'respond-async; foo="bar"'])(
    'understands %j',
    async (prefer) => {
      const path = await begin(`graph_ids=${await graphWith()}`, { prefer });
      await finished(path);
      expect((await send(service, 'DELETE', path)).status).toBe(204);
    },
  );

  it('answers with the end of the export to a caller who prefers to wait', async () => {
    const path = await begin(`graph_ids=${await graphWith()}`);
    const answer = await send(service, 'GET', path, undefined, { prefer: 'wait=100' });
    expect(answer.json).toMatchObject({ state: 'done', result: `${path}/result` });
    expect(answer.headers.get('preference-applied')).toBe('wait=30');
  });

  it('answers 202 with the end of the export to a caller who prefers to wait for it', async () => {
    const headers = { prefer: 'respond-async, wait=100' };
    const path = `/manifest/v1?graph_ids=${await graphWith()}`;
    const answer = await send(service, 'GET', path, undefined, headers);
    expect([answer.status, answer.json.state]).toEqual([202, 'done']);
    expect(answer.json.result).toBe(`${answer.headers.get('location')}/result`);
    expect(answer.headers.get('preference-applied')).toBe('respond-async, wait=30');
    expect(answer.headers.get('retry-after')).toBeNull();
  });

  it('waits with any other preference, and refuses an unknown graph at once', async () => {
    const waited = await send(service, 'GET', '/manifest/v1', undefined, {
      prefer: 'respond-asynchronously',
    });
    expect(waited.status).toBe(200);
    const none = await send(
      service,
      'GET',
      `/manifest/v1?graph_ids=${randomUUID()}`,
      undefined,
      respondAsync,
    );
    expect([none.status, none.json.code]).toEqual([404, 'not_found']);
  });

  it('serves ranges of the result, with the same ETag for the same bytes', async () => {
    const query = `graph_ids=${await graphWith()}`;
    const one = await begin(query);
    await finished(one);
    const two = await begin(query);
    await finished(two);
    const bytes = await resultBytes(one);
    const head = await service.app.request(`${one}/result`, { method: 'HEAD' });
    const etag = String(head.headers.get('etag'));
    expect(head.headers.get('content-length')).toBe(String(bytes.length));

    const headers = { range: 'bytes=10-', 'if-range': etag };
    const part = await service.app.request(`${two}/result`, { headers });
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes 10-${bytes.length - 1}/${bytes.length}`,
    ]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(10));
    const changed = { range: 'bytes=10-', 'if-range': '"another"' };
    expect((await service.app.request(`${two}/result`, { headers: changed })).status).toBe(200);
    const same = await service.app.request(`${two}/result`, { headers: { 'if-none-match': etag } });
    expect(same.status).toBe(304);
    const beyond = await send(service, 'GET', `${two}/result`, undefined, { range: 'bytes=999999999-' });
    expect([beyond.status, beyond.json.code]).toEqual([416, 'range_not_satisfiable']);
  });

  it('is removed with its result when it is deleted', async () => {
    const path = await begin(`graph_ids=${await graphWith()}`);
    await finished(path);
    expect((await send(service, 'DELETE', path)).status).toBe(204);
    for (const [method, gone] of [
      ['GET', path],
      ['GET', `${path}/result`],
      ['DELETE', path],
    ] as const)
      expect((await send(service, method, gone)).json).toMatchObject({ code: 'not_found' });
  });

  it('refuses invalid ids', async () => {
    expect((await send(service, 'GET', '/manifest/v1/exports/nonsense')).json.code).toBe('invalid_request');
    const unknown = await send(service, 'GET', `/manifest/v1/exports/${randomUUID()}`);
    expect([unknown.status, unknown.json.code]).toEqual([404, 'not_found']);
  });
});

describe('unfinished exports', () => {
  it('can be cancelled, and go on after a restart', async () => {
    const graph = await newGraph(service);
    const statements = Array.from({ length: 3_000 }, (_, at) => dataStatement(blobUrn(`${graph} ${at}`)));
    await putStatements(service, graph, statements);
    const queries = [everything, 'include_blobs=true', 'include_context=true'].map(
      (more) => `graph_ids=${graph}&${more}`,
    );
    const paths = [];
    // The first export takes a while, and the others wait for it.
    for (const query of queries) paths.push(await begin(query));
    const [first, second, third] = paths as [string, string, string];
    expect((await send(service, 'DELETE', second)).status).toBe(204);
    await service.restart();
    expect((await send(service, 'GET', second)).status).toBe(404);
    for (const path of [first, third]) {
      expect(await finished(path)).toMatchObject({ statements: 3_000 });
      const waited = await exportBytes(service, String(queries[paths.indexOf(path)]));
      expect((await resultBytes(path)).equals(waited)).toBe(true);
    }
  });
});
