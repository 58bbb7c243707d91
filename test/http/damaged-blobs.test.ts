import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { parseCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { dataStatement } from '../builders/statements.ts';
import { changeBlob, inverted } from '../storage/embedded/stored-blobs.ts';
import { putBlob, send, useServer, useService } from './service.ts';

const logged: string[] = [];
const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
const service = useService({}, log);
const server = useServer(service);

afterEach(() => void logged.splice(0));

/** Inverts the first byte of a stored blob, or cuts off its second half. */
async function damage(cid: string, how: 'flip' | 'truncate'): Promise<void> {
  changeBlob(service.folder, parseCid(cid), (bytes) =>
    how === 'flip' ? inverted(bytes) : bytes.subarray(0, bytes.length >> 1),
  );
}

async function stored(size: number): Promise<{ bytes: Buffer; cid: string }> {
  const bytes = randomBytes(size);
  return { bytes, cid: (await putBlob(service, bytes)).json.cid };
}

/** Reads an answer to its end, or to the end of the connection. */
async function received(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(server.url + path, { headers });
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk);
    return { status: response.status, body: Buffer.concat(chunks), isWhole: true };
  } catch {
    return { status: response.status, body: Buffer.concat(chunks), isWhole: false };
  }
}

async function graphWith(cid: string): Promise<string> {
  const graph_id = crypto.randomUUID();
  await send(service, 'PUT', '/graph/v1', { graph_id, name: 'damaged' });
  const statement = dataStatement(`urn:cid:${cid}`);
  await send(service, 'PUT', '/statements/v1', { statement, generate_id: true, graph_id });
  return graph_id;
}

describe('a blob whose bytes have changed', () => {
  test.each(['flip', 'truncate'] as const)(
    'is 500 with its name when it is small, and logged: %s',
    async (how) => {
      const { cid } = await stored(5_000);
      await damage(cid, how);
      for (const path of [`/store/v1/blob/${cid}`, `/store/v1/text/${cid}`]) {
        const { status, json } = await send(service, 'GET', path);
        expect([status, json.code]).toEqual([500, 'damaged']);
        expect(json.error).toContain(`The blob ${cid} is damaged`);
      }
      expect((await send(service, 'HEAD', `/store/v1/blob/${cid}`)).status).toBe(500);
      expect(logged.join()).toContain(`The blob ${cid} is damaged`);
    },
  );

  test('breaks off before its last chunk when it is large, and is logged', async () => {
    const { cid, bytes } = await stored(8 << 20);
    await damage(cid, 'flip');
    const { body, isWhole } = await received(`/store/v1/blob/${cid}`);
    expect(isWhole).toBe(false);
    expect(body.length).toBeLessThan(bytes.length);
    expect(logged.join()).toContain(`The blob ${cid} is damaged`);
  });

  test('is 500 when it is large and truncated, for ranges too', async () => {
    const { cid } = await stored(8 << 20);
    await damage(cid, 'truncate');
    for (const headers of [{ range: 'bytes=0-9' }, undefined]) {
      const { status, json } = await send(service, 'GET', `/store/v1/blob/${cid}`, undefined, headers);
      expect([status, json.code]).toEqual([500, 'damaged']);
    }
  });

  test('is whole again after the right bytes were stored again', async () => {
    const { cid, bytes } = await stored(8 << 20);
    await damage(cid, 'flip');
    expect((await putBlob(service, bytes)).json.cid).toBe(cid);
    const { body, isWhole } = await received(`/store/v1/blob/${cid}`);
    expect([isWhole, body.equals(bytes)]).toEqual([true, true]);
  });

  test('breaks off a synchronous export, which is logged', async () => {
    for (const form of ['application/json', 'application/vnd.ipld.car']) {
      const { cid } = await stored(5_000);
      const graph = await graphWith(cid);
      await damage(cid, 'flip');
      const path = `/manifest/v1?graph_ids=${graph}&include_blobs=true`;
      expect((await received(path, { accept: form })).isWhole).toBe(false);
      expect(logged.join()).toContain(`The blob ${cid} is damaged`);
    }
  });

  test('fails an asynchronous export at once, which names it', async () => {
    const { cid } = await stored(5_000);
    const graph = await graphWith(cid);
    await damage(cid, 'truncate');
    const path = `/manifest/v1?graph_ids=${graph}&include_blobs=true`;
    const { headers } = await send(service, 'GET', path, undefined, { prefer: 'respond-async' });
    const location = String(headers.get('location'));
    const state = async () => (await send(service, 'GET', location)).json;
    await expect.poll(async () => (await state()).state).toBe('failed');
    expect((await state()).error).toEqual({
      code: 'damaged',
      error: expect.stringContaining(`The blob ${cid} is damaged`),
    });
  });

  test.each(['flip', 'truncate'] as const)('is repaired by a manifest that carries it: %s', async (how) => {
    const { cid, bytes } = await stored(5_000);
    const graph = await graphWith(cid);
    const path = `/manifest/v1?graph_ids=${graph}&include_context=true&include_blobs=true`;
    const manifest = (await send(service, 'GET', path)).text;
    await damage(cid, how);
    expect((await send(service, 'POST', `/manifest/v1?graph_id=${graph}`, manifest)).status).toBe(200);
    expect((await received(`/store/v1/blob/${cid}`)).body.equals(bytes)).toBe(true);
  });
});
