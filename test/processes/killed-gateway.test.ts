import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { gatewayPorts } from '../../src/composition/agents.ts';
import { agents } from '../../src/domain/control-plane/agents/agents.ts';
import {
  auditExchanges,
  pluginEvents,
  stateRecords,
} from '../../src/domain/control-plane/gateway/runtime-records.ts';
import { openEmbedded, openEmbeddedCheck } from '../../src/storage/open.ts';
import type { Store } from '../../src/storage/store.ts';
import { newAgent } from '../builders/agents.ts';
import { runFsck } from '../contract/store-fsck.ts';
import { temporaryFolder } from '../storage/temporary-folder.ts';
import { agentId, exchangesOf, recordsEach, report } from './numbered-reports.ts';

const kills = 8;
/** Batches of one process, and how many of them run at once. */
const batches = 30;
const ahead = 3;

/** The numbers of all batches so far, and what the acknowledged ones were answered. */
interface Reported {
  readonly sent: Set<number>;
  readonly answers: Map<number, readonly string[]>;
}

type Message = 'ready' | { readonly number: number; readonly answer: readonly string[] };

async function reportUntilKilled(child: ChildProcess, folder: string, reported: Reported, round: number) {
  const { sent, answers } = reported;
  const again = [...sent].filter((number) => !answers.has(number));
  const waiting = [...again, ...Array.from({ length: batches }, (_, at) => sent.size + at)];
  const some = (round * 5) % 9;
  let acknowledged = 0;
  const sendNext = () => {
    const number = waiting.shift();
    if (number === undefined) return;
    sent.add(number);
    child.send(number, () => undefined);
  };
  child.on('message', (message: Message) => {
    if (message === 'ready') return Array.from({ length: ahead }).forEach(sendNext);
    expect(message.answer).toEqual(answers.get(message.number) ?? message.answer);
    answers.set(message.number, message.answer);
    acknowledged += 1;
    if (acknowledged === some) child.kill('SIGKILL');
    sendNext();
  });
  const exit = once(child, 'exit');
  child.send(folder);
  if (some === 0) {
    await once(child, 'message');
    child.kill('SIGKILL');
  }
  await exit;
}

async function expectAnswers(store: Store, { answers }: Reported): Promise<void> {
  const ports = gatewayPorts(store, () => new Date());
  for (const [number, answer] of answers) expect(await report(ports, number)).toEqual(answer);
}

/** Each event and state belongs to its exchange. */
async function expectJoined(store: Store, { sent }: Reported): Promise<void> {
  for (const number of sent) {
    const ids = exchangesOf(number);
    const exchanges = (await store.of(auditExchanges).among('bySource', ids, 2)).flat();
    expect(exchanges).toHaveLength(recordsEach);
    const keys = exchanges.map(({ exchangeKey }) => exchangeKey);
    for (const collection of [pluginEvents, stateRecords]) {
      const records = store.of(collection as typeof pluginEvents);
      const found = (await records.among('byExchangeSource', ids, 2)).flat();
      expect(found.map(({ exchangeKey }) => exchangeKey)).toEqual(keys);
    }
  }
}

/** @param later how far the clock is ahead, so that orphans are old enough to be found. */
async function expectSound(folder: string, later = 0) {
  await using opened = await openEmbeddedCheck(folder);
  const fsck = { ...opened, now: () => new Date(Date.now() + later) };
  const { problems } = await runFsck(fsck, { repair: later > 0 });
  expect(problems.filter(({ severity }) => severity === 'damage')).toEqual([]);
}

test('reports whose process was killed at any moment are whole, and repeats complete them', async () => {
  const folder = await temporaryFolder();
  const reported: Reported = { sent: new Set(), answers: new Map() };
  {
    await using store = await openEmbedded(folder);
    await store.of(agents).insert([newAgent({ id: agentId })]);
  }
  for (let round = 0; round < kills; round += 1) {
    const child = fork(join(import.meta.dirname, 'killed-gateway.ts'));
    onTestFinished(() => void child.kill('SIGKILL'));
    await reportUntilKilled(child, folder, reported, round);
    await expectSound(folder);
  }
  expect(reported.answers.size).toBeGreaterThan(kills);
  {
    await using store = await openEmbedded(folder);
    await expectAnswers(store, reported);
    const ports = gatewayPorts(store, () => new Date());
    // The three batches of each exchange, even if only one of them was sent.
    for (const number of [...reported.sent].flatMap((one) => [0, 1, 2].map((kind) => one - (one % 3) + kind)))
      reported.answers.set(number, await report(ports, number));
    await expectJoined(store, reported);
  }
  await expectSound(folder, 7_200_000);
  await using store = await openEmbedded(folder);
  await expectAnswers(store, reported);
  for await (const name of store.sealedContents.names()) {
    const page = { after: null, limit: 1 };
    const found = await Promise.all([
      store.of(auditExchanges).page('byPack', [name], page),
      store.of(stateRecords).page('byPack', [name], page),
    ]);
    expect(found.map(({ records }) => records.length).toSorted()).toEqual([0, 1]);
  }
});
