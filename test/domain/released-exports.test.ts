import { readdir } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { everythingVisible } from '../../src/domain/access/visibility.ts';
import { ContextKeeper } from '../../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import { manifestExports } from '../../src/domain/integrity/exports/export-work.ts';
import { attachedBlobs } from '../../src/domain/integrity/manifest/attached-blobs.ts';
import { exportManifest } from '../../src/domain/integrity/manifest/export.ts';
import { openEmbedded } from '../../src/storage/open.ts';
import { row } from '../builders/rows.ts';
import { jobsOf } from '../contract/nouns.ts';
import { openFilesUnder } from '../storage/open-files.ts';
import { temporaryFolder } from '../storage/temporary-folder.ts';

const filter = { graphIds: null, includeContext: false, includeBlobs: false };

/** A store with statements of more bytes than a spool keeps in memory. */
async function openFilled() {
  const folder = await temporaryFolder();
  const store = await openEmbedded(folder);
  await store.statements.putMany(
    Array.from({ length: 40 }, (_, at) => row(`${at} ${'x'.repeat(1 << 16)}`)),
    null,
  );
  const contexts = new ContextKeeper(store.blobs, ContextWorld.bundled());
  return { folder, store, exporting: { ...store, contexts, attachedBlobs: store.of(attachedBlobs) } };
}

test.runIf(platform() === 'linux')('an export closes its spools and its snapshot', async () => {
  const { folder, store, exporting } = await openFilled();
  await using _store = store;
  const exportAll = async () => {
    await using manifest = await exportManifest(exporting, filter, everythingVisible, { form: 'json' });
    expect((await Array.fromAsync(manifest.bytes)).length).toBeGreaterThan(1);
  };
  // The first starts the thread that reads snapshots.
  await exportAll();
  const before = openFilesUnder(folder);
  for (let time = 0; time < 3; time += 1) await exportAll();
  expect(openFilesUnder(folder)).toEqual(before);
});

test('an export that fails while it is written leaves nothing', async () => {
  const { folder, store, exporting } = await openFilled();
  await using _store = store;
  const { run } = manifestExports(exporting, store.exportResults, {
    jobs: jobsOf(store).records,
    mostBytes: 1 << 20,
  });
  const job = {
    id: 'one',
    owner: { issuer: 'i', subject: 's' },
    request: { ...filter, form: 'json' as const, projects: null },
  };
  await expect(
    run(job as unknown as Parameters<typeof run>[0], async () => {}, 'runner'),
  ).rejects.toMatchObject({ code: 'too_large' });
  expect(await readdir(join(folder, 'staging'))).toEqual([]);
  expect(await Array.fromAsync(store.exportResults.names())).toEqual([]);
});
