import { join } from 'node:path';
import { Bitstring } from '@digitalbazaar/bitstring';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProof } from '../../src/domain/integrity/proofs/data-integrity.ts';
import { newCredential } from '../builders/credentials.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { canonicalizer } from '../builders/proofs.ts';
import { newServiceStore } from '../http/service-store.ts';
import { type SpawnedService, spawnService } from '../processes/spawn-cairn.ts';
import { describeMongo } from '../storage/mongo/database.ts';

interface Entry {
  readonly statusListCredential: string;
  readonly statusListIndex: string;
}

async function ask(service: SpawnedService, method: string, path: string, body?: unknown) {
  const response = await fetch(service.url + path, {
    method,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // A busy service asks for a repeat.
  if (response.status === 503) return await ask(service, method, path, body);
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}

describeMongo('processes that share MongoDB and Redis', () => {
  const opened = new AsyncDisposableStack();
  let services: SpawnedService[];
  beforeAll(async () => {
    const { environment } = opened.use(await newServiceStore('mongodb'));
    const { CAIRN_DATA_DIR: folder = '' } = environment;
    const spawn = (_: unknown, at: number) =>
      spawnService({
        ...environment,
        CAIRN_DATA_DIR: join(folder, String(at)),
        CAIRN_PUBLIC_URL: 'https://cairn.example',
      });
    services = await Promise.all(Array.from({ length: 3 }, spawn));
    for (const one of services) opened.use(one);
  });
  afterAll(() => opened.disposeAsync());

  test('50 parallel allocations on three processes take no index twice', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        ask(services[at % 3] as SpawnedService, 'POST', '/credentials/v1/allocate', newCredential()),
      ),
    );
    const ids = answers.flatMap(({ credentialStatus }) =>
      credentialStatus.map(({ id }: { id: string }) => id),
    );
    expect(ids).toHaveLength(100);
    expect(new Set(ids).size).toBe(100);
  });

  test('a revocation on one process shows in the next status, list and verification on another', async () => {
    const [one, other] = services as [SpawnedService, SpawnedService];
    const key = newKey();
    const unsigned = newCredential({ issuer: key.did });
    const allocated = await ask(one, 'POST', '/credentials/v1/allocate', unsigned);
    const ports = { identifier: canonicalizer(), signer: signerWith(key) };
    const credential = await addProof(ports, allocated, { created: new Date() });
    const [entry]: readonly [Entry] = allocated.credentialStatus;
    const listPath = new URL(entry.statusListCredential).pathname;
    const seen = async () => {
      const status = await ask(other, 'GET', `/credentials/v1/status?credential_id=${allocated.id}`);
      const list = await ask(other, 'GET', listPath);
      const encoded = list.credentialSubject.encodedList.slice(1);
      const bits = new Bitstring({ buffer: await Bitstring.decodeBits({ encoded }) });
      const { checks } = await ask(other, 'POST', '/credentials/v1/verify', { credential });
      return [status.revoked, bits.get(Number(entry.statusListIndex)), checks.status.result];
    };
    expect(await seen()).toEqual([false, false, 'ok']);
    await ask(one, 'POST', `/credentials/v1/revoke/${allocated.id}`, { credentialStatus: entry });
    expect(await seen()).toEqual([true, true, 'failed']);
  });
});
