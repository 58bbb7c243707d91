import { describe, expect, it } from 'vitest';
import { blobUrn, statement } from '../builders/statements.ts';
import { type Answer, answerOf, putBlob, send, useService } from './service.ts';

const service = useService({
  CAIRN_MAX_JSON_BYTES: '100000',
  CAIRN_MAX_CALLER_BUFFERED_BYTES: '150000',
  CAIRN_MAX_BUFFERED_BYTES: '150000',
});

const busy = [503, 'unavailable', '1'];
const outcome = ({ status, json, headers }: Answer) => [status, json?.code, headers.get('retry-after')];

/** A body of 90,000 bytes, sent up to its last byte. */
async function sendAlmostAll() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const body = Buffer.from(`{"a":"${'x'.repeat(89_992)}"}`);
  const answer = service.app.request('/store/v1/jcs', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: readable,
    duplex: 'half',
  } as RequestInit);
  await writer.write(body.subarray(0, -1));
  return async () => {
    await writer.write(body.subarray(-1));
    await writer.close();
    return await answerOf(await answer);
  };
}

const body = { b: 'x'.repeat(80_000) };

describe('bodies that are in memory', () => {
  it('are refused with 503 beyond the budget, which is free again after an answer', async () => {
    const finish = await sendAlmostAll();
    const refused = await send(service, 'PUT', '/store/v1/jcs', body);
    expect(outcome(refused)).toEqual(busy);
    expect((await finish()).status).toBe(200);
    for (let at = 0; at < 3; at += 1)
      expect((await send(service, 'PUT', '/store/v1/jcs', body)).status).toBe(200);
  });

  it('do not stop uploads of blobs, which are streamed', async () => {
    const finish = await sendAlmostAll();
    expect((await putBlob(service, new Uint8Array(1_000_000))).status).toBe(200);
    await finish();
  });
});

describe('answers that are in memory', () => {
  it('hold the budget until they are read', async () => {
    const long = statement('DataRegistration', {
      data: Array.from({ length: 1_200 }, (_, index) => blobUrn(`${index}`)),
    });
    const put = await send(service, 'PUT', '/statements/v1', { statement: long, generate_id: true });
    expect([put.status, put.json.code]).toEqual([201, undefined]);
    const path = `/statements/v1/id/${put.json.rdfc_cid}`;
    const unread = await service.app.request(path);
    expect(outcome(await send(service, 'GET', path))).toEqual(busy);
    await unread.body?.cancel();
    for (let at = 0; at < 3; at += 1) expect((await send(service, 'GET', path)).status).toBe(200);
    for (let at = 0; at < 3; at += 1) {
      const { status, headers } = await service.app.request(path, { method: 'HEAD' });
      expect([status, Number(headers.get('content-length')) > 1 << 16]).toEqual([200, true]);
    }
  });

  it('are not texts of blobs, which are streamed', async () => {
    const { json } = await putBlob(service, 'ä'.repeat(45_000));
    const path = `/store/v1/text/${json.cid}`;
    const unread = await Promise.all(Array.from({ length: 5 }, () => service.app.request(path)));
    for (const answer of unread) expect(await answer.text()).toBe('ä'.repeat(45_000));
  });
});
