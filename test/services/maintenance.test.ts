import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ContextKeeper } from '../../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import type { IsWanted } from '../../src/domain/maintenance/contents.ts';
import { migrate } from '../../src/domain/maintenance/migration/migration.ts';
import { Verifier } from '../../src/domain/maintenance/verifier.ts';
import { openIntegrity } from '../../src/integrity.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { openEmbedded, openStore, openStoreCheck } from '../../src/storage/open.ts';
import { newGraph } from '../builders/graphs.ts';
import { usePool } from '../builders/statement-pool.ts';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import {
  answersOf,
  env,
  filledFolder,
  manyStatements,
  newIdentifier,
  served,
} from '../cli/migrate-samples.ts';
import { cairn, startService, temporaryFolder } from '../cli/run-cairn.ts';
import { identified, keep } from '../contract/filled-store.ts';
import { newServiceStore } from '../http/service-store.ts';
import { describeMongo } from '../storage/mongo/database.ts';

describeMongo('cairn migrate on MongoDB', () => {
  const { identifier } = usePool(new ContextWorld());

  test('copies a folder to a database and back without changing any answer', async () => {
    using folder = temporaryFolder();
    await using target = await newServiceStore('mongodb');
    const { CAIRN_MONGODB_URL: url = '', CAIRN_MONGODB_DATABASE: name = '' } = target.environment;
    const [from, back] = [join(folder.path, 'from'), join(folder.path, 'back')];
    const filled = await filledFolder(from);
    await manyStatements(from, 600);
    const there = ['migrate', '--from', from, '--to', url, '--to-database', name];
    const first = await cairn(there, { env });
    expect(first.code, first.stderr).toBe(0);
    const again = ['migrate', '--from', url, '--from-database', name, '--to', back];
    const second = await cairn(again, { env });
    expect(second.code, second.stderr).toBe(0);
    const expected = await served({ CAIRN_DATA_DIR: from });
    expect(await served(target.environment)).toEqual(expected);
    expect(await served({ CAIRN_DATA_DIR: back })).toEqual(expected);
    expect(await answersOf(back, filled)).toEqual(await answersOf(from, filled));
    expect((await cairn(['fsck'], { env: { ...target.environment, ...env } })).code).toBe(0);
    expect((await cairn(['fsck', '--data-dir', back], { env })).code).toBe(0);
  });

  test('copies graphs that are registered meanwhile, with their parents', async () => {
    using folder = temporaryFolder();
    await using database = await newServiceStore('mongodb');
    const settings = readSettings({ ...database.environment, ...env });
    const waiting = () => expect.fail('MongoDB does not answer.');
    await using store = await openStore(settings, waiting);
    await using source = await openStoreCheck(settings, waiting);
    await using target = await openEmbedded(folder.path);
    const parent = newGraph();
    const child = newGraph({ parentId: parent.graphId, projectId: parent.projectId });
    const row = await identified(
      newIdentifier(),
      ownStatement('DataRegistration', { data: blobUrn('late') }),
    );
    async function* lateStatements(isWanted: IsWanted) {
      await store.graphs.add(parent);
      await store.graphs.add(child);
      await store.statements.putMany([row], child.graphId);
      yield* source.statements(isWanted);
    }
    const world = ContextWorld.bundled();
    await keep(store.blobs, world, row.contexts);
    const problems = migrate({
      source: { ...source, statements: lateStatements },
      target,
      verifier: new Verifier({ identifier, contexts: new ContextKeeper(source.blobs, world) }),
      onProgress: () => {},
    });
    expect(await Array.fromAsync(problems)).toEqual([]);
    expect(await target.graphContents.count(child.graphId, [row.jcsCid])).toBe(1);
    expect(await target.graphs.get(parent.graphId)).toEqual(parent);
  });

  test('leaves out statements that are too large for a document and copies the rest', async () => {
    using folder = temporaryFolder();
    await using target = await newServiceStore('mongodb');
    const { CAIRN_MONGODB_URL: url = '', CAIRN_MONGODB_DATABASE: name = '' } = target.environment;
    const from = join(folder.path, 'from');
    await filledFolder(from);
    const payload = Buffer.alloc(12 << 20, 'large').toString('base64');
    const large = await identified(
      newIdentifier(),
      ownStatement('CredentialRegistration', {
        credentialDsse: { payloadType: 'text/plain', payload, signatures: [{ keyid: 'one', sig: 'c2ln' }] },
      }),
    );
    const last = await identified(
      newIdentifier(),
      ownStatement('DataRegistration', { data: blobUrn('last') }),
    );
    {
      await using store = await openEmbedded(from);
      await store.statements.putMany([large, last], null);
    }
    const run = await cairn(['migrate', '--from', from, '--to', url, '--to-database', name], { env });
    expect(run.code, run.stderr).toBe(1);
    expect(run.stdout).toMatch(new RegExp(`^statement  ${large.jcsCid.text}  Left out: .* more than`));
    await using integrity = await openIntegrity(
      readSettings({ ...target.environment, ...env }),
      pino({ level: 'silent' }),
    );
    const status = async (cid: string) => (await integrity.app.request(`/statements/v1/id/${cid}`)).status;
    expect([await status(large.rdfcCid.text), await status(last.rdfcCid.text)]).toEqual([404, 200]);
  });
});

describeMongo('cairn fsck on MongoDB', () => {
  test('checks a database while services use it, without their settings', async () => {
    await using store = await newServiceStore('mongodb');
    await using service = await startService(store.environment);
    const body = 'a blob';
    const headers = { 'content-type': 'application/octet-stream' };
    await fetch(`${service.url}/store/v1/blob`, { method: 'PUT', headers, body });
    const { CAIRN_MONGODB_URL = '', CAIRN_MONGODB_DATABASE = '' } = store.environment;
    const env = { CAIRN_MONGODB_URL, CAIRN_MONGODB_DATABASE, CAIRN_WORKERS: '1' };
    const run = await cairn(['fsck', '--json'], { env });
    expect(run.code, run.stderr).toBe(0);
    const { summary } = JSON.parse(run.stdout);
    expect(summary).toMatchObject({ ok: true, blobs: 5, damaged: 0 });
    expect(summary.store).toContain(CAIRN_MONGODB_DATABASE);
  });

  test('exits with 2 on a database without a store, and with 3 if MongoDB does not answer', async () => {
    await using store = await newServiceStore('mongodb');
    const { CAIRN_MONGODB_URL = '', CAIRN_MONGODB_DATABASE = '' } = store.environment;
    const empty = await cairn(['fsck'], { env: { CAIRN_MONGODB_URL, CAIRN_MONGODB_DATABASE } });
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringMatching(/^There is no store at MongoDB/) });
    const url = 'mongodb://cairn:very-secret@127.0.0.1:1/?serverSelectionTimeoutMS=200';
    const nobody = await cairn(['fsck'], { env: { CAIRN_MONGODB_URL: url, CAIRN_START_WAIT: '300ms' } });
    expect(nobody).toMatchObject({ code: 3, stdout: '' });
    expect(nobody.stderr).not.toContain('very-secret');
  });
});
