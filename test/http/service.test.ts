import { describe, expect, it } from 'vitest';
import { putBlob, send, useService } from './service.ts';

const service = useService();

describe('the development mode', () => {
  it.each([
    ['a foreign Host', { host: 'evil.example:3050' }],
    ['a Host that only starts like a loopback name', { host: '127.0.0.1.evil.example' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['the Origin null', { origin: 'null' }],
    ['another port of this machine as Origin', { origin: 'http://localhost:8080', host: 'localhost:3050' }],
    ['Sec-Fetch-Site cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site same-site', { 'sec-fetch-site': 'same-site' }],
  ])('refuses %s, on every route', async (_what, headers) => {
    for (const path of ['/health/v1', '/graph/v1', '/docs', '/nowhere']) {
      const answer = await send(service, 'GET', path, undefined, headers);
      expect([answer.status, answer.json.code]).toEqual([403, 'forbidden']);
    }
  });

  it.each<Record<string, string>>([
    { host: 'localhost:3050' },
    { host: '127.0.0.1' },
    { host: '[::1]:3050' },
    { host: 'localhost:3050', origin: 'http://localhost:3050' },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ])('serves %o', async (headers) => {
    expect((await send(service, 'GET', '/health/v1', undefined, headers)).status).toBe(200);
  });
});

describe('every answer', () => {
  it("has a request id, which is the caller's own if it is valid", async () => {
    expect(
      (await send(service, 'GET', '/health/v1', undefined, { 'x-request-id': 'abc-1' })).headers.get(
        'x-request-id',
      ),
    ).toBe('abc-1');
    const odd = await send(service, 'GET', '/nowhere', undefined, { 'x-request-id': 'a b' });
    expect(odd.headers.get('x-request-id')).not.toBe('a b');
    expect(odd.json).toEqual({
      error: expect.any(String),
      code: 'not_found',
      request_id: odd.headers.get('x-request-id'),
    });
  });

  it('shows its call stack only if the operator enables that', async () => {
    const body = { statement: {} };
    expect((await send(service, 'PUT', '/statements/v1', body)).json.callstack).toBeUndefined();
    await service.restart({ CAIRN_DEBUG_ERRORS: 'true' });
    expect((await send(service, 'PUT', '/statements/v1', body)).json.callstack.internal).toContain(
      'ServiceError: The statement has no @id',
    );
  });
});

interface Described {
  readonly responses: object;
  readonly requestBody?: object;
}

describe('a method that a path does not have', () => {
  it.each([
    ['PUT', '/graph/v1/0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4', 'GET, HEAD'],
    ['DELETE', '/graph/v1', 'GET, HEAD, PUT'],
    ['OPTIONS', '/statements/v1/batch', 'PUT'],
    ['PATCH', '/health/v1', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
  ])('is answered 405 with Allow: %s %s', async (method, path, allowed) => {
    const { status, json, headers } = await send(service, method, path);
    expect([status, json.code]).toEqual([405, 'method_not_allowed']);
    expect(headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed);
  });

  it('is not confused with an unknown path', async () => {
    expect((await send(service, 'DELETE', '/nowhere')).status).toBe(404);
    expect((await send(service, 'GET', '/graph/v1/0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4')).status).toBe(404);
  });
});

describe('health', () => {
  it('is up and ready', async () => {
    expect((await send(service, 'GET', '/health/v1')).json).toEqual({ status: 'up' });
    expect((await send(service, 'GET', '/ready')).json).toEqual({ status: 'up' });
  });
});

interface Operation {
  readonly parameters?: readonly { in: string; name: string; schema: { example?: string } }[];
  readonly responses: Readonly<Record<string, unknown>>;
}

describe('/openapi.json and /docs', () => {
  it('documents the answer of every operation that reads a graph, for an unknown graph', async () => {
    const { paths } = (await send(service, 'GET', '/openapi.json')).json;
    const asked: string[] = [];
    for (const [path, { get }] of Object.entries<{ get?: Operation }>(paths)) {
      const parameters = get?.parameters ?? [];
      if (!get || !parameters.some(({ in: place, name }) => place === 'query' && name === 'graph_id'))
        continue;
      const filled = parameters
        .filter(({ in: place }) => place === 'path')
        .reduce((all, { name, schema }) => all.replace(`{${name}}`, String(schema.example)), path);
      const { status } = await send(service, 'GET', `${filled}?graph_id=${crypto.randomUUID()}`);
      expect([path, status, Object.keys(get.responses)]).toEqual([
        path,
        404,
        expect.arrayContaining(['404']),
      ]);
      asked.push(path);
    }
    expect(asked).toContain('/statements/v1');
  });

  it('is OpenAPI 3.0.3', async () => {
    expect((await send(service, 'GET', '/openapi.json')).json.openapi).toBe('3.0.3');
  });

  it('describes the statuses that the server answers to bad types and headers', async () => {
    const { paths } = (await send(service, 'GET', '/openapi.json')).json;
    for (const [path, operations] of Object.entries<Record<string, object>>(paths)) {
      for (const [method, described] of Object.entries(operations) as [string, Described][]) {
        const statuses = Object.keys(described.responses);
        expect(statuses, `${method} ${path}`).toContain('431');
        expect(statuses.includes('415'), `${method} ${path}`).toBe(described.requestBody !== undefined);
      }
    }
    for (const path of ['/statements/v1/id/{id}', '/manifest/v1', '/lineage/v1/{id}'])
      expect(Object.keys(paths[path].get.responses)).toContain('406');
  });

  it('demands no credentials while authentication is disabled', async () => {
    const { paths, components } = (await send(service, 'GET', '/openapi.json')).json;
    expect(components.securitySchemes).toEqual({});
    for (const operations of Object.values<Record<string, object>>(paths))
      for (const { security } of Object.values<{ security?: unknown }>(operations))
        expect(security).toEqual([]);
  });

  it('serves the reference and its files without other hosts', async () => {
    const page = await send(service, 'GET', '/docs');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).not.toMatch(/https?:\/\//);
    for (const [, path = ''] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const { pathname } = new URL(path, 'http://127.0.0.1/docs');
      expect([pathname, (await send(service, 'GET', pathname)).status]).toEqual([pathname, 200]);
    }
    expect((await send(service, 'GET', '/docs/..%2fpackage.json')).status).toBe(404);
  });
});

describe('/dynamic-config/v1', () => {
  it('has defaults, accepts either field, persists changes and refuses values out of bounds', async () => {
    expect((await send(service, 'GET', '/dynamic-config/v1')).json).toEqual({
      blob_store_fetch_concurrency_limit: 64,
      blob_store_write_concurrency_limit: 32,
    });
    const changed = await send(service, 'PUT', '/dynamic-config/v1', {
      blob_store_write_concurrency_limit: 3,
    });
    expect(changed.json).toEqual({
      blob_store_fetch_concurrency_limit: 64,
      blob_store_write_concurrency_limit: 3,
    });
    for (const bad of [0, 4_097, 1.5, '8', null]) {
      expect(
        (await send(service, 'PUT', '/dynamic-config/v1', { blob_store_fetch_concurrency_limit: bad }))
          .status,
      ).toBe(400);
    }
    expect((await send(service, 'PUT', '/dynamic-config/v1', { nonsense: 1 })).status).toBe(400);
    await service.restart();
    expect((await send(service, 'GET', '/dynamic-config/v1')).json).toEqual(changed.json);
  });

  it('gives no permit to uploads and readers that are silent', async () => {
    await service.restart({ CAIRN_LIMIT_WAIT: '50ms' });
    await send(service, 'PUT', '/dynamic-config/v1', {
      blob_store_fetch_concurrency_limit: 1,
      blob_store_write_concurrency_limit: 1,
    });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const silent = putBlob(service, readable);
    await writer.write(new Uint8Array(10));
    const { status, json } = await putBlob(service, new Uint8Array(500_000));
    expect(status).toBe(200);
    const unread = await service.app.request(`/store/v1/blob/${json.cid}`);
    expect((await send(service, 'GET', `/store/v1/blob/${json.cid}`)).status).toBe(200);
    expect((await unread.arrayBuffer()).byteLength).toBe(500_000);
    await writer.close();
    expect((await silent).status).toBe(200);
  });
});
