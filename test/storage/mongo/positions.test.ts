import { describe, expect, test } from 'vitest';
import { endOfPositions, Positions } from '../../../src/storage/mongo/positions.ts';

describe('the positions of statements', () => {
  const inOrder = (positions: readonly Uint8Array[]) =>
    positions.every((each, at) => at === 0 || Buffer.compare(positions[at - 1] ?? each, each) < 0);

  test('rise with the clock, while it stands still, and when it goes back', () => {
    const positions = new Positions();
    const times = [1_000, 1_000, 1_001, 999, 1_001, 0, 1_002, 1_002];
    const given = times.map((now) => positions.next(now));
    expect(inOrder(given)).toBe(true);
    expect(inOrder([...given, endOfPositions])).toBe(true);
  });

  test('rise on when more are given in a millisecond than it has', () => {
    const positions = new Positions();
    let last = positions.next(5);
    for (let given = 0; given < 2 ** 24 + 10; given += 1) {
      const next = positions.next(5);
      if (Buffer.compare(last, next) >= 0) expect.fail(`after ${given}`);
      last = next;
    }
  });

  test('are never the same for two who give them', () => {
    const names = Array.from({ length: 100 }, () => {
      const positions = new Positions();
      return [positions.next(7), positions.next(7)].map((each) => Buffer.from(each).toString('hex'));
    });
    expect(new Set(names.flat()).size).toBe(200);
  });

  test('go by the clock before they go by who gives them', () => {
    const [one, other] = [new Positions(), new Positions()];
    const given = Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? one : other).next(1_000 + at));
    expect(inOrder(given)).toBe(true);
  });
});
