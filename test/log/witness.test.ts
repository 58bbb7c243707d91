import { createHash } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { parseCheckpoint } from '../../src/domain/log/notes/checkpoint.ts';
import { verifyNote } from '../../src/domain/log/notes/cosignature.ts';
import { parseNote } from '../../src/domain/log/notes/signed-note.ts';
import { keyTypes, type Vkey } from '../../src/domain/log/notes/vkey.ts';
import { witnessRoutes } from '../../src/http/witness.ts';
import { openLog } from '../../src/platform/log.ts';
import { openWitnessFolder } from '../../src/storage/witness-folder.ts';
import { newSigner, TestLog } from '../builders/test-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const silent = openLog({ logLevel: 'silent', logFormat: 'json' }, process.stderr);
const log = new TestLog(300);
let folder: string;
let clock = new Date('2026-11-23T12:00:00Z');

/** One process of a witness. */
function openWitness({ logs = [log.signer.vkey], name }: { logs?: Vkey[]; name?: string } = {}) {
  const opened = openWitnessFolder(folder, {
    name: name ?? 'witness.example/w1',
    onWarning: () => undefined,
  });
  onTestFinished(() => opened[Symbol.dispose]());
  const { memory, signers } = opened;
  const byOrigin = new Map<string, Vkey[]>();
  for (const vkey of logs) byOrigin.set(vkey.name, [...(byOrigin.get(vkey.name) ?? []), vkey]);
  const app = witnessRoutes({ logs: byOrigin, memory, signers, now: () => clock }, silent);
  return {
    vkeys: signers.map(({ vkey }) => vkey),
    add: async (body: string) => await app.request('/add-checkpoint', { method: 'POST', body }),
    latest: async (origin = log.origin) => {
      const hash = createHash('sha256').update(origin).digest('hex');
      return await app.request(`/${hash}/checkpoint`);
    },
  };
}

beforeEach(() => {
  const made = temporaryFolder();
  onTestFinished(() => made[Symbol.dispose]());
  folder = join(made.path, 'witness');
  clock = new Date('2026-11-23T12:00:00Z');
});

describe('a witness', () => {
  test('cosigns with both keys what extends the last checkpoint, and serves it with all signatures', async () => {
    const witness = openWitness();
    expect((await witness.latest()).status).toBe(404);
    for (const [oldSize, size] of [
      [0, 1],
      [1, 257],
      [257, 257],
      [257, 300],
    ] as const) {
      const answer = await witness.add(await log.addCheckpoint(oldSize, size));
      expect(answer.status).toBe(200);
      const cosignatures = await answer.text();
      const note = parseNote((await log.checkpoint(size)) + cosignatures);
      expect(verifyNote(note, witness.vkeys).map(({ vkey, at }) => [vkey.type, at])).toEqual([
        [keyTypes.ed25519Cosigner, clock.getTime() / 1_000],
        [keyTypes.mlDsa44Cosigner, clock.getTime() / 1_000],
      ]);
      expect(await (await witness.latest()).text()).toBe((await log.checkpoint(size)) + cosignatures);
    }
  });

  test('remembers keys and checkpoints in its folder, and takes no other name', async () => {
    const first = openWitness();
    await first.add(await log.addCheckpoint(0, 7));
    const second = openWitness();
    expect(second.vkeys).toEqual(first.vkeys);
    expect((await second.add(await log.addCheckpoint(0, 7))).status).toBe(409);
    expect((await second.add(await log.addCheckpoint(7, 9))).status).toBe(200);
    expect(() => openWitness({ name: 'other' })).toThrow('is called witness.example/w1, not other');
  });

  test('needs a name that signature lines can have', () => {
    expect(() => openWitness({ name: 'two words' })).toThrow('cannot be the name of a witness');
    expect(() => openWitnessFolder(folder, { onWarning: () => undefined })).toThrow('--name');
  });

  test('warns if others can read its keys', () => {
    openWitness();
    chmodSync(join(folder, 'witness.db'), 0o644);
    const warnings: string[] = [];
    openWitnessFolder(folder, { onWarning: (sentence) => warnings.push(sentence) })[Symbol.dispose]();
    expect(warnings).toEqual([expect.stringContaining('chmod 600')]);
  });

  test('never goes back in time when its clock does', async () => {
    const witness = openWitness();
    await witness.add(await log.addCheckpoint(0, 7));
    clock = new Date('2020-01-01T00:00:00Z');
    const answer = await witness.add(await log.addCheckpoint(7, 9));
    const note = parseNote((await log.checkpoint(9)) + (await answer.text()));
    const times = verifyNote(note, witness.vkeys).map(({ at }) => at);
    expect(times).toEqual([1_795_435_200, 1_795_435_200]);
  });
});

describe('a witness refuses', () => {
  const fork = new TestLog(310, { seed: 'fork', signer: log.signer });
  const stranger = new TestLog(9, { origin: 'stranger.example' });
  const impostor = new TestLog(310, { origin: log.origin });
  const proofOf = async (oldSize: number, size: number) =>
    (await log.addCheckpoint(oldSize, size)).split('\n\n')[0];
  const swapped = async (proof: string | undefined, note: string) => `${proof}\n\n${note}`;
  const emptyWithRoot = async () => {
    const text = `${log.origin}\n0\n${Buffer.alloc(32).toString('base64')}\n`;
    return `old 0\n\n${text}\n${await log.signer.sign(text, 0)}\n`;
  };

  test.each<[number, string, () => Promise<string>]>([
    [400, 'an empty body', async () => ''],
    [400, 'no old size', async () => `\n\n${await log.checkpoint()}`],
    [
      400,
      'an old size with a leading zero',
      async () => (await log.addCheckpoint(8)).replace('old 8', 'old 08'),
    ],
    [
      400,
      'an old size that no integer can hold',
      async () => `old 99999999999999999999\n\n${await log.checkpoint()}`,
    ],
    [
      400,
      'a proof of 64 lines',
      async () =>
        `old 8\n${`${Buffer.alloc(32).toString('base64')}\n`.repeat(64)}\n${await log.checkpoint()}`,
    ],
    [
      400,
      'a proof line that is no hash',
      async () => (await log.addCheckpoint(8)).replace('old 8\n', 'old 8\nAAAA\n'),
    ],
    [400, 'a checkpoint without signatures', async () => 'old 0\n\nlog.example/log/v1\n1\n'],
    [400, 'an old size above the size', async () => await log.addCheckpoint(300, 9)],
    [404, 'a log that it does not follow', async () => await stranger.addCheckpoint(0)],
    [403, 'a checkpoint of another key', async () => await impostor.addCheckpoint(8)],
    [
      403,
      'a checkpoint that was changed after signing',
      async () => (await log.addCheckpoint(8)).replace('\n300\n', '\n301\n'),
    ],
    [409, 'a smaller old size', async () => await log.addCheckpoint(7)],
    [409, 'an old size of zero', async () => await log.addCheckpoint(0)],
    [409, 'a larger old size', async () => await log.addCheckpoint(9)],
    [422, 'a fork', async () => await fork.addCheckpoint(8)],
    [422, 'a fork of the same size', async () => await fork.addCheckpoint(8, 8)],
    [
      422,
      'a proof from another size',
      async () => await swapped((await proofOf(7, 300))?.replace('old 7', 'old 8'), await log.checkpoint()),
    ],
    [422, 'no proof', async () => await swapped('old 8', await log.checkpoint())],
    [413, 'a body of 200 KB', async () => `${'x'.repeat(200_000)}`],
  ])('with %i %s', async (status, _what, body) => {
    const witness = openWitness();
    await witness.add(await log.addCheckpoint(0, 8));
    const before = await (await witness.latest()).text();
    const answer = await witness.add(await body());
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      status,
      status === 409 ? 'text/x.tlog.size' : expect.stringContaining('text/plain'),
    ]);
    if (status === 409) expect(await answer.text()).toBe('8\n');
    expect(await (await witness.latest()).text()).toBe(before);
  });

  test('with 422 an empty tree with another root, and a proof from the empty tree', async () => {
    const witness = openWitness();
    expect((await witness.add(await emptyWithRoot())).status).toBe(422);
    const proof = (await proofOf(8, 300))?.replace('old 8', 'old 0');
    expect((await witness.add(await swapped(proof, await log.checkpoint()))).status).toBe(422);
    expect((await witness.latest()).status).toBe(404);
  });
});

describe('a witness with several keys of one log', () => {
  const second = newSigner(log.origin);
  const signedBy = async (key: typeof second) => {
    const text = parseNote(await log.checkpoint()).text;
    return `${text}\n${await key.sign(text, 0)}\n`;
  };

  test('accepts either, and ignores signatures of others', async () => {
    const witness = openWitness({ logs: [log.signer.vkey, second.vkey] });
    const unknown = newSigner('somebody.else');
    const text = parseNote(await log.checkpoint()).text;
    const body = `old 0\n\n${await signedBy(second)}${await unknown.sign(text, 0)}\n`;
    expect((await witness.add(body)).status).toBe(200);
    const served = parseNote(await (await witness.latest()).text());
    expect(served.signatures.map(({ name }) => name)).toEqual([
      log.origin,
      'witness.example/w1',
      'witness.example/w1',
    ]);
  });
});

test('of many requests at once to two processes of a witness, each state has one successor', async () => {
  const [one, other] = [openWitness(), openWitness()];
  const trees = [log, new TestLog(300, { seed: 'fork', signer: log.signer })];
  let size = 0;
  let known: (typeof trees)[number] | undefined;
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 16 }, async (_, at) => {
        const [tree, next] = [trees[at % 2] ?? log, size + 1 + at];
        const answer = await (at % 3 === 0 ? one : other).add(await tree.addCheckpoint(size, next));
        return { tree, next, status: answer.status };
      }),
    );
    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 200 && status !== 409 && status !== 422)).toEqual([]);
    const [{ tree, next } = { tree: log, next: 0 }] = accepted;
    known ??= tree;
    expect(tree).toBe(known);
    size = next;
  }
  const { root } = parseCheckpoint(parseNote(await (await one.latest()).text()).text);
  expect(Buffer.from(root)).toEqual(Buffer.from((await known?.root(size)) ?? []));
});
