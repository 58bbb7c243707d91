import { describe, expect, test } from 'vitest';
import { nextPosition, positionIn } from '../../../src/storage/mongo/positions.ts';

describe('positions', () => {
  test('grow even if the clock stands still or goes back', () => {
    const start = Date.now() + 3_600_000;
    const times = [0, 0, 1, -2, 1, -start, 2, 2].map((ms) => new Date(start + ms));
    const given = times.map((time) => nextPosition(time).toHexString());
    expect(given).toEqual([...new Set(given)].toSorted());
  });

  test('grow when there are more of them than microseconds', () => {
    const time = new Date(Date.now() + 7_200_000);
    let last = nextPosition(time).toHexString();
    for (let given = 0; given < 5_000; given += 1) {
      const next = nextPosition(time).toHexString();
      if (last >= next) expect.fail(`after ${given}`);
      last = next;
    }
  });

  test('are parsed only from their hexadecimal digits', () => {
    const position = nextPosition(new Date());
    expect(positionIn(position.toHexString())?.equals(position)).toBe(true);
    for (const text of [
      '',
      'x',
      `${position}0`,
      `${position}`.toUpperCase().replace(/^0/, 'F'),
      ' '.repeat(24),
    ])
      expect(positionIn(text)).toBeUndefined();
  });
});
