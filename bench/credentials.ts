import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { signedListPorts } from '../src/composition/credentials.ts';
import { ContextRegistry } from '../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../src/domain/integrity/contexts/world.ts';
import { Bitstring } from '../src/domain/integrity/credentials/bitstring.ts';
import { signedStatusList } from '../src/domain/integrity/credentials/signed-list.ts';
import {
  entryId,
  listLength,
  statusEntries,
  statusLists,
} from '../src/domain/integrity/credentials/status-entries.ts';
import { openSigner } from '../src/platform/key-file-signer.ts';
import { openStore } from '../src/storage/open.ts';
import { StatementPool } from '../workers/statement-pool.ts';
import { median, quantile, report } from './measure.ts';
import { type Servers, withServers } from './mongo-service.ts';
import { startService } from './service-process.ts';

// Two processes on MongoDB and Redis: allocations, how soon the other process shows a revocation, and status lists.

const credentials = Number(process.env.CREDENTIALS ?? 2_000);
const watched = Math.min(300, credentials / 2);
const revocations = Math.min(1_000, credentials - watched);
const connections = 32;
const did = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
const lists = { half: listLength / 2, tenth: listLength / 20 };

interface Entry {
  readonly statusListCredential: string;
  readonly statusListIndex: string;
}

interface Allocated {
  readonly id: string;
  readonly credentialStatus: readonly [Entry, Entry];
}

async function ask(url: string, method: string, path: string, body?: unknown) {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await fetch(url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

async function inParallel(count: number, work: (at: number) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < count; at = next++) {
      const startedAt = performance.now();
      await work(at);
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return times;
}

const newCredential = () => ({
  '@context': ['https://www.w3.org/ns/credentials/v2'],
  id: `urn:uuid:${randomUUID()}`,
  type: ['VerifiableCredential'],
  issuer: did,
  validFrom: '2026-01-01T00:00:00Z',
  credentialSubject: { id: did },
});

const revoke = async (url: string, { id, credentialStatus }: Allocated) =>
  await ask(url, 'POST', `/credentials/v1/revoke/${id}`, { credentialStatus: credentialStatus[0] });

async function isSetIn(url: string, { credentialStatus: [entry] }: Allocated): Promise<boolean> {
  const list = (await ask(url, 'GET', new URL(entry.statusListCredential).pathname)) as {
    credentialSubject: { encodedList: string };
  };
  return (await Bitstring.decode(list.credentialSubject.encodedList)).get(Number(entry.statusListIndex));
}

/** Milliseconds from sending each revocation until the other process shows it. */
async function visible(one: string, other: string, some: readonly Allocated[]) {
  const [inStatus, inList]: [number[], number[]] = [[], []];
  for (const credential of some) {
    const startedAt = performance.now();
    const until = async (times: number[], isVisible: () => Promise<boolean>) => {
      while (!(await isVisible()));
      times.push(performance.now() - startedAt);
    };
    await revoke(one, credential);
    const path = `/credentials/v1/status?credential_id=${credential.id}`;
    await until(inStatus, async () => ((await ask(other, 'GET', path)) as { revoked: boolean }).revoked);
    await until(inList, () => isSetIn(other, credential));
  }
  return { inStatus, inList };
}

/** Milliseconds to sign a list with so many revoked entries: from all of them, and after one change. */
async function signing({ environment, folder, db }: Servers, revoked: number) {
  const { CAIRN_MONGODB_URL: url = '', CAIRN_SIGNING_KEY_FILE: keyFile = '' } = environment;
  const place = { dataDir: join(folder, 'bench'), mongodbUrl: url, mongodbDatabase: db.databaseName };
  await using store = await openStore({ ...place, startWait: 0 }, () => undefined);
  const registry = new ContextRegistry(ContextWorld.bundled(), []);
  const limits = { maxDepth: 64, documentMs: 5_000, requestMs: 30_000 };
  await using identifier = new StatementPool({ registry, threads: 1, ...limits });
  const signer = await openSigner(keyFile, { mayCreate: false, onWarning: () => undefined });
  const id = randomUUID();
  await store.of(statusLists).insert([
    {
      id,
      purpose: 'revocation',
      base: `https://${id}.example`,
      number: 0,
      reserved: lists.half,
      createdAt: 1,
    },
  ]);
  const more = { purpose: 'revocation', status: true, changes: 1, isListed: true } as const;
  for (let at = 0; at < revoked; at += 1_000) {
    const indexes = Array.from({ length: Math.min(1_000, revoked - at) }, (_, offset) => (at + offset) * 2);
    await store.of(statusEntries).insert(
      indexes.map((index) => ({
        id: entryId(id, index),
        listId: id,
        index,
        credentialId: `${id} ${index}`,
        ...more,
      })),
    );
  }
  const ports = signedListPorts(store, { identifier, signer });
  const times = async (rounds: number, prepare: () => Promise<unknown>) => {
    const measured: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await prepare();
      const startedAt = performance.now();
      await signedStatusList(ports, id);
      measured.push(performance.now() - startedAt);
    }
    return measured;
  };
  const whole = await times(3, () => ports.signedStatusLists.remove(id));
  const changed = await times(50, () => ports.statusEntries.update(entryId(id, 0), {}, { isListed: false }));
  return { whole, changed };
}

await withServers(async (servers) => {
  const environment = { ...servers.environment, CAIRN_PUBLIC_URL: 'https://cairn.example' };
  await using one = await startService(join(servers.folder, 'one'), environment);
  await using other = await startService(join(servers.folder, 'other'), environment);
  const all: Allocated[] = [];
  const allocate = async () => {
    all.push((await ask(one.url, 'POST', '/credentials/v1/allocate', newCredential())) as Allocated);
  };
  await inParallel(200, allocate);
  const startedAt = performance.now();
  const allocations = await inParallel(credentials, allocate);
  const rate = (credentials / (performance.now() - startedAt)) * 1_000;

  const { inStatus, inList } = await visible(one.url, other.url, all.slice(0, watched));
  const versions = async () => {
    const signed = await servers.db.collection('signed_status_lists').find().toArray();
    return signed.reduce((sum, { version }) => sum + Number(version), 0);
  };
  const before = await versions();
  const revokedAt = performance.now();
  const some = all.slice(watched, watched + revocations);
  const revoking = await inParallel(revocations, async (at) => {
    await revoke(one.url, some[at] as Allocated);
  });
  const seconds = (performance.now() - revokedAt) / 1_000;
  while (await servers.db.collection('status_entries').findOne({ isListed: false }));
  const signed = (await versions()) - before;

  const tenth = await signing(servers, lists.tenth);
  const half = await signing(servers, lists.half);
  const row = (what: string, times: readonly number[], perSecond: number | string = '') => ({
    what,
    'per second': perSecond,
    'median ms': median(times),
    'p99 ms': quantile(times, 0.99),
  });
  report(`Credentials on MongoDB and Redis, ${connections} connections`, [
    row('allocate', allocations, rate),
    row('revoke', revoking, revocations / seconds),
    row('revoke, until the status of another process shows it', inStatus),
    row('revoke, until the signed list of another process shows it', inList),
    row('sign a full list, 6,553 of it revoked, after one change', tenth.changed),
    row('sign a full list, all 65,536 of it revoked, after one change', half.changed),
    row('sign that list from all of its entries, when the last form is lost', half.whole),
  ]);
  console.log(`\n${revocations} revocations in ${seconds.toFixed(1)} s had ${signed} lists signed.`);
});
