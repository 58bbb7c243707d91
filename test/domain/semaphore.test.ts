import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Semaphore } from '../../src/domain/semaphore.ts';

const tooMuch = { code: 'unavailable', retryAfter: 1 };

describe('a semaphore', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Enters many times at once and notes who came in. */
  function queue(gate: Semaphore, count: number) {
    const inside: number[] = [];
    const entries = Array.from({ length: count }, async (_, index) => {
      const leave = await gate.enter();
      inside.push(index);
      return leave;
    });
    return { inside, entries };
  }

  const settled = () => vi.advanceTimersByTimeAsync(0);

  test('admits up to its limit, and the others first come, first served', async () => {
    const gate = new Semaphore(2, { waitMs: 1_000 });
    const { inside, entries } = queue(gate, 5);
    await settled();
    expect(inside).toEqual([0, 1]);
    (await entries[1])?.();
    await settled();
    expect(inside).toEqual([0, 1, 2]);
    (await entries[0])?.();
    (await entries[2])?.();
    await settled();
    expect(inside).toEqual([0, 1, 2, 3, 4]);
  });

  test('ignores a permit that is returned twice', async () => {
    const gate = new Semaphore(1, { waitMs: 1_000 });
    const { inside, entries } = queue(gate, 3);
    const leave = await entries[0];
    leave?.();
    leave?.();
    await settled();
    expect(inside).toEqual([0, 1]);
  });

  test('refuses callers who waited too long, and admits the next one when a permit is free', async () => {
    const gate = new Semaphore(1, { waitMs: 1_000 });
    const leave = await gate.enter();
    const late = expect(gate.enter()).rejects.toMatchObject(tooMuch);
    await vi.advanceTimersByTimeAsync(999);
    const next = gate.enter();
    await vi.advanceTimersByTimeAsync(1);
    await late;
    leave();
    (await next)();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('admits waiting callers at once when the limit rises', async () => {
    const gate = new Semaphore(1, { waitMs: 1_000 });
    const { inside } = queue(gate, 5);
    gate.setLimit(4);
    await settled();
    expect(inside).toEqual([0, 1, 2, 3]);
  });

  test('lets running work finish when the limit falls', async () => {
    const gate = new Semaphore(3, { waitMs: 1_000 });
    const { inside, entries } = queue(gate, 5);
    gate.setLimit(1);
    (await entries[0])?.();
    (await entries[1])?.();
    await settled();
    expect(inside).toEqual([0, 1, 2]);
    (await entries[2])?.();
    await settled();
    expect(inside).toEqual([0, 1, 2, 3]);
  });

  test('admits callers in turn, however many requests one of them has', async () => {
    const gate = new Semaphore(1, { waitMs: 1_000 });
    const leave = await gate.enter();
    const inside: string[] = [];
    const work = (caller: string) => gate.run(async () => void inside.push(caller), caller);
    const all = ['one', 'one', 'one', 'other'].map(work);
    leave();
    await Promise.all(all);
    expect(inside).toEqual(['one', 'other', 'one', 'one']);
  });

  test('gives one caller at most a quarter of the permits while others wait', async () => {
    const gate = new Semaphore(8, { waitMs: 1_000 });
    const inside: string[] = [];
    const enter = async (caller: string) => {
      const leave = await gate.enter(caller);
      inside.push(caller);
      return leave;
    };
    const first = await Promise.all(Array.from({ length: 8 }, () => enter('busy')));
    for (const caller of ['busy', 'busy', 'busy', 'a', 'b', 'c', 'a', 'b', 'c']) void enter(caller);
    inside.length = 0;
    for (const leave of first.slice(0, 6)) leave();
    await settled();
    expect(inside).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    first[6]?.();
    await settled();
    expect(inside.slice(6)).toEqual(['busy']);
  });

  test('returns the permit when the work fails', async () => {
    const gate = new Semaphore(1, { waitMs: 1_000 });
    await expect(gate.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await gate.run(async () => 'done')).toBe('done');
  });

  test('drops work whose patience ends, and admits the next one', async () => {
    const gate = new Semaphore(1);
    const leave = await gate.enter();
    const leaving = new AbortController();
    const dropped = expect(gate.enter('', leaving.signal)).rejects.toThrow('gone');
    const next = gate.enter();
    leaving.abort(new Error('gone'));
    await dropped;
    await expect(gate.enter('', leaving.signal)).rejects.toThrow('gone');
    leave();
    (await next)();
  });
});

describe('a semaphore with a spare permit', () => {
  /** Starts work that notes its name when it begins, and ends when told. */
  function workOf(gate: Semaphore) {
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const run = (name: string) => {
      const end = Promise.withResolvers<void>();
      ends.set(name, end.resolve);
      const work = () => {
        begun.push(name);
        return end.promise;
      };
      return gate.run(work, name[0]);
    };
    const end = async (name: string) => {
      ends.get(name)?.();
      await new Promise(setImmediate);
    };
    return { begun, run, end };
  }

  test('keeps it for another caller, who is admitted at once', async () => {
    const { begun, run, end } = workOf(new Semaphore(3, { spare: 1 }));
    const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map(run);
    await end('');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    for (const name of ['a1', 'b1', 'a2', 'a3', 'a4']) await end(name);
    await Promise.all(all);
  });

  test('lets callers take turns, however much one of them has waiting', async () => {
    const { begun, run, end } = workOf(new Semaphore(2, { spare: 1 }));
    const all = [...Array.from({ length: 20 }, (_, at) => `a${at}`), 'b0', 'b1', 'c0'].map(run);
    await end('');
    expect(begun).toEqual(['a0', 'b0']);
    await end('a0');
    await end('b0');
    await end('a1');
    expect(begun).toEqual(['a0', 'b0', 'a1', 'b1', 'c0']);
    await end('c0');
    expect(begun.slice(5)).toEqual(['a2']);
    for (let at = 0; at < 20; at += 1) for (const name of ['b1', `a${at}`]) await end(name);
    await Promise.all(all);
  });

  test('admits a single caller even if all permits are spare', async () => {
    expect(await new Semaphore(1, { spare: 1 }).run(async () => 'done', 'a')).toBe('done');
  });
});
