import { randomUUID } from 'node:crypto';
import { Bitstring } from '@digitalbazaar/bitstring';
import { describe, expect, test } from 'vitest';
import { newCredential } from '../builders/credentials.ts';
import { send, useService } from './service.ts';

const service = useService({ CAIRN_PUBLIC_URL: 'https://cairn.example' });

interface Entry {
  readonly statusListCredential: string;
  readonly statusListIndex: string;
}

async function newEntries() {
  const { json } = await send(service, 'POST', '/credentials/v1/allocate', newCredential());
  const [revocation, suspension]: readonly [Entry, Entry] = json.credentialStatus;
  return { id: String(json.id), revocation, suspension };
}

const set = (id: string, credentialStatus: Entry, status = true) =>
  send(service, 'POST', `/credentials/v1/revoke/${encodeURIComponent(id)}`, { credentialStatus, status });
const pathOf = ({ statusListCredential }: Entry) => new URL(statusListCredential).pathname;
const read = (entry: Entry, headers: Record<string, string> = {}) =>
  send(service, 'GET', pathOf(entry), undefined, headers);

/** Read by an independent implementation. */
async function bitOf(entry: Entry): Promise<boolean> {
  const { json } = await read(entry, { accept: 'application/json' });
  const encoded = json.credentialSubject.encodedList.slice(1);
  const list = new Bitstring({ buffer: await Bitstring.decodeBits({ encoded }) });
  expect(list.length).toBe(131_072);
  return list.get(Number(entry.statusListIndex));
}

describe('GET /credentials/v1/status-lists/{id}', () => {
  test('answers a signed BitstringStatusListCredential', async () => {
    const { revocation } = await newEntries();
    const { status, headers, text } = await read(revocation);
    const json = JSON.parse(text);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/vc');
    expect(headers.get('cache-control')).toBe('no-cache');
    const url = revocation.statusListCredential;
    expect(json).toEqual({
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      id: url,
      type: ['VerifiableCredential', 'BitstringStatusListCredential'],
      issuer: expect.stringMatching(/^did:key:z6Mk/),
      validFrom: expect.stringMatching(/Z$/),
      credentialSubject: {
        id: `${url}#list`,
        type: 'BitstringStatusList',
        statusPurpose: 'revocation',
        encodedList: expect.stringMatching(/^uH4sI/),
      },
      proof: expect.objectContaining({ cryptosuite: 'eddsa-rdfc-2022' }),
    });
    const { json: verified } = await send(service, 'POST', '/credentials/v1/verify', { credential: json });
    expect(verified.verified, JSON.stringify(verified)).toBe(true);
  });

  test('shows every change at once, and nothing else', async () => {
    const [{ id, revocation, suspension }, other] = [await newEntries(), await newEntries()];
    expect([await bitOf(revocation), await bitOf(suspension)]).toEqual([false, false]);
    await set(id, suspension);
    expect([await bitOf(revocation), await bitOf(suspension)]).toEqual([false, true]);
    await set(id, suspension, false);
    await set(id, revocation);
    expect([await bitOf(revocation), await bitOf(suspension)]).toEqual([true, false]);
    expect([await bitOf(other.revocation), await bitOf(other.suspension)]).toEqual([false, false]);
  });

  test('shows revocations that arrive together', async () => {
    const some = await Promise.all(Array.from({ length: 20 }, newEntries));
    await Promise.all(
      some.map(async ({ id, revocation }) => {
        await set(id, revocation);
        expect(await bitOf(revocation)).toBe(true);
      }),
    );
  });

  test('has an ETag that changes with the list only', async () => {
    const { id, revocation } = await newEntries();
    const first = String((await read(revocation)).headers.get('etag'));
    const same = await read(revocation, { 'if-none-match': first });
    expect([same.status, same.text, same.headers.get('cache-control')]).toEqual([304, '', 'no-cache']);
    await set(id, revocation);
    const changed = await read(revocation, { 'if-none-match': first });
    expect([changed.status, changed.headers.get('etag') === first]).toEqual([200, false]);
  });

  test('answers as JSON on request, and 406 for anything else', async () => {
    const { revocation } = await newEntries();
    const json = await read(revocation, { accept: 'application/json' });
    expect(json.headers.get('content-type')).toBe('application/json');
    expect((await read(revocation, { accept: 'text/html' })).status).toBe(406);
  });

  test('answers 404 for an unknown list, and 400 for what is no UUID', async () => {
    const path = '/credentials/v1/status-lists';
    expect((await send(service, 'GET', `${path}/${randomUUID()}`)).status).toBe(404);
    expect((await send(service, 'GET', `${path}/x`)).status).toBe(400);
  });

  test('finds a list by its id after the public URL has changed', async () => {
    const { id, revocation } = await newEntries();
    await service.restart({ CAIRN_PUBLIC_URL: 'https://moved.example/cairn' });
    expect(JSON.parse((await read(revocation)).text).id).toBe(revocation.statusListCredential);
    const moved = {
      ...revocation,
      statusListCredential: revocation.statusListCredential.replace('cairn.example', 'moved.example/cairn'),
    };
    expect((await set(id, moved)).status).toBe(200);
    expect(await bitOf(revocation)).toBe(true);
    const added = await newEntries();
    expect(added.revocation.statusListCredential).toMatch(
      /^https:\/\/moved\.example\/cairn\/credentials\/v1\//,
    );
    await service.restart();
    expect((await newEntries()).revocation.statusListCredential).toBe(revocation.statusListCredential);
  });
});
