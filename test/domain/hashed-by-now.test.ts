import { expect, test } from 'vitest';
import { hashedByNow } from '../../src/domain/integrity/blobs/hashed-by-now.ts';

const minute = 60_000;
const time = 100 * minute;
const now = () => new Date(time);

/** The times of blobs that wait for being hashed. Each one is gone once it was seen so often. */
function waiting(records: readonly { notedAt: number; dueAt: number }[], looks: number) {
  let looked = 0;
  const page = async (_index: string, _prefix: unknown, { range = {} }: { range?: Range }) => {
    if (range.from === undefined) looked += 1;
    const { from = 0, until = Infinity } = range;
    const isIn = ({ dueAt }: { dueAt: number }) => dueAt >= from && dueAt < until;
    return { records: looked > looks ? [] : records.filter(isIn).map((one) => ({ name: 'a blob', ...one })) };
  };
  return { unhashed: { page } as never, now, looked: () => looked };
}
type Range = { from?: number; until?: number };

test.each([
  ['is due', { notedAt: time - 10, dueAt: time - 10 }],
  ['was taken', { notedAt: time - 10, dueAt: time + 10 * minute }],
])('waits for a blob that %s', async (_, record) => {
  const ports = waiting([record], 2);
  await hashedByNow(ports, AbortSignal.timeout(minute));
  expect(ports.looked()).toBe(3);
});

test.each([
  ['came later', { notedAt: time + 1, dueAt: time }],
  ['was never stored', { notedAt: time - 10, dueAt: time + minute }],
  ['belongs to the backlog of an older store', { notedAt: time - 60 * minute, dueAt: time - 60 * minute }],
])('does not wait for a blob that %s', async (_, record) => {
  const ports = waiting([record], Infinity);
  await hashedByNow(ports, AbortSignal.timeout(minute));
  expect(ports.looked()).toBe(1);
});

test('does not wait for ever', async () => {
  const ports = waiting([{ notedAt: time - 10, dueAt: time - 10 }], Infinity);
  await hashedByNow(ports, AbortSignal.abort());
  expect(ports.looked()).toBe(1);
});
