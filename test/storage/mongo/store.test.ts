import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { everythingVisible } from '../../../src/domain/access/visibility.ts';
import { allocateStatus, randomIndex } from '../../../src/domain/integrity/credentials/allocate.ts';
import { cidOf, codecs } from '../../../src/domain/integrity/identifiers/cid.ts';
import { openMongo } from '../../../src/storage/open.ts';
import type { PlannedStore } from '../../../src/storage/store.ts';
import { counted, totalOf } from '../../builders/put-counts.ts';
import { row } from '../../builders/rows.ts';
import { administratorsContract } from '../../contract/administrators.ts';
import { agentsContract } from '../../contract/agents.ts';
import { auditLogStoreContract } from '../../contract/audit-log-store.ts';
import { authServiceIssuersContract } from '../../contract/auth-service-issuers.ts';
import { blobHashesContract } from '../../contract/blob-hashes.ts';
import { blobStoreContract } from '../../contract/blob-store.ts';
import { exchangeSeriesContract } from '../../contract/exchange-series.ts';
import { foldersContract } from '../../contract/folders.ts';
import { gatewayContract } from '../../contract/gateway.ts';
import { graphContentsContract } from '../../contract/graph-contents.ts';
import { graphStoreContract } from '../../contract/graph-store.ts';
import { issuedCredentialsContract } from '../../contract/issued-credentials.ts';
import { jobStoreContract } from '../../contract/job-store.ts';
import { loggedRecordsContract } from '../../contract/logged-records.ts';
import { logsContract } from '../../contract/logs.ts';
import { namesContract } from '../../contract/names.ts';
import { limitsOf } from '../../contract/nouns.ts';
import { projectEvidenceContract } from '../../contract/project-evidence.ts';
import { publicationsContract } from '../../contract/publications.ts';
import { runTimeLimitStoreContract } from '../../contract/run-time-limit-store.ts';
import { searchContract } from '../../contract/search.ts';
import { sessionStoreContract } from '../../contract/session-store.ts';
import { signedListsContract } from '../../contract/signed-lists.ts';
import { spoolStoreContract } from '../../contract/spool-store.ts';
import { statementIndexContract } from '../../contract/statement-index.ts';
import { statementStoreContract } from '../../contract/statement-store.ts';
import {
  allocating,
  expectAllDifferent,
  newCredentialId,
  statusEntriesContract,
} from '../../contract/status-entries.ts';
import { userStoreContract } from '../../contract/user-store.ts';
import { newFolder, temporaryFolder } from '../temporary-folder.ts';
import { describeMongo, dropDatabase, newDatabase } from './database.ts';

const patience = { waitMs: 0, waiting: () => {} };

/** An empty store whose database goes when it is disposed of. */
async function openNew(): Promise<PlannedStore> {
  const address = newDatabase();
  const folder = await newFolder();
  const store = await openMongo(address, folder, patience);
  const dispose = async () => {
    await store[Symbol.asyncDispose]();
    await dropDatabase(address);
    await rm(folder, { recursive: true });
  };
  return { ...store, [Symbol.asyncDispose]: dispose };
}

/** Two openings of a new store, as two processes have them. */
async function openTwice() {
  const address = newDatabase();
  const folder = await newFolder();
  const [store, other] = [
    await openMongo(address, folder, patience),
    await openMongo(address, folder, patience),
  ];
  const dispose = async () => {
    for (const one of [store, other]) await one[Symbol.asyncDispose]();
    await dropDatabase(address);
    await rm(folder, { recursive: true });
  };
  return { ...store, other, [Symbol.asyncDispose]: dispose };
}

describeMongo('the store on MongoDB', () => {
  statementStoreContract(openNew);
  statementIndexContract(openNew);
  graphStoreContract(openNew);
  graphContentsContract(openNew);
  spoolStoreContract(openNew);
  blobHashesContract(openNew);
  foldersContract(openNew);
  blobStoreContract(openNew);
  runTimeLimitStoreContract(openNew);
  jobStoreContract(openNew);
  logsContract(openNew);
  loggedRecordsContract(openNew);
  publicationsContract(openNew);
  namesContract(openNew);
  searchContract(openNew);
  gatewayContract(openTwice);
  userStoreContract(openNew);
  sessionStoreContract(openNew);
  auditLogStoreContract(openNew);
  administratorsContract(openNew);
  authServiceIssuersContract(openNew);
  agentsContract(openNew);
  statusEntriesContract(openNew);
  signedListsContract(openNew);
  issuedCredentialsContract(openNew);
  exchangeSeriesContract(openNew);
  projectEvidenceContract(openNew);

  test('has everything after reopening, and in several processes at once', async () => {
    const [address, folder] = [newDatabase(), await temporaryFolder()];
    const bytes = randomBytes(1_000);
    const limits = { blobStoreFetchConcurrency: 3, blobStoreWriteConcurrency: 4 };
    await using first = await openMongo(address, folder, patience);
    await first.graphs.add({ graphId: 'g', name: 'g', parentId: null, projectId: 'g' });
    await first.statements.putMany([row('kept')], 'g');
    const blob = await first.blobs.stage();
    await blob.write(bytes);
    await blob.commit(cidOf(codecs.raw, bytes));
    await limitsOf(first).change(limits);
    await using second = await openMongo(address, folder, patience);
    const found = await second.statements.byJcsCid(row('kept').jcsCid, everythingVisible);
    expect(found?.graphIds).toEqual(['g']);
    expect(await second.blobs.size(cidOf(codecs.raw, bytes))).toBe(1_000);
    expect(await limitsOf(second).read()).toEqual(limits);
    await dropDatabase(address);
  });

  test('50 parallel allocations on three connections take no index twice', async () => {
    const [address, folder] = [newDatabase(), await temporaryFolder()];
    const stores = await Promise.all([0, 1, 2].map(() => openMongo(address, folder, patience)));
    const openers = stores.map((store) => allocating(store, () => randomIndex() % 100));
    const ids = Array.from({ length: 50 }, newCredentialId);
    const twice = [...ids, ...ids];
    const pairs = await Promise.all(twice.map((id, at) => allocateStatus(openers[at % 3] as never, id)));
    expect(pairs.slice(50)).toEqual(pairs.slice(0, 50));
    expectAllDifferent(pairs.slice(50).flat());
    await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
    await dropDatabase(address);
  });

  test('reports whether it is ready', async () => {
    const store = await openNew();
    await store.ready();
    await store[Symbol.asyncDispose]();
    const closed = { code: 'unavailable' };
    await expect(store.ready()).rejects.toMatchObject(closed);
    await expect(store.statements.putMany([row('late')], null)).rejects.toMatchObject(closed);
    await expect(store.blobs.size(cidOf(codecs.raw, 'late'))).rejects.toMatchObject(closed);
  });

  test('has one graph, one row and one blob when twenty writers in several processes store the same at once', async () => {
    const [address, folder] = [newDatabase(), await temporaryFolder()];
    await using one = await openMongo(address, folder, patience);
    await using other = await openMongo(address, folder, patience);
    const twenty = async <Result>(write: (store: PlannedStore) => Promise<Result>) =>
      (await Promise.all(Array.from({ length: 20 }, (_, at) => write(at % 2 ? one : other)))).toSorted();
    const graph = { graphId: 'g', name: 'g', parentId: null, projectId: 'g' };
    expect(await twenty((store) => store.graphs.add(graph))).toEqual(['added', ...Array(19).fill('exists')]);
    const puts = await twenty((store) => store.statements.putMany([row('same')], 'g'));
    expect(totalOf(puts)).toEqual(counted({ stored: 1, known: 19 }));
    const bytes = randomBytes(100);
    const put = async (store: PlannedStore) => {
      const blob = await store.blobs.stage();
      await blob.write(bytes);
      return await blob.commit(cidOf(codecs.raw, bytes));
    };
    expect(await twenty(put)).toEqual([...Array(19).fill('known'), 'stored']);
    const { graphs } = await one.graphs.children(null, { after: null, limit: 9 }, everythingVisible);
    expect(graphs).toEqual([graph]);
    expect(await one.graphs.statementCounts(['g'], 9)).toEqual([1]);
    await dropDatabase(address);
  });
});
