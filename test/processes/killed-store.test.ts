import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { everythingVisible } from '../../src/domain/access/visibility.ts';
import { type Sample, sampleOf } from '../../src/domain/maintenance/fsck/sample.ts';
import { openEmbedded, openEmbeddedCheck } from '../../src/storage/open.ts';
import type { PlannedStore } from '../../src/storage/store.ts';
import { runFsck } from '../contract/store-fsck.ts';
import { temporaryFolder } from '../storage/temporary-folder.ts';
import { batchGraphs, keepContexts, type NumberedWrite, numberedWrite } from './numbered-writes.ts';

const kills = 20;
/** Writes for one process, and how many of them run at once. */
const writesAtMost = 40;
const ahead = 4;

/** All writes so far, and the numbers of the acknowledged ones. */
interface Written {
  readonly sent: Map<number, NumberedWrite>;
  readonly acknowledged: Set<number>;
}

function newProcess(): ChildProcess {
  const child = fork(join(import.meta.dirname, 'killed-store.ts'), { serialization: 'advanced' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Sends writes, unacknowledged ones first, and kills the process at the chosen moment or at the end. */
async function writeUntilKilled(
  child: ChildProcess,
  folder: string,
  { sent, acknowledged }: Written,
  isTime: (acknowledgedNow: number) => boolean,
): Promise<void> {
  const again = [...sent.values()].filter(({ number }) => !acknowledged.has(number));
  const more = Array.from({ length: writesAtMost }, (_, at) => numberedWrite(sent.size + at));
  const writes = [...again, ...(await Promise.all(more))];
  let acknowledgedNow = 0;
  const sendNext = () => {
    const write = writes.shift();
    if (!write) return;
    sent.set(write.number, write);
    child.send(write, () => undefined);
  };
  child.on('message', (message: 'ready' | number) => {
    if (message === 'ready') return Array.from({ length: ahead }).forEach(sendNext);
    acknowledged.add(message);
    acknowledgedNow += 1;
    sendNext();
  });
  const exit = once(child, 'exit');
  child.send(folder);
  await expect.poll(() => writes.length === 0 || isTime(acknowledgedNow), { interval: 1 }).toBe(true);
  child.kill('SIGKILL');
  await exit;
}

function logBytes(folder: string): number {
  return statSync(join(folder, 'cairn.db-wal'), { throwIfNoEntry: false })?.size ?? 0;
}

/** After some acknowledgements, or while a transaction is written to the log. */
function timeToKill(folder: string, round: number): (acknowledgedNow: number) => boolean {
  const some = (round * 7) % 11;
  return round % 2 === 0
    ? (acknowledgedNow) => acknowledgedNow >= some
    : () => logBytes(folder) > (1 << 16) + some * (1 << 17);
}

/** A write is complete, or it was not acknowledged and left nothing. */
async function expectWhole(
  { statements, graphContents, graphs }: PlannedStore,
  { sent, acknowledged }: Written,
) {
  for (const { number, rows, graph, as } of sent.values()) {
    const found = await graphContents.count(
      graph.graphId,
      rows.map(({ jcsCid }) => jcsCid),
    );
    const isThere = as === 'abandoned import' ? false : acknowledged.has(number) || found > 0;
    expect([number, found]).toEqual([number, isThere ? rows.length : 0]);
    for (const { jcsCid } of isThere ? rows.filter(({ isTrusted }) => isTrusted) : [])
      expect((await statements.byJcsCid(jcsCid, everythingVisible))?.graphIds).toContain(graph.graphId);
    if (as !== 'batch') expect((await graphs.get(graph.graphId)) !== undefined).toBe(isThere);
  }
}

async function expectOnce({ graphContents, statementIndex }: PlannedStore): Promise<void> {
  const pages = await Array.fromAsync(graphContents.statements(null, everythingVisible));
  const listed = pages.flat().map(({ jcsCid }) => jcsCid.text);
  expect(listed).toHaveLength(new Set(listed).size);
  const found: string[] = [];
  const scope = { graphId: null, visibility: everythingVisible };
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const filter = { kind: null, subject: null, registeredBy: null, from: null, until: null };
    const { statements, next } = await statementIndex.search(filter, { after, limit: 1_000 }, scope);
    found.push(...statements.map(({ jcsCid }) => jcsCid.text));
    after = next;
  }
  expect(found).toHaveLength(new Set(found).size);
}

test('a process killed at any moment keeps every acknowledged write once, with a complete index', {
  timeout: 120_000,
}, async () => {
  const folder = await temporaryFolder();
  const written: Written = { sent: new Map(), acknowledged: new Set() };
  {
    await using store = await openEmbedded(folder);
    await keepContexts(store.blobs);
    for (const graph of batchGraphs) await store.graphs.add(graph);
  }
  let next = newProcess();
  for (let round = 0; round < kills; round += 1) {
    const child = next;
    await writeUntilKilled(child, folder, written, timeToKill(folder, round));
    next = newProcess();
    await expectSound(folder, sampleOf(0.1, String(round)));
    await using store = await openEmbedded(folder);
    await expectWhole(store, written);
    await expectOnce(store);
  }
  await expectSound(folder, sampleOf(1, ''));
  expect(written.acknowledged.size).toBeGreaterThan(kills);
});

/** An interrupted import does not count as a problem, nor does what an unanswered request has left in the search or not. */
async function expectSound(folder: string, sample: Sample): Promise<void> {
  await using fsck = await openEmbeddedCheck(folder);
  const { problems } = await runFsck(fsck, { sample });
  const isUnfinished = ({ kind, severity }: (typeof problems)[number]) =>
    kind === 'import' || (kind === 'search-entry' && (severity === 'unfinished' || severity === 'orphan'));
  expect(problems.filter((problem) => !isUnfinished(problem))).toEqual([]);
}
