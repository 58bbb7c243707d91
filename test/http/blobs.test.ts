import { createHash, randomUUID } from 'node:crypto';
import { CarWriter } from '@ipld/car/writer';
import { CID } from 'multiformats/cid';
import * as digests from 'multiformats/hashes/digest';
import { describe, expect, it } from 'vitest';
import { encodeCollection } from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { cidOf, codecs, makeCid, parseCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { describeTestData, readTestBytes, readTestJson } from '../test-data.ts';
import { answerOf, putBlob, send, useService } from './service.ts';

const service = useService({
  CAIRN_MAX_BLOB_BYTES: '4MiB',
  CAIRN_MAX_BATCH_BYTES: '6MiB',
  CAIRN_MAX_BATCH_PARTS: '20',
});
const get = (cid: string, headers: Record<string, string> = {}) =>
  send(service, 'GET', `/store/v1/blob/${cid}`, undefined, headers);
const exists = async (cid: string) => (await send(service, 'GET', `/store/v1/exists/${cid}`)).json.exists;

describe('PUT /store/v1/blob', () => {
  it('stores bytes under their BLAKE3 CID, with the raw codec by default', async () => {
    const raw = await putBlob(service, 'abc');
    expect([raw.status, raw.json]).toEqual([
      200,
      { cid: 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu' },
    ]);
    const collection = await putBlob(service, 'abc', '?multicodec_code=128');
    expect(parseCid(collection.json.cid).codec).toBe(codecs.hashSequence);
    expect((await get(collection.json.cid)).text).toBe('abc');
  });

  it('stores bytes under a SHA2-256 CID on request', async () => {
    const { json } = await putBlob(service, 'abc', '?multihash=sha2-256');
    expect(json.cid).toBe(makeCid(codecs.raw, createHash('sha256').update('abc').digest(), 'sha2-256').text);
    expect((await get(json.cid)).text).toBe('abc');
  });

  it('accepts the expected CID, and refuses other bytes without storing them', async () => {
    const right = cidOf(codecs.raw, 'expected').text;
    const wrong = cidOf(codecs.raw, 'something else').text;
    const refused = await putBlob(service, 'expected', `?expected_cid=${wrong}`);
    expect([refused.status, refused.json.code]).toEqual([400, 'cid_mismatch']);
    expect([await exists(wrong), await exists(right), await service.orphans()]).toEqual([false, false, []]);
    expect((await putBlob(service, 'expected', `?expected_cid=urn:cid:${right}`)).json.cid).toBe(right);
    expect((await putBlob(service, 'expected', `?expected_cid=${right}&multicodec_code=128`)).json.code).toBe(
      'cid_mismatch',
    );
  });

  it('accepts an empty blob and arbitrary bytes', async () => {
    const { json } = await putBlob(service, new Uint8Array());
    const empty = await get(json.cid);
    expect([empty.status, empty.text, empty.headers.get('content-length')]).toEqual([200, '', '0']);
  });

  it('refuses a blob over the limit with 413 and keeps nothing of it, with and without Content-Length', async () => {
    const large = new Uint8Array(4 * 2 ** 20 + 1);
    const answer = await putBlob(service, large);
    expect([answer.status, answer.json.code]).toEqual([413, 'too_large']);
    expect(answer.json.error).toContain('CAIRN_MAX_BLOB_BYTES');
    const streamed = await putBlob(service, new Blob([large]).stream());
    expect(streamed.status).toBe(413);
    expect(await exists(cidOf(codecs.raw, large).text)).toBe(false);
    expect(await service.orphans()).toEqual([]);
  });

  it('keeps nothing of an interrupted upload', async () => {
    const broken = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(70_000));
        controller.error(new Error('the connection was closed'));
      },
    });
    expect((await putBlob(service, broken)).status).toBe(400);
    expect(await service.orphans()).toEqual([]);
  });

  it.each([
    '?multicodec_code=-1',
    '?multicodec_code=x',
    '?multicodec_code=',
    '?multicodec_code',
    '?multicodec_code=%20',
    '?multicodec_code=0x55',
    '?multicodec_code=8.5e1',
    '?multicodec_code=%2B85',
    '?multicodec_code=85%20',
    '?multicodec_code=9007199254740992',
    '?multicodec_code=85&multicodec_code=85',
    '?multihash=md5',
    '?expected_cid=hello',
    '?multicodec_code=1.5',
  ])('refuses the query %s', async (query) => {
    expect((await putBlob(service, 'x', query)).status).toBe(400);
  });

  it('accepts codecs up to 2^53-1, refuses larger ones, and says so in the description', async () => {
    const { json } = await putBlob(service, 'codec', '?multicodec_code=9007199254740991');
    expect(parseCid(json.cid).codec).toBe(Number.MAX_SAFE_INTEGER);
    expect((await get(json.cid)).text).toBe('codec');
    const larger = await putBlob(service, 'codec', '?multicodec_code=9223372036854775807');
    expect([larger.status, larger.json.details[0].reason]).toEqual([
      400,
      'must be a whole number from 0 to 9007199254740991',
    ]);
    const { paths } = (await send(service, 'GET', '/openapi.json')).json;
    for (const path of ['/store/v1/blob', '/store/v1/blob/batch']) {
      const [parameter] = paths[path].put.parameters;
      expect(parameter).toMatchObject({
        name: 'multicodec_code',
        description: expect.stringContaining('Larger codes than 2^53-1 are refused'),
        schema: { type: 'integer', format: 'int64', maximum: Number.MAX_SAFE_INTEGER },
      });
    }
  });

  it('refuses other content types', async () => {
    const answer = await putBlob(service, 'x', '', { 'content-type': 'application/x-www-form-urlencoded' });
    expect([answer.status, answer.json.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('refuses compressed bodies', async () => {
    const answer = await putBlob(service, 'x', '', { 'content-encoding': 'gzip' });
    expect([answer.status, answer.json.code]).toEqual([415, 'unsupported_media_type']);
  });
});

describe('GET and HEAD /store/v1/blob/{cid}', () => {
  it('answers with headers that make foreign content safe', async () => {
    const { json } = await putBlob(service, '<script>alert(1)</script>');
    const { headers, text } = await get(json.cid);
    expect(text).toBe('<script>alert(1)</script>');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringMatching(/^attachment; filename=bafkr4i\w+$/),
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
      'content-length': '25',
      etag: `"${json.cid}"`,
    });
    expect(headers.get('content-security-policy')).toContain('sandbox');
  });

  it('answers HEAD like GET without the body', async () => {
    const { json } = await putBlob(service, 'head');
    const answer = await send(service, 'HEAD', `/store/v1/blob/${json.cid}`);
    expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([200, '', '4']);
  });

  it.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=-11', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=5-900', 206, '56789', 'bytes 5-9/10'],
    ['bytes=0-1,3-4', 200, '0123456789', null],
    ['lines=0-1', 200, '0123456789', null],
  ])('answers the range %s', async (range, status, text, contentRange) => {
    const { json } = await putBlob(service, '0123456789');
    const answer = await get(json.cid, { range });
    expect([answer.status, answer.text, answer.headers.get('content-range')]).toEqual([
      status,
      text,
      contentRange,
    ]);
    expect(answer.headers.get('content-length')).toBe(String(text.length));
  });

  it('answers 416 beyond the end, with the size', async () => {
    const { json } = await putBlob(service, '0123456789');
    const answer = await get(json.cid, { range: 'bytes=10-' });
    expect([answer.status, answer.json.code, answer.headers.get('content-range')]).toEqual([
      416,
      'range_not_satisfiable',
      'bytes */10',
    ]);
  });

  it('answers 304 for a matching ETag, and the whole blob for another If-Range', async () => {
    const { json } = await putBlob(service, '0123456789');
    expect((await get(json.cid, { 'if-none-match': `"other", "${json.cid}"` })).status).toBe(304);
    expect((await get(json.cid, { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
    expect((await get(json.cid, { range: 'bytes=0-1', 'if-range': `"${json.cid}"` })).status).toBe(206);
  });

  it.each([
    ['not-a-cid', 'invalid_cid'],
    ['BAFKR4IDEG6Z2YOCGKEZ77NR3OUTTVDNVJDCVQRS5PHNQH7JVTRWNLPM5QU', 'invalid_cid'],
    ['QmNX6Tffavsya4xgBi2VJQnSuqy9GsxongxZZ9uZBqp16d', 'invalid_cid'],
    ['zb2rhe5P4gXftAwvA4eXQ5HJwsER2owDyS9sKaQRRVQPn93bA', 'invalid_cid'],
    ['bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5', 'invalid_cid'],
  ])('refuses %s', async (cid, code) => {
    const answer = await get(cid);
    expect([answer.status, answer.json.code]).toEqual([400, code]);
  });

  it('serves the own context of the service from the start', async () => {
    expect(cidOf(codecs.raw, (await get(ownContextUrl)).text).text).toBe(parseCid(ownContextUrl).text);
  });

  it('answers 404 for an unknown CID', async () => {
    const answer = await get(cidOf(codecs.raw, 'never stored').text);
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found']);
  });
});

describe('PUT /store/v1/jcs and GET /store/v1/text/{cid}', () => {
  it('stores the RFC 8785 form of any JSON, numbers included', async () => {
    const { status, json } = await send(
      service,
      'PUT',
      '/store/v1/jcs',
      '{"b": 1E2, "a": [9007199254740993, "\\u00e9"]}',
    );
    expect(status).toBe(200);
    expect(json.cid).toMatch(/^baga6yaq6e/);
    const text = await send(service, 'GET', `/store/v1/text/${json.cid}`);
    expect([text.text, text.headers.get('content-type')]).toEqual([
      '{"a":[9007199254740992,"é"],"b":100}',
      'text/plain; charset=utf-8',
    ]);
    const known = { 'if-none-match': `"${json.cid}"` };
    const again = await send(service, 'GET', `/store/v1/text/${json.cid}`, undefined, known);
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', `"${json.cid}"`]);
  });

  it('stores large JSON in the same form, and refuses what is broken or has over 400,000 values', async () => {
    const put = (body: string) => send(service, 'PUT', '/store/v1/jcs', body);
    const { status, json } = await put(`{"b": 1E2, "a": "${'x'.repeat(100_000)}"}`);
    expect(status).toBe(200);
    const stored = `{"a":"${'x'.repeat(100_000)}","b":100}`;
    expect(json.cid).toBe(cidOf(codecs.jcs, stored).text);
    expect((await send(service, 'GET', `/store/v1/text/${json.cid}`)).text).toBe(stored);
    const broken = await put(`["${'x'.repeat(100_000)}",]`);
    expect([broken.status, broken.json.code]).toEqual([400, 'invalid_json']);
    const many = await put(`[${'0,'.repeat(400_000)}0]`);
    expect([many.status, many.json.code]).toEqual([413, 'too_large']);
    expect(many.json.error).toContain('400000 values');
  });

  it('answers 422 for bytes that are not UTF-8', async () => {
    const { json } = await putBlob(service, new Uint8Array([0xc3, 0x28]));
    const answer = await send(service, 'GET', `/store/v1/text/${json.cid}`);
    expect([answer.status, answer.json.code]).toEqual([422, 'unexpected_content']);
  });
});

describe('GET /store/v1/iroh-collection/{cid}', () => {
  it('lists names and CIDs, whatever the codec of the root', async () => {
    const files = { 'abc.txt': 'abc', 'def.txt': 'def' };
    const entries = Object.entries(files).map(([name, text]) => ({
      name,
      digest: cidOf(codecs.raw, text).digest,
    }));
    const { metadata, root } = encodeCollection(entries);
    await putBlob(service, new Uint8Array(metadata));
    const { json } = await putBlob(service, new Uint8Array(root), '?multicodec_code=128');
    expect(json.cid).toBe('bagaachraifnmn56rqtgbdxx5x2zvasw4slukuq2t7w3iefcmsqldn7axmrpq');
    const expected = Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, cidOf(codecs.raw, text).text]),
    );
    expect((await send(service, 'GET', `/store/v1/iroh-collection/${json.cid}`)).json).toEqual(expected);
    const asRaw = makeCid(codecs.raw, parseCid(json.cid).digest).text;
    expect((await send(service, 'GET', `/store/v1/iroh-collection/${asRaw}`)).json).toEqual(expected);
  });

  it('answers 422 for other bytes, and 404 if the metadata is not stored', async () => {
    const { json: text } = await putBlob(service, 'no collection');
    expect((await send(service, 'GET', `/store/v1/iroh-collection/${text.cid}`)).status).toBe(422);
    const { json: orphan } = await putBlob(service, new Uint8Array(64).fill(7));
    expect((await send(service, 'GET', `/store/v1/iroh-collection/${orphan.cid}`)).status).toBe(404);
  });
});

describe('PUT /store/v1/blob/batch, multipart', () => {
  async function batch(body: FormData | string | ReadableStream, query = '', boundary?: string) {
    const init = { method: 'PUT', body, duplex: 'half' } as RequestInit;
    if (boundary) init.headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    if (body instanceof FormData) {
      // Encoded first, because the form stream of the runtime fails if it is not read to its end.
      const { headers, bytes } = await encodedForm(body);
      Object.assign(init, { headers, body: bytes });
    }
    return await answerOf(await service.app.request(`/store/v1/blob/batch${query}`, init));
  }
  const part = (head: string, body: string) => `--b\r\n${head}\r\n\r\n${body}\r\n`;

  it('answers one result for each part, in order', async () => {
    const form = new FormData();
    form.append('one', new Blob(['first']), 'é 1.bin');
    form.append('zwölf', 'a text field');
    form.append('one', new Blob([new Uint8Array(300_000)]));
    form.append('empty', new Blob([]));
    const { status, json } = await batch(form);
    expect(status).toBe(200);
    const cids = ['first', 'a text field', new Uint8Array(300_000), ''].map(
      (bytes) => cidOf(codecs.raw, bytes).text,
    );
    expect(json.results).toEqual(
      ['é 1.bin', 'zwölf', 'one', 'empty'].map((name, at) => ({ name, cid: cids[at] })),
    );
    for (const cid of cids) expect(await exists(cid)).toBe(true);
  });

  it('applies the codec and hash of the query to all parts', async () => {
    const form = new FormData();
    form.append('a', new Blob(['sha']));
    const { json } = await batch(form, '?multihash=sha2-256&multicodec_code=129');
    expect(parseCid(json.results[0].cid)).toMatchObject({ codec: 129, multihash: 'sha2-256' });
  });

  it.each([
    ['a part without a name', part('Content-Disposition: form-data', 'unnamed')],
    ['a part without a disposition', part('Content-Type: text/plain', 'undisposed')],
  ])('refuses %s and stores nothing', async (_what, bad) => {
    const body = `${part('Content-Disposition: form-data; name="good"', 'kept out')}${bad}--b--\r\n`;
    const answer = await batch(body, '', 'b');
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request']);
    expect([await exists(cidOf(codecs.raw, 'kept out').text), await service.orphans()]).toEqual([false, []]);
  });

  it('refuses a boundary beyond the 70 characters of the standard', async () => {
    for (const [length, status] of [
      [70, 200],
      [71, 400],
      [300, 400],
    ] as const) {
      const boundary = 'b'.repeat(length);
      expect((await batch(`--${boundary}--\r\n`, '', boundary)).status).toBe(status);
    }
  });

  it.each([
    ['nothing', ''],
    [
      'parts of another boundary',
      part('Content-Disposition: form-data; name="a"', 'x').replace('--b', '--c'),
    ],
    ['an end that is cut', '--b-'],
  ])('refuses %s as a form without parts', async (_what, body) => {
    const answer = await batch(body, '', 'b');
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request']);
    expect((await batch('--b--\r\n', '', 'b')).json).toEqual({ results: [] });
    expect((await batch(new FormData())).json).toEqual({ results: [] });
  });

  it('refuses an incomplete body', async () => {
    const answer = await batch(
      `${part('Content-Disposition: form-data; name="a"', 'cut')}--b\r\nContent-Disp`,
      '',
      'b',
    );
    expect(answer.status).toBe(400);
    expect([await exists(cidOf(codecs.raw, 'cut').text), await service.orphans()]).toEqual([false, []]);
  });

  it('refuses a body that ends inside a part, normally or by a lost connection', async () => {
    const head = part('Content-Disposition: form-data; name="a"', 'x'.repeat(100_000)).slice(0, -10);
    const ended = await batch(head, '', 'b');
    expect([ended.status, ended.json.code]).toEqual([400, 'invalid_request']);
    const broken = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(head)),
      pull: (controller) => controller.error(new Error('the connection was closed')),
    });
    const brokenOff = await batch(broken, '', 'b');
    expect([brokenOff.status, brokenOff.json.code]).toEqual([400, 'truncated_upload']);
    expect(await service.orphans()).toEqual([]);
  });

  it('enforces the limits on a part, on the number of parts and on the total', async () => {
    const one = new FormData();
    one.append('a', new Blob([new Uint8Array(4 * 2 ** 20 + 1)]));
    expect((await batch(one)).json.error).toContain('CAIRN_MAX_BLOB_BYTES');
    const many = new FormData();
    for (let at = 0; at < 21; at += 1) many.append('a', new Blob([String(at)]));
    expect((await batch(many)).json.error).toContain('CAIRN_MAX_BATCH_PARTS');
    const total = new FormData();
    for (let at = 0; at < 3; at += 1) total.append('a', new Blob([new Uint8Array(3 * 2 ** 20)]));
    const answer = await batch(total);
    expect([answer.status, answer.json.error]).toEqual([413, expect.stringContaining('6291456 bytes')]);
    expect(await service.orphans()).toEqual([]);
  });
});

describe('PUT /store/v1/blob/batch, JSON', () => {
  const batch = async (body: unknown) => await send(service, 'PUT', '/store/v1/blob/batch', body);
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  it('stores blobs under the CIDs that clients compute', async () => {
    const document = cidOf(codecs.jcs, '{"a":1}').text;
    const raw = cidOf(codecs.raw, 'raw bytes').text;
    const { status, json } = await batch({
      blobs: [
        { blob: base64('{"a":1}'), cid: document, multicodec_code: codecs.jcs },
        { blob: base64('raw bytes'), cid: `urn:cid:${raw}` },
        { blob: '' },
      ],
    });
    expect([status, json]).toEqual([
      200,
      { results: [{ cid: document }, { cid: raw }, { cid: cidOf(codecs.raw, '').text }] },
    ]);
    expect(await exists(document)).toBe(true);
  });

  it.each([
    ['no list', { blobs: 'x' }, 400, /must be an array of blobs/],
    ['another member', { blobs: [], more: 1 }, 200, /results/],
    ['other base64', { blobs: [{ blob: 'YWJj\n' }] }, 400, /base64 is not canonical/],
    [
      'other bytes',
      { blobs: [{ blob: 'YWJj', cid: cidOf(codecs.raw, 'abd').text }] },
      400,
      /not the expected/,
    ],
    ['a bad CID', { blobs: [{ blob: 'YWJj', cid: 'x' }] }, 400, /x.* is not a CID/],
    ['a number', { blobs: [1] }, 400, /blobs\[0\] is not accepted: must be an object/],
  ])('answers %s', async (_, body, status, said) => {
    const answer = await batch(body);
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(said)]);
  });

  it('stores nothing if one blob is refused', async () => {
    const good = `good ${randomUUID()}`;
    const { status } = await batch({ blobs: [{ blob: base64(good) }, { blob: '!' }] });
    expect([status, await exists(cidOf(codecs.raw, good).text)]).toEqual([400, false]);
  });
});

describe('PUT /store/v1/blob/batch, CAR', () => {
  async function car(blocks: { cid: CID; bytes: Uint8Array }[]): Promise<Uint8Array> {
    const { writer, out } = CarWriter.create(blocks[0] ? [blocks[0].cid] : []);
    const collected = (async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of out) chunks.push(chunk);
      return Buffer.concat(chunks);
    })();
    for (const block of blocks) await writer.put(block);
    await writer.close();
    return new Uint8Array(await collected);
  }
  const block = (bytes: Uint8Array, codec: number = codecs.raw) => {
    const { digest } = cidOf(codec, bytes);
    return { cid: CID.createV1(codec, digests.create(0x1e, digest)), bytes };
  };
  /** A CAR v2 around a CAR v1, without an index. */
  const carV2 = (inner: Uint8Array) => {
    const pragma = Buffer.from('0aa16776657273696f6e02', 'hex');
    const header = Buffer.alloc(40);
    header.writeBigUInt64LE(BigInt(pragma.length + header.length), 16);
    header.writeBigUInt64LE(BigInt(inner.length), 24);
    return Buffer.concat([pragma, header, inner]);
  };
  /** A small block: one byte for the length, the CID, the bytes. */
  const sectionLength = (bytes: Uint8Array) => 1 + block(bytes).cid.bytes.length + bytes.length;
  const send = async (body: Uint8Array) =>
    await answerOf(
      await service.app.request('/store/v1/blob/batch', {
        method: 'PUT',
        body: new Uint8Array(body),
        headers: { 'content-type': 'application/vnd.ipld.car' },
      }),
    );

  it('stores every block under its own CID, large blocks included', async () => {
    const blocks = [
      block(Buffer.from('small')),
      block(new Uint8Array(3 * 2 ** 20).fill(5)),
      block(Buffer.from('{}'), codecs.jcs),
    ];
    const { status, json } = await send(await car(blocks));
    expect(status).toBe(200);
    expect(json.results).toEqual(blocks.map(({ cid }) => ({ cid: cid.toString() })));
    expect((await get(json.results[1].cid)).text).toHaveLength(3 * 2 ** 20);
  });

  it('refuses a CAR with a block that does not match its CID, and stores nothing of it', async () => {
    const good = block(Buffer.from('a good block'));
    const forged = { cid: block(Buffer.from('what it claims')).cid, bytes: Buffer.from('what it is') };
    const answer = await send(await car([good, forged]));
    expect([answer.status, answer.json.code]).toEqual([400, 'cid_mismatch']);
    expect([
      await exists(good.cid.toString()),
      await exists(forged.cid.toString()),
      await service.orphans(),
    ]).toEqual([false, false, []]);
  });

  it.each([1, 30, 70, 90])('refuses a CAR that lacks its last %i bytes', async (missing) => {
    const bytes = await car([block(Buffer.from('x'.repeat(40))), block(Buffer.from('y'.repeat(40)))]);
    const answer = await send(bytes.subarray(0, bytes.length - missing));
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request']);
    expect(await service.orphans()).toEqual([]);
  });

  it('refuses a CAR v2 that lacks whole blocks at its end', async () => {
    const inner = await car([block(Buffer.from('kept out with the next')), block(Buffer.from('cut off'))]);
    const whole = carV2(inner);
    const cutAt = whole.length - sectionLength(Buffer.from('cut off'));
    const answer = await send(whole.subarray(0, cutAt));
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request']);
    expect(await exists(cidOf(codecs.raw, 'kept out with the next').text)).toBe(false);
    expect((await send(whole)).json.results).toHaveLength(2);
  });

  it('refuses a header that claims too much, without buffering it', async () => {
    const answer = await send(new Uint8Array([0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3]));
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request']);
  });

  it('refuses other hash functions and other content types', async () => {
    const sha512 = CID.createV1(codecs.raw, digests.create(0x13, createHash('sha512').update('x').digest()));
    const answer = await send(await car([{ cid: sha512, bytes: Buffer.from('x') }]));
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_cid']);
    const other = await service.app.request('/store/v1/blob/batch', {
      method: 'PUT',
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    expect(other.status).toBe(415);
  });
});

describeTestData('CAR files of the standard', () => {
  it.each(['carv1-basic', 'carv2-basic'])(
    '%s: every block is stored, and CIDs of version 0 become version 1',
    async (version) => {
      const { blocks } = readTestJson<{ blocks: { cid: { '/': string } }[] }>(
        'conformance',
        'car',
        version,
        `${version}.json`,
      );
      const answer = await answerOf(
        await service.app.request('/store/v1/blob/batch', {
          method: 'PUT',
          body: new Uint8Array(readTestBytes('conformance', 'car', version, `${version}.car`)),
          headers: { 'content-type': 'application/vnd.ipld.car' },
        }),
      );
      const expected = blocks.map(({ cid }) => CID.parse(cid['/']).toV1().toString());
      expect(answer.json.results.map(({ cid }: { cid: string }) => cid)).toEqual(expected);
    },
  );
});

async function encodedForm(form: FormData): Promise<{ headers: Record<string, string>; bytes: ArrayBuffer }> {
  const response = new Response(form);
  const headers = { 'content-type': response.headers.get('content-type') ?? '' };
  return { headers, bytes: await response.arrayBuffer() };
}
