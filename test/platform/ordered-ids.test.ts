import { expect, test } from 'vitest';
import { z } from 'zod';
import { OrderedIds } from '../../src/platform/ordered-ids.ts';

test('ids are ascending UUIDs of version 7, even when the clock goes back', () => {
  const ids = new OrderedIds();
  const start = Date.parse('2026-01-31T12:00:00Z');
  const times = [...Array(10_000).fill(start), start + 1, start - 5_000, start + 20];
  const given = times.map((now) => ids.next(now));
  expect(given).toEqual(given.toSorted());
  expect(new Set(given).size).toBe(given.length);
  for (const id of given) expect(z.uuidv7().safeParse(id).success).toBe(true);
  expect(Number.parseInt(given[0]?.replaceAll('-', '').slice(0, 12) ?? '', 16)).toBe(start);
});
