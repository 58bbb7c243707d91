import { expect, test } from 'vitest';
import { stateRecords } from '../../../../src/domain/control-plane/gateway/runtime-records.ts';
import { readSealed } from '../../../../src/domain/control-plane/gateway/sealed-contents.ts';
import { cidOf, codecs, makeCid, parseCid } from '../../../../src/domain/integrity/identifiers/cid.ts';
import { sha256Digest } from '../../../../src/domain/integrity/identifiers/hashing.ts';
import { useGateway } from './gateway.ts';
import { base64, blob, body, state } from './samples.ts';

const gateway = useGateway();

async function storedOf(sourceId: string) {
  const [found] = await gateway.store.of(stateRecords).among('bySource', [sourceId], 1);
  return found?.[0] ?? expect.fail();
}

const attesting = (value: unknown, type?: string) => body(JSON.stringify(value), type);

test('a state keeps its attestation, the CIDs that it references directly, and the blobs', async () => {
  const agent = await gateway.agent();
  const [[prompt, promptBytes], [memory], [named]] = [blob('prompt'), blob('memory'), blob('named')];
  const old = makeCid(codecs.dagCbor, sha256Digest('old'), 'sha2-256').text;
  const value = {
    prompt: `urn:cid:${prompt}`,
    all: [memory, old, memory],
    [named]: 1,
    text: `about ${memory}x`,
  };
  const one = state(agent, {
    attestation: attesting(value, 'application/vnd.state+json; charset=utf-8'),
    blobs: { [prompt]: promptBytes, [`urn:cid:${old}`]: base64('old') },
  });
  const { status, json } = await gateway.send('state-records', [one]);
  expect(status).toBe(200);
  const stateCid = cidOf(codecs.raw, JSON.stringify(value)).text;
  expect(json).toEqual({ results: [{ source_id: one.source_id, state_cid: stateCid }] });
  const kept = await storedOf(one.source_id);
  expect(kept).toMatchObject({ stateCid, children: expect.toSatisfy((list) => list.length === 4) });
  expect(new Set(kept.children)).toEqual(new Set([prompt, memory, old, named]));
  const { sealedContents, blobs } = gateway.store;
  expect(String(await readSealed(sealedContents, kept.attestation))).toBe(JSON.stringify(value));
  expect(kept.blobs.map(({ cid }) => cid)).toEqual([prompt, old]);
  expect(
    await Promise.all(kept.blobs.map(async (part) => String(await readSealed(sealedContents, part)))),
  ).toEqual(['prompt', 'old']);
  for (const cid of [prompt, stateCid, old]) expect(await blobs.size(parseCid(cid))).toBeUndefined();
});

test('an attestation that is not JSON references nothing', async () => {
  const agent = await gateway.agent();
  const one = state(agent, { attestation: attesting([blob('a')[0]], 'application/cbor') });
  await gateway.send('state-records', [one]);
  expect((await storedOf(one.source_id)).children).toEqual([]);
});

const many = (count: number) => Array.from({ length: count }, (_, at) => blob(`${at}`)[0]);

test('an attestation of 10,000 CIDs is kept, and one of 100,000 is refused', async () => {
  const agent = await gateway.agent();
  const one = state(agent, { attestation: attesting(many(10_000)) });
  expect((await gateway.send('state-records', [one])).status).toBe(200);
  expect((await storedOf(one.source_id)).children).toHaveLength(10_000);
  const huge = state(agent, { attestation: attesting(many(100_000)) });
  expect(await gateway.send('state-records', [huge])).toMatchObject({
    status: 400,
    json: {
      code: 'too_complex',
      details: [
        {
          index: 0,
          pointer: '/records/0/attestation',
          reason: expect.stringContaining('more than 10000 CIDs'),
        },
      ],
    },
  });
});

const [cid, bytes] = blob('given');
const referencing = { attestation: attesting({ cid }) };

test.each([
  [
    'a blob that the attestation does not reference',
    { blobs: { [cid]: bytes } },
    'invalid_request',
    `/blobs/${cid}`,
  ],
  [
    'other bytes than its CID names',
    { ...referencing, blobs: { [cid]: base64('x') } },
    'cid_mismatch',
    `/blobs/${cid}`,
  ],
  ['a blob that no CID names', { ...referencing, blobs: { given: bytes } }, 'invalid_cid', '/blobs'],
  ['an upper-case CID', { ...referencing, blobs: { [cid.toUpperCase()]: bytes } }, 'invalid_cid', '/blobs'],
  ['a blob in base64url', { ...referencing, blobs: { [cid]: '_-8=' } }, 'invalid_request', `/blobs/${cid}`],
  ['an attestation that is no JSON', { attestation: body('{"a":') }, 'invalid_json', '/attestation'],
  [
    'repeated keys in its attestation',
    { attestation: body('{"a":1,"a":2}') },
    'invalid_json',
    '/attestation',
  ],
  ['a deep attestation', { attestation: body('['.repeat(65) + ']'.repeat(65)) }, 'too_deep', '/attestation'],
  ['no attestation', { attestation: undefined }, 'invalid_request', '/attestation'],
])('a state with %s is refused', async (_, members, code, pointer) => {
  const agent = await gateway.agent();
  const { status, json } = await gateway.send('state-records', [state(agent), state(agent, members)]);
  expect({ status, code: json.code }).toEqual({ status: 400, code });
  expect(json.details).toMatchObject([{ index: 1, code, pointer: `/records/1${pointer}` }]);
});

test('a blob over 8 MiB is refused', async () => {
  const large = Buffer.alloc((8 << 20) + 1, 'x');
  const name = cidOf(codecs.raw, large).text;
  const one = state(await gateway.agent(), {
    attestation: attesting({ name }),
    blobs: { [name]: large.toString('base64') },
  });
  expect(await gateway.send('state-records', [one])).toMatchObject({
    status: 413,
    json: { code: 'too_large' },
  });
});
