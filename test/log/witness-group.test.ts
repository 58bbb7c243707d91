import { expect, test } from 'vitest';
import { consistencyProof } from '../../src/domain/log/merkle/proofs.ts';
import { parseCheckpoint } from '../../src/domain/log/notes/checkpoint.ts';
import { verifyNote } from '../../src/domain/log/notes/cosignature.ts';
import { parsePolicy } from '../../src/domain/log/notes/policy.ts';
import { parseNote } from '../../src/domain/log/notes/signed-note.ts';
import type { ReportedStanding } from '../../src/domain/log/witnessing/standings.ts';
import { WitnessGroup } from '../../src/domain/log/witnessing/witness-group.ts';
import { newSigner, TestLog } from '../builders/test-log.ts';
import { type Answering, clientOf, type TestWitness, testWitness } from '../builders/test-witness.ts';

const signer = newSigner('log.example/log/v1');

/** A service that publishes a log with these witnesses. */
function openService(
  log: TestLog,
  witnesses: readonly TestWitness[],
  {
    quorum = `group q all ${witnesses.map(({ vkey }) => vkey.name).join(' ')}\nquorum q`,
    answering = {} as Readonly<Record<string, Answering>>,
  } = {},
) {
  const answers = new Map(witnesses.map(({ url, answer }) => [url, answer]));
  for (const [name, answer] of Object.entries(answering)) answers.set(`http://${name}`, answer);
  const client = clientOf(answers);
  const problems = new Map<string, string | null>();
  let now = 0;
  const group = new WitnessGroup({
    policy: parsePolicy(`${witnesses.map(({ line }) => line).join('\n')}\n${quorum}\n`),
    client,
    ownLog: async (origin) => ({
      origin,
      logKeys: [log.signer.vkey],
      tree: { size: async () => log.size, root: (size) => log.root(size) },
      published: service.published,
    }),
    report: async ({ names, problem }: ReportedStanding) =>
      void problems.set(names.join(), problem?.code ?? null),
    clock: () => now,
    mayAsk: () => service.mayAsk,
    now: () => service.now,
  });
  const service = {
    client,
    answers,
    published: undefined as string | undefined,
    mayAsk: true,
    now: new Date(),
    posts: () => client.calls.filter((call) => call.startsWith('POST')),
    beginTurn: () => group.compareAgain(),
    /** By the name of the witness. */
    problems,
    pass: (ms: number) => {
      now += ms;
    },
    publish: async () => {
      const note = await log.checkpoint();
      const checkpoint = parseCheckpoint(parseNote(note).text);
      await group.admit(checkpoint);
      const cosigned = await group.cosigned(note, checkpoint, (oldSize) =>
        consistencyProof(log, oldSize, checkpoint.size),
      );
      service.published = cosigned ?? service.published;
      return (
        cosigned &&
        verifyNote(
          parseNote(cosigned),
          witnesses.map(({ vkey }) => vkey),
        ).map(({ vkey }) => vkey.name)
      );
    },
  };
  return service;
}

const witnessesOf = (...names: string[]) => names.map((name) => testWitness(name, signer.vkey));
const plain =
  (status: number, body: string): Answering =>
  () =>
    new Response(body, { status });

function otherSizes(): Answering {
  let asked = 0;
  return () => {
    asked += 1;
    return new Response(`${asked % 3}\n`, { status: 409 });
  };
}

test('a checkpoint is published with the cosignatures of all witnesses, one after another', async () => {
  const log = new TestLog(3, { signer });
  const service = openService(log, witnessesOf('w1', 'w2'));
  expect(await service.publish()).toEqual(['w1', 'w2']);
  log.grow(500);
  expect(await service.publish()).toEqual(['w1', 'w2']);
  expect(service.posts()).toHaveLength(4);
});

test('a service that has just started asks a witness with the size that the witness shows', async () => {
  const log = new TestLog(40, { signer });
  const witnesses = witnessesOf('w1');
  await openService(log, witnesses).publish();
  log.grow(60);
  const service = openService(log, witnesses);
  expect(await service.publish()).toEqual(['w1']);
  expect(service.posts()).toHaveLength(1);
});

test('a service asks a witness with the size that another process has published', async () => {
  const log = new TestLog(40, { signer });
  const witnesses = witnessesOf('w1');
  const [one, other] = [openService(log, witnesses), openService(log, witnesses)];
  await one.publish();
  log.grow(20);
  await other.publish();
  one.published = other.published;
  log.grow(20);
  expect(await one.publish()).toEqual(['w1']);
  expect(one.posts()).toHaveLength(2);
});

test('a service that takes over from one that was killed asks a witness what that one has shown it', async () => {
  const log = new TestLog(40, { signer });
  const witnesses = witnessesOf('w1');
  const service = openService(log, witnesses);
  await service.publish();
  log.grow(20);
  // Killed before it could store what the witness had cosigned.
  await openService(log, witnesses).publish();
  log.grow(20);
  service.beginTurn();
  expect(await service.publish()).toEqual(['w1']);
  expect(service.posts()).toHaveLength(2);
});

test('a service asks nobody when another one may ask with the same size, and goes on when it is its turn', async () => {
  const log = new TestLog(40, { signer });
  const service = openService(log, witnessesOf('w1'));
  await service.publish();
  log.grow(20);
  service.mayAsk = false;
  expect(await service.publish()).toBeNull();
  expect(service.posts()).toHaveLength(1);
  service.mayAsk = true;
  expect(await service.publish()).toEqual(['w1']);
});

test('a service learns from the 409 what a witness has cosigned that shows nothing', async () => {
  const log = new TestLog(40, { signer });
  const [w1] = witnessesOf('w1') as [TestWitness];
  await openService(log, [w1]).publish();
  log.grow(60);
  const service = openService(log, [w1]);
  service.answers.set('http://w1', (request) =>
    request.method === 'GET' ? plain(404, '')(request) : w1.answer(request),
  );
  expect(await service.publish()).toEqual(['w1']);
  expect(service.posts()).toHaveLength(2);
});

test('nothing is published while the quorum is missing, and all goes on when the witness is back', async () => {
  const log = new TestLog(3, { signer });
  const [w1, w2] = witnessesOf('w1', 'w2') as [TestWitness, TestWitness];
  const service = openService(log, [w1, w2]);
  await service.publish();
  service.answers.delete('http://w2');
  log.grow(1);
  expect(await service.publish()).toBeNull();
  expect(service.problems).toEqual(
    new Map([
      ['w1', null],
      ['w2', 'unreachable'],
    ]),
  );
  service.answers.set('http://w2', w2.answer);
  const calls = service.client.calls.length;
  expect(await service.publish()).toBeNull();
  expect(service.client.calls.slice(calls).filter((call) => call.includes('w2'))).toEqual([]);
  service.pass(1_000);
  expect(await service.publish()).toEqual(['w1', 'w2']);
  expect(service.problems.get('w2')).toBeNull();
});

test('a service that has just started signs nothing until a quorum has told what it knows', async () => {
  const log = new TestLog(3, { signer });
  const witnesses = witnessesOf('w1', 'w2');
  const service = openService(log, witnesses);
  service.answers.delete('http://w2');
  await expect(service.publish()).rejects.toThrow('Too few witnesses answer');
  expect(service.posts()).toEqual([]);
});

test('a witness that never answers holds nobody up if the others are enough', async () => {
  const log = new TestLog(3, { signer });
  const witnesses = witnessesOf('w1', 'w2', 'w3');
  const service = openService(log, witnesses, { quorum: 'group q 2 w1 w2 w3\nquorum q' });
  await service.publish();
  const { promise: never } = Promise.withResolvers<Response>();
  service.answers.set('http://w3', () => never);
  for (let round = 0; round < 3; round += 1) {
    log.grow(1);
    expect(await service.publish()).toEqual(['w1', 'w2']);
  }
});

test.each<[string, string, Answering]>([
  ['an answer that is no cosignature', 'no_cosignature', plain(200, 'hello\n')],
  ['a wrong status', 'refused', plain(500, 'Something failed.')],
  ['a redirect', 'refused', plain(302, '')],
  ['a 409 without a size', 'refused', plain(409, 'conflict')],
  ['a 409 with the size that was sent', 'refused', plain(409, '0\n')],
  ['a 409 with another size each time', 'refused', otherSizes()],
  ['a log that it does not follow', 'unknown_log', plain(404, '')],
  ['another key of the log', 'untrusted', plain(403, '')],
])('a witness that answers with %s is not counted', async (_what, code, answer) => {
  const log = new TestLog(3, { signer });
  const service = openService(log, witnessesOf('w1', 'w2'), { quorum: 'group q any w1 w2\nquorum q' });
  // What it has cosigned is asked with GET.
  service.answers.set('http://w2', (request) =>
    request.method === 'GET' ? plain(404, '')(request) : answer(request),
  );
  expect(await service.publish()).toEqual(['w1']);
  expect(service.problems).toEqual(
    new Map([
      ['w1', null],
      ['w2', code],
    ]),
  );
});

test('cosignatures by another key, with a wrong signature or without a time are not counted', async () => {
  const log = new TestLog(3, { signer });
  const [w1, w2, w3, w4] = witnessesOf('w1', 'w2', 'w3', 'w4') as [
    TestWitness,
    TestWitness,
    TestWitness,
    TestWitness,
  ];
  const service = openService(log, [w1, w2, w3, w4], { quorum: 'group q any w1 w2 w3 w4\nquorum q' });
  const changed =
    (witness: TestWitness, change: (line: string) => string): Answering =>
    async (request) => {
      const answer = await witness.answer(request);
      if (request.method === 'GET') return answer;
      return new Response((await answer.text()).split('\n').map(change).join('\n'));
    };
  const withBytes = (edit: (bytes: Buffer) => void) => (line: string) => {
    const [dash, name, base64 = ''] = line.split(' ');
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length > 0) edit(bytes);
    return bytes.length > 0 ? [dash, name, bytes.toString('base64')].join(' ') : line;
  };
  service.answers.set('http://w2', testWitness('w2', signer.vkey).answer);
  service.answers.set(
    'http://w3',
    changed(
      w3,
      withBytes((bytes) => bytes.subarray(-8).fill(7)),
    ),
  );
  service.answers.set(
    'http://w4',
    changed(
      w4,
      withBytes((bytes) => bytes.fill(0, 4, 12)),
    ),
  );
  expect(await service.publish()).toEqual(['w1']);
  expect(service.problems).toEqual(
    new Map([
      ['w1', null],
      ['w2', 'no_cosignature'],
      ['w3', 'wrong_cosignature'],
      ['w4', 'wrong_cosignature'],
    ]),
  );
});

test('a cosignature with a time long before does not count, and one with a later time does', async () => {
  const log = new TestLog(3, { signer });
  const day = 86_400_000;
  const [early, late] = [-1.5 * day, 365 * day].map((ms, at) =>
    testWitness(`w${at}`, signer.vkey, () => new Date(Date.now() + ms)),
  ) as [TestWitness, TestWitness];
  const service = openService(log, [early, late], { quorum: 'group q any w0 w1\nquorum q' });
  expect(await service.publish()).toEqual(['w1']);
  expect(service.problems.get('w0')).toBe('backdated');
});

test('lines of strangers beside a cosignature are left out', async () => {
  const log = new TestLog(3, { signer });
  const [w1] = witnessesOf('w1') as [TestWitness];
  const service = openService(log, [w1]);
  service.answers.set('http://w1', async (request) => {
    const answer = await (await w1.answer(request)).text();
    const spam = 'spam\n— stranger AAAAAAAAAAAAAAAA\n';
    return request.method === 'GET' ? new Response('', { status: 404 }) : new Response(spam + answer + spam);
  });
  expect(await service.publish()).toEqual(['w1']);
});

// A store that was restored from a backup of size 20, after 30 entries were cosigned.
test.each([
  ['shows it', 404],
  ['only names its size', 200],
])('a service signs nothing while a witness knows a larger tree and %s', async (_how, hidden) => {
  const witnesses = witnessesOf('w1', 'w2');
  const before = openService(new TestLog(30, { signer }), witnesses);
  await before.publish();
  const restored = new TestLog(20, { signer });
  const service = openService(restored, witnesses);
  if (hidden === 200)
    for (const { url, answer } of witnesses)
      service.answers.set(url, (request) =>
        request.method === 'GET' ? plain(404, '')(request) : answer(request),
      );
  for (let round = 0; round < 2; round += 1) {
    await expect(service.publish()).rejects.toThrow(
      'a tree of size 30 of the log log.example/log/v1, and this store has only 20 entries',
    );
    service.pass(60_000);
  }
  // It stays so when the store has grown beyond that with other entries.
  const grown = new TestLog(20, { signer, seed: 'after' }).grow(40);
  const later = openService(grown, witnesses);
  await expect(later.publish()).rejects.toThrow('another tree of size 30');
  // The right backup helps.
  const right = openService(new TestLog(31, { signer }), witnesses);
  expect(await right.publish()).toEqual(['w1', 'w2']);
});

test('a store that has grown past a tree that it never had does not take that for its own', async () => {
  const [w1, w2] = witnessesOf('w1', 'w2') as [TestWitness, TestWitness];
  const log = new TestLog(20, { signer });
  const before = openService(log, [w1, w2]);
  await before.publish();
  const backup = before.published;
  log.grow(10);
  await openService(log, [w1], { quorum: 'quorum w1' }).publish();
  const restored = Object.assign(new TestLog(20, { signer }), { seed: 'after' });
  const service = openService(restored, [w1, w2], { quorum: 'group q any w1 w2\nquorum q' });
  service.published = backup;
  service.answers.set('http://w1', (request) =>
    request.method === 'GET' ? plain(404, '')(request) : w1.answer(request),
  );
  restored.grow(1);
  await expect(service.publish()).rejects.toThrow('a tree of size 30');
  restored.grow(40);
  service.pass(60_000);
  const posts = service.posts().length;
  await expect(service.publish()).rejects.toThrow('a tree of size 30');
  // It only names its size. Nobody has been asked to cosign.
  expect(service.posts()).toHaveLength(posts + 1);
});

test('one witness that knows another history is enough, also if the others do not', async () => {
  const [w1, w2] = witnessesOf('w1', 'w2') as [TestWitness, TestWitness];
  const quorum = 'group q any w1 w2\nquorum q';
  await openService(new TestLog(30, { signer }), [w1], { quorum: 'quorum w1' }).publish();
  const restored = new TestLog(20, { signer });
  const service = openService(restored, [w1, w2], { quorum });
  await expect(service.publish()).rejects.toThrow('The witness http://w1 has cosigned a tree of size 30');
  await expect(service.publish()).rejects.toThrow('The witness http://w1 has cosigned a tree of size 30');
});

test('a larger size that a witness does not prove stops the service, until the witness takes it back', async () => {
  const log = new TestLog(20, { signer });
  const [w1, w2] = witnessesOf('w1', 'w2') as [TestWitness, TestWitness];
  const service = openService(log, [w1, w2], { quorum: 'group q any w1 w2\nquorum q' });
  await service.publish();
  service.answers.set('http://w2', (request) =>
    request.method === 'GET' ? new Response('', { status: 404 }) : new Response('99\n', { status: 409 }),
  );
  log.grow(1);
  await expect(service.publish()).rejects.toThrow('It has not proved that.');
  await expect(service.publish()).rejects.toThrow('It has not proved that.');
  service.answers.set('http://w2', w2.answer);
  service.pass(1_000);
  expect(await service.publish()).toEqual(['w1', 'w2']);
});

test('another process that has published a larger head is no contradiction', async () => {
  const witnesses = witnessesOf('w1');
  const log = new TestLog(20, { signer });
  const service = openService(log, witnesses);
  await service.publish();
  const note = await log.checkpoint(20);
  log.grow(5);
  await openService(log, witnesses).publish();
  expect(service.problems.get('w1')).toBeNull();
  expect(note).not.toBe(await log.checkpoint());
  log.grow(5);
  expect(await service.publish()).toEqual(['w1']);
});
