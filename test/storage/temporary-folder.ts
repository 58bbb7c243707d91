import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openEmbedded } from '../../src/storage/open.ts';
import type { PlannedStore } from '../../src/storage/store.ts';

export async function newFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'cairn-store-'));
}

/** A folder that goes when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const folder = await newFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An empty embedded store whose folder goes when it is disposed of. */
export async function openTemporary(): Promise<PlannedStore> {
  const folder = await newFolder();
  const store = await openEmbedded(folder);
  const dispose = async () => {
    await store[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  };
  return { ...store, [Symbol.asyncDispose]: dispose };
}
