import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { InProcessQueue } from '../../queues/in-process.ts';
import { signedListPorts } from '../../src/composition/credentials.ts';
import { Bitstring } from '../../src/domain/integrity/credentials/bitstring.ts';
import { signedStatusList } from '../../src/domain/integrity/credentials/signed-list.ts';
import { standings } from '../../src/domain/integrity/credentials/status.ts';
import {
  entryId,
  signedStatusLists,
  statusEntries,
} from '../../src/domain/integrity/credentials/status-entries.ts';
import { workOnJobs } from '../../src/jobs.ts';
import { openEmbedded } from '../../src/storage/open.ts';
import type { Store } from '../../src/storage/store.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { canonicalizer } from '../builders/proofs.ts';
import { temporaryFolder } from '../storage/temporary-folder.ts';
import type { Moment } from './killed-revocation.ts';

interface Revoked {
  readonly id: string;
  readonly listId: string;
  readonly index: number;
}

const signing = { identifier: canonicalizer() as never, signer: signerWith(newKey()) };

async function killedAt(moment: Moment, folder: string): Promise<Revoked> {
  const child = fork(join(import.meta.dirname, 'killed-revocation.ts'));
  onTestFinished(() => void child.kill('SIGKILL'));
  const allocated = once(child, 'message') as Promise<[Revoked]>;
  const exit = once(child, 'exit');
  child.send({ folder, moment });
  const [revoked] = await allocated;
  expect((await exit)[1]).toBe('SIGKILL');
  return revoked;
}

async function bitIn(text: string, index: number): Promise<boolean> {
  return (await Bitstring.decode(JSON.parse(text).credentialSubject.encodedList)).get(index);
}

async function isListed(store: Store, { listId, index }: Revoked): Promise<boolean> {
  const entry = await store.of(statusEntries).get(entryId(listId, index));
  return entry?.isListed ?? false;
}

const moments: readonly Moment[] = [
  'after the entry',
  'after the job record',
  'while signing',
  'after the signed list',
  'at the end',
];

test.each(moments)(
  'a revocation whose process was killed %s is in the signed list asked for next',
  async (moment) => {
    const folder = await temporaryFolder();
    const revoked = await killedAt(moment, folder);
    await using store = await openEmbedded(folder);
    const found = await standings(store.of(statusEntries), [revoked.id]);
    expect(found.get(revoked.id)).toMatchObject({
      revoked: true,
    });
    const { text } = await signedStatusList(signedListPorts(store, signing), revoked.listId);
    expect(await bitIn(text, revoked.index)).toBe(true);
    expect(await isListed(store, revoked)).toBe(true);
  },
);

test.each(moments)(
  'a revocation whose process was killed %s is signed by the next process by itself',
  async (moment) => {
    const folder = await temporaryFolder();
    const revoked = await killedAt(moment, folder);
    await using store = await openEmbedded(folder);
    await using queue = new InProcessQueue({ concurrency: 1 });
    await using _work = workOnJobs(store, queue, {
      ...signing,
      log: pino({ level: 'silent' }),
      maxExportBytes: 1 << 20,
    });
    await expect.poll(() => isListed(store, revoked)).toBe(true);
    const kept = await store.of(signedStatusLists).get(revoked.listId);
    expect(await bitIn(String(kept?.text), revoked.index)).toBe(true);
  },
);
