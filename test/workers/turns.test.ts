import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from '../../workers/turns.ts';

const patient = new AbortController().signal;

/** Starts work that notes its name when it begins, and ends when told. */
function workOf(turns: Turns) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (caller: string, name: string, waiting = patient) =>
    turns.run(caller, waiting, async () => {
      begun.push(name);
      const end = Promise.withResolvers<void>();
      ends.set(name, end.resolve);
      await end.promise;
      return name;
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await setImmediate();
  };
  return { begun, run, end };
}

test('one caller uses all threads, and another caller gets one at once', async () => {
  const { begun, run, end } = workOf(new Turns(2));
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => run('a', name));
  expect(begun).toEqual(['a1', 'a2']);
  all.push(run('b', 'b1'));
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  for (const name of ['a1', 'b1', 'a2', 'a3', 'a4']) await end(name);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
});

test('callers take turns, however much one of them has waiting', async () => {
  const { begun, run, end } = workOf(new Turns(1));
  const all = Array.from({ length: 20 }, (_, at) => run('a', `a${at}`));
  all.push(run('b', 'b0'), run('b', 'b1'), run('c', 'c0'));
  expect(begun).toEqual(['a0', 'b0']);
  await end('a0');
  await end('b0');
  await end('c0');
  expect(begun).toEqual(['a0', 'b0', 'c0', 'a1', 'b1']);
  for (let at = 0; at < 20; at += 1) {
    await end('b1');
    await end(`a${at}`);
  }
  await Promise.all(all);
});

test('work that waits is dropped when its signal aborts, and the turn goes to the next', async () => {
  const { begun, run, end } = workOf(new Turns(1));
  const leaving = new AbortController();
  const [first, dropped, last] = [run('a', 'a1'), run('a', 'a2', leaving.signal), run('a', 'a3')];
  leaving.abort(new Error('gone'));
  await expect(dropped).rejects.toThrow('gone');
  await end('a1');
  await end('a3');
  await Promise.all([first, last]);
  expect(begun).toEqual(['a1', 'a3']);
});

test('work that fails gives back its turn', async () => {
  const turns = new Turns(1);
  for (let at = 0; at < 3; at += 1)
    await expect(turns.run('a', patient, () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
  expect(await turns.run('a', patient, async () => 'done')).toBe('done');
});
