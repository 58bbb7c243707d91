import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { everythingVisible } from '../../../src/domain/access/visibility.ts';
import { ContextKeeper } from '../../../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../../../src/domain/integrity/contexts/world.ts';
import { cidOf, codecs } from '../../../src/domain/integrity/identifiers/cid.ts';
import { attachedBlobs } from '../../../src/domain/integrity/manifest/attached-blobs.ts';
import { exportManifest } from '../../../src/domain/integrity/manifest/export.ts';
import { openEmbedded } from '../../../src/storage/open.ts';
import type { PlannedStore } from '../../../src/storage/store.ts';
import { counted } from '../../builders/put-counts.ts';
import { row } from '../../builders/rows.ts';
import { mayMount, mountedFolder } from './mounts.ts';

describe.runIf(mayMount)('a full disk (mounting one needs root)', () => {
  test('refuses whole batches, still reads, and accepts them once there is room', async () => {
    const folder = mountedFolder('8m');
    await using store = await openEmbedded(folder);
    await store.graphs.add({ graphId: 'g', name: 'g', parentId: null, projectId: 'g' });
    fill(folder);
    const stored: string[] = [];
    let refused: string[] = [];
    for (let batch = 0; refused.length === 0; batch += 1) {
      const texts = Array.from({ length: 50 }, (_, index) => `${batch} ${index} ${'x'.repeat(500)}`);
      const outcome = await putAll(store, texts);
      if (outcome === 'stored') stored.push(...texts);
      else refused = texts;
    }
    expect(stored.length).toBeGreaterThan(0);
    await expectStored(store, stored, refused);
    await expect(putAll(store, refused)).resolves.toBe('storage_full');
    fill(folder, 0);
    await expect(store.ready()).rejects.toMatchObject({ code: 'storage_full' });

    rmSync(join(folder, 'filler'));
    await store.ready();
    expect(await putAll(store, refused)).toBe('stored');
    await expectStored(store, [...stored, ...refused], []);
  });

  test('refuses a blob, removes its bytes, and accepts it once there is room', async () => {
    const folder = mountedFolder('8m');
    await using store = await openEmbedded(folder);
    const before = randomBytes(100_000);
    expect(await putBlob(store, before)).toBe('stored');
    fill(folder);
    const bytes = randomBytes(3 << 20);
    expect(await putBlob(store, bytes)).toBe('storage_full');
    expect(readdirSync(join(folder, 'staging'))).toEqual([]);
    expect(await store.blobs.size(cidOf(codecs.raw, bytes))).toBeUndefined();
    const content = await store.blobs.read(cidOf(codecs.raw, before));
    expect(Buffer.concat(await Array.fromAsync(content?.bytes ?? []))).toEqual(before);

    rmSync(join(folder, 'filler'));
    expect(await putBlob(store, bytes)).toBe('stored');
  });

  test('refuses an export that needs it before the first byte', async () => {
    const folder = mountedFolder('8m');
    await using store = await openEmbedded(folder);
    await store.graphs.add({ graphId: 'g', name: 'g', parentId: null, projectId: 'g' });
    // Smaller exports stay in memory.
    const texts = ['a', 'b', 'c'].map((text) => text.repeat(500_000));
    expect(await putAll(store, texts)).toBe('stored');
    fill(folder, 0);
    const contexts = new ContextKeeper(store.blobs, ContextWorld.bundled());
    const ports = { ...store, contexts, attachedBlobs: store.of(attachedBlobs) };
    const filter = { graphIds: null, includeContext: false, includeBlobs: false };
    const exported = exportManifest(ports, filter, everythingVisible, { form: 'json' });
    await expect(exported).rejects.toMatchObject({ code: 'storage_full' });
  });

  test('is reported at start with the name of the folder, and damages nothing', async () => {
    const disk = mountedFolder('8m');
    const folder = join(disk, 'data');
    mkdirSync(folder);
    fill(disk, 0);
    await expect(openEmbedded(folder)).rejects.toMatchObject({
      code: 'storage_full',
      message: expect.stringContaining(folder),
    });
    rmSync(join(disk, 'filler'));
    await using store = await openEmbedded(folder);
    expect(await store.statements.putMany([row('first')], null)).toEqual(counted({ stored: 1 }));
  });
});

/** Fills the disk up to `left` bytes. */
function fill(folder: string, left = 1 << 20): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(join(folder, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - left)), { flag: 'a' });
}

async function putAll(store: PlannedStore, texts: readonly string[]): Promise<string> {
  const rows = texts.map((text) => row(text));
  return await store.statements.putMany(rows, 'g').then(() => 'stored', codeOf);
}

async function putBlob(store: PlannedStore, bytes: Uint8Array): Promise<string> {
  const blob = await store.blobs.stage();
  try {
    for (let at = 0; at < bytes.length; at += 65_536) await blob.write(bytes.subarray(at, at + 65_536));
    return await blob.commit(cidOf(codecs.raw, bytes));
  } catch (error) {
    return codeOf(error as { code: string });
  }
}

function codeOf({ code }: { code: string }): string {
  return code;
}

async function expectStored(store: PlannedStore, stored: readonly string[], missing: readonly string[]) {
  const isStored = async (text: string) =>
    (await store.statements.byJcsCid(row(text).jcsCid, everythingVisible)) !== undefined;
  for (const text of stored) expect(await isStored(text)).toBe(true);
  for (const text of missing) expect(await isStored(text)).toBe(false);
  const { graphs } = await store.graphs.children(null, { after: null, limit: 1 }, everythingVisible);
  const counts = await store.graphs.statementCounts(
    graphs.map(({ graphId }) => graphId),
    1_000,
  );
  expect(counts).toEqual([stored.length]);
}
