import { randomBytes } from 'node:crypto';
import { readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test, vi } from 'vitest';
import { everythingVisible } from '../../../src/domain/access/visibility.ts';
import { cidOf, cidUrn, codecs, makeCid } from '../../../src/domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../src/domain/integrity/ports.ts';
import { placeNumber } from '../../../src/domain/integrity/statements/places.ts';
import { OperationThread } from '../../../src/storage/embedded/threads/operation-thread.ts';
import { openEmbedded } from '../../../src/storage/open.ts';
import { counted } from '../../builders/put-counts.ts';
import { row } from '../../builders/rows.ts';
import { administratorsContract } from '../../contract/administrators.ts';
import { agentsContract } from '../../contract/agents.ts';
import { auditLogStoreContract } from '../../contract/audit-log-store.ts';
import { authServiceIssuersContract } from '../../contract/auth-service-issuers.ts';
import { blobHashesContract } from '../../contract/blob-hashes.ts';
import { blobStoreContract } from '../../contract/blob-store.ts';
import { exchangeSeriesContract } from '../../contract/exchange-series.ts';
import { putBlob } from '../../contract/filled-store.ts';
import { foldersContract } from '../../contract/folders.ts';
import { gatewayContract } from '../../contract/gateway.ts';
import { graphContentsContract } from '../../contract/graph-contents.ts';
import { graphStoreContract } from '../../contract/graph-store.ts';
import { issuedCredentialsContract } from '../../contract/issued-credentials.ts';
import { jobStoreContract } from '../../contract/job-store.ts';
import { loggedRecordsContract } from '../../contract/logged-records.ts';
import { logsContract } from '../../contract/logs.ts';
import { namesContract } from '../../contract/names.ts';
import { jobsOf, limitsOf } from '../../contract/nouns.ts';
import { projectEvidenceContract } from '../../contract/project-evidence.ts';
import { publicationsContract } from '../../contract/publications.ts';
import { runTimeLimitStoreContract } from '../../contract/run-time-limit-store.ts';
import { searchContract } from '../../contract/search.ts';
import { sessionStoreContract } from '../../contract/session-store.ts';
import { signedListsContract } from '../../contract/signed-lists.ts';
import { spoolStoreContract } from '../../contract/spool-store.ts';
import { statementIndexContract } from '../../contract/statement-index.ts';
import { statementStoreContract } from '../../contract/statement-store.ts';
import { statusEntriesContract } from '../../contract/status-entries.ts';
import { userStoreContract } from '../../contract/user-store.ts';
import { openFilesUnder } from '../open-files.ts';
import { openTemporary, temporaryFolder } from '../temporary-folder.ts';
import { change as changeDatabase } from './damages.ts';

describe('the embedded store', () => {
  const open = () => openTemporary();
  statementStoreContract(open);
  statementIndexContract(open);
  graphStoreContract(open);
  graphContentsContract(open);
  spoolStoreContract(open);
  blobHashesContract(open);
  foldersContract(open);
  blobStoreContract(open);
  runTimeLimitStoreContract(open);
  jobStoreContract(open);
  logsContract(open);
  loggedRecordsContract(open);
  publicationsContract(open);
  namesContract(open);
  searchContract(open);
  gatewayContract(open);
  userStoreContract(open);
  sessionStoreContract(open);
  auditLogStoreContract(open);
  administratorsContract(open);
  authServiceIssuersContract(open);
  agentsContract(open);
  statusEntriesContract(open);
  signedListsContract(open);
  issuedCredentialsContract(open);
  exchangeSeriesContract(open);
  projectEvidenceContract(open);

  test('has everything after reopening', async () => {
    const folder = await temporaryFolder();
    const bytes = randomBytes(1_000);
    const limits = { blobStoreFetchConcurrency: 3, blobStoreWriteConcurrency: 4 };
    {
      await using store = await openEmbedded(folder);
      await store.graphs.add({ graphId: 'g', name: 'g', parentId: null, projectId: 'g' });
      await store.statements.putMany([row('kept')], 'g');
      const blob = await store.blobs.stage();
      await blob.write(bytes);
      await blob.commit(cidOf(codecs.raw, bytes));
      await limitsOf(store).change(limits);
    }
    await using store = await openEmbedded(folder);
    const found = await store.statements.byJcsCid(row('kept').jcsCid, everythingVisible);
    expect(found?.graphIds).toEqual(['g']);
    expect(await store.blobs.size(cidOf(codecs.raw, bytes))).toBe(1_000);
    expect(await limitsOf(store).read()).toEqual(limits);
  });

  test('finishes at start what a killed process has stored and not named', async () => {
    const folder = await temporaryFolder();
    const [subject, document] = [
      'urn:uuid:6c5c1f0a-6d0f-4a57-9b0a-0c8a5a3f7e11',
      Buffer.from('{"name": "a thing"}'),
    ];
    {
      await using store = await openEmbedded(folder);
      const metadata = cidUrn(await putBlob(store.blobs, document, 'blake3'));
      const references = [
        { role: 'subject', identifier: subject },
        { role: 'metadata', identifier: metadata },
      ];
      await store.statements.putMany([row('named', { kind: 'MetadataRegistration', references })], null);
    }
    // While it is open, the database has a log, as after a kill.
    using database = new DatabaseSync(join(folder, 'cairn.db'));
    database.exec('DELETE FROM names');
    await using store = await openEmbedded(folder);
    const scope = { graphId: null, visibility: everythingVisible };
    await expect.poll(async () => (await store.names.of([subject], scope)).get(subject)).toBe('a thing');
  });

  test('removes interrupted imports at start', async () => {
    const folder = await temporaryFolder();
    const graph = { graphId: 'g', name: 'g', parentId: null, projectId: 'g' };
    const [honest, forged] = [row('honest'), row('forged', { isTrusted: false })];
    {
      await using store = await openEmbedded(folder);
      await (await store.graphImports.begin('g')).put([honest, forged]);
    }
    await using store = await openEmbedded(folder);
    let coming = await store.graphImports.begin('g');
    await expect
      .poll(async () => {
        await coming.abandon();
        coming = await store.graphImports.begin('g');
        return await coming.put([honest, forged]);
      })
      .toEqual(counted({ stored: 1, joined: 1 }));
    expect(await coming.publish(graph, { contexts: [], anchors: [] })).toBe('added');
    expect((await store.graphs.children(null, { after: null, limit: 9 }, everythingVisible)).graphs).toEqual([
      graph,
    ]);
    expect(await store.graphs.statementCounts([graph.graphId], 9)).toEqual([2]);
  });

  test('resets running jobs to waiting after reopening', async () => {
    const folder = await temporaryFolder();
    const owner = { issuer: 'i', subject: 's' };
    const claim = { runner: 'r', now: 1, silentSince: 0 };
    {
      await using store = await openEmbedded(folder);
      for (const id of ['running', 'waiting'])
        await jobsOf(store).add({ id, kind: 'manifest-export', owner, request: {}, createdAt: 1 });
      await jobsOf(store).claim('running', claim);
    }
    await using store = await openEmbedded(folder);
    expect((await jobsOf(store).due(0, 9)).map(({ id }) => id)).toEqual(['running', 'waiting']);
    expect(await jobsOf(store).claim('running', claim)).toMatchObject({ attempts: 2 });
  });

  test('is ready while open, and finishes its writes before it closes', async () => {
    const store = await openTemporary();
    await store.ready();
    const given = store.statements.putMany([row('last')], null);
    await store[Symbol.asyncDispose]();
    expect(await given).toEqual(counted({ stored: 1 }));
    await expect(store.ready()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(store.statements.putMany([row('late')], null)).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  test('leaves the event loop free while it stores ten thousand statements', async () => {
    await using store = await openTemporary();
    const rows = Array.from({ length: 10_000 }, (_, index) => row(`row ${index}`));
    let turns = 0;
    let isStoring = true;
    const count = () => {
      turns += 1;
      if (isStoring) setImmediate(count);
    };
    setImmediate(count);
    await store.statements.putMany(rows, null);
    isStoring = false;
    expect(turns).toBeGreaterThan(50);
  });

  test('leaves the event loop free while it skips invisible rows', async () => {
    await using store = await openTemporary();
    const add = (graphId: string, projectId: string) =>
      store.graphs.add({ graphId, name: graphId, parentId: null, projectId });
    await add('others', 'others');
    for (let at = 0; at < 60; at += 1) await add(`mine ${at}`, 'mine');
    const references = [{ role: 'data', identifier: 'urn:cid:hub' }];
    const rows = Array.from({ length: 10_000 }, (_, index) => row(`row ${index}`, { references }));
    await store.statements.putMany(rows, 'others');
    await store.statements.putMany([row('mine', { references })], 'mine 7');
    await store.statements.putMany([row('last')], 'others');
    let turns = 0;
    let isReading = true;
    const count = () => {
      turns += 1;
      if (isReading) setImmediate(count);
    };
    setImmediate(count);
    const scope = { graphId: null, visibility: { projects: new Set(['mine']) } };
    const filter = { kind: null, subject: null, registeredBy: null, from: null, until: null };
    const page = await store.statementIndex.search(filter, { after: null, limit: 2 }, scope);
    const place = placeNumber({ role: 'data', kind: 'DataRegistration' });
    const query = { identifiers: ['urn:cid:hub'], places: [{ place, limit: 2 }], most: 9 };
    const [answer] = await store.statementIndex.referringTo(query, scope);
    isReading = false;
    expect([page.statements.length, page.next, answer?.found.length, answer?.isCut]).toEqual([
      1,
      undefined,
      1,
      false,
    ]);
    expect(turns).toBeGreaterThan(5);
  });

  test('reads a snapshot of a graph while a statement becomes verified', async () => {
    await using store = await openTemporary();
    await store.graphs.add({ graphId: 'g', name: 'g', parentId: null, projectId: 'g' });
    const rows = Array.from({ length: 400 }, (_, at) => row(`row ${at}`));
    const idOf = (byte: number) => makeCid(codecs.rdfc, new Uint8Array(32).fill(byte));
    await store.statements.putMany([...rows, row('claim', { rdfcCid: idOf(255), isTrusted: false })], 'g');
    const pages = store.graphContents.statements(['g'], everythingVisible)[Symbol.asyncIterator]();
    const first = (await pages.next()).value as readonly StatementRow[];
    await store.statements.putMany([row('claim', { rdfcCid: idOf(0) })], 'g');
    const rest = (await Array.fromAsync({ [Symbol.asyncIterator]: () => pages })).flat();
    expect(first.length + rest.length).toBe(401);
    expect(rest.at(-1)?.rdfcCid.text).toBe(idOf(255).text);
    const [now] = (await Array.fromAsync(store.graphContents.statements(['g'], everythingVisible))).flat();
    expect(now?.rdfcCid.text).toBe(idOf(0).text);
  });

  test('reads contents after its thread for them could not start', async () => {
    await using store = await openTemporary();
    await store.graphs.add({ graphId: 'g', name: 'g', parentId: null, projectId: 'g' });
    await store.statements.putMany([row('one')], 'g');
    const contents = () => Array.fromAsync(store.graphContents.statements(['g'], everythingVisible));
    vi.spyOn(OperationThread, 'open').mockRejectedValueOnce(new Error('no thread'));
    await expect(contents()).rejects.toThrow('no thread');
    expect((await contents()).flat()).toHaveLength(1);
  });

  test.each([
    ['a short digest of its bytes', "jcs_digest = x'00'"],
    ['a short digest of its id', "rdfc_digest = x'00'"],
    ['other bytes', 'jcs = zeroblob(7)'],
    ['many other bytes', 'jcs = zeroblob(100000)'],
  ])('reports a row with %s in the contents of a graph as damaged', async (_name, change) => {
    const folder = await temporaryFolder();
    await using store = await openEmbedded(folder);
    await store.graphs.add({ graphId: 'g', name: 'g', parentId: null, projectId: 'g' });
    await store.statements.putMany([row('one'), row('two')], 'g');
    changeDatabase({ path: folder }, `UPDATE verified_rows SET ${change} WHERE seq = 2`);
    const contents = Array.fromAsync(store.graphContents.statements(['g'], everythingVisible));
    await expect(contents).rejects.toMatchObject({ code: 'damaged' });
  });

  test('leaves nothing in staging however an upload ends', async () => {
    const folder = await temporaryFolder();
    await using store = await openEmbedded(folder);
    const bytes = randomBytes(200_000);
    const cid = cidOf(codecs.raw, bytes);
    for (const end of ['commit', 'commit', 'discard'] as const) {
      const blob = await store.blobs.stage();
      await blob.write(bytes);
      await blob[end](cid);
    }
    expect(await readdir(join(folder, 'staging'))).toEqual([]);
  });

  test('reports a truncated blob as damaged', async () => {
    const folder = await temporaryFolder();
    await using store = await openEmbedded(folder);
    const bytes = randomBytes(2 << 20);
    const cid = cidOf(codecs.raw, bytes);
    const blob = await store.blobs.stage();
    await blob.write(bytes);
    await blob.commit(cid);
    const content = await store.blobs.read(cid);
    const [file] = await filesUnder(join(folder, 'blobs'));
    await truncate(String(file), 500);
    await expect(Array.fromAsync(content?.bytes ?? [])).rejects.toMatchObject({ code: 'damaged' });
  });

  test.runIf(process.platform === 'linux')(
    'closes every file that it read, whichever way it was left',
    async () => {
      const folder = await temporaryFolder();
      await using store = await openEmbedded(folder);
      const bytes = randomBytes(2 << 20);
      const cid = cidOf(codecs.raw, bytes);
      const blob = await store.blobs.stage();
      await blob.write(bytes);
      await blob.commit(cid);
      const open = async () => (await store.blobs.read(cid)) ?? expect.fail();

      for await (const _chunk of (await open()).bytes);
      for await (const _chunk of (await open()).bytes) break;
      await expect(
        (async () => {
          for await (const _chunk of (await open()).bytes) throw new Error('left');
        })(),
      ).rejects.toThrow('left');
      const started = await open();
      await started.bytes[Symbol.asyncIterator]().next();
      expect(openFilesUnder(join(folder, 'blobs'))).toHaveLength(1);
      await started[Symbol.asyncDispose]();
      await open();
      expect(openFilesUnder(join(folder, 'blobs'))).toEqual([]);
    },
  );
});

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
