import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { AuditRecord } from '../../src/domain/audit-log/audit-log.ts';
import { AuditQueue } from '../../src/platform/audit-trail/audit-trail.ts';
import { auditRecord } from '../contract/audit-records.ts';

function newQueue(put: (records: readonly AuditRecord[]) => Promise<void>) {
  const logged: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
  const inLog = () =>
    logged.map((line) => JSON.parse(line).audit?.id).filter((id: unknown): id is string => id !== undefined);
  const auditLog = {
    insert: async (records: readonly AuditRecord[]) => {
      await put(records);
      return records.map(() => true);
    },
    update: () => Promise.reject(new Error('Nothing is updated.')),
  };
  return { queue: new AuditQueue({ auditLog, log }), inLog, logged };
}

const many = (count: number) => Array.from({ length: count }, () => auditRecord());
const idsOf = (records: readonly AuditRecord[]) => records.map(({ id }) => id);

describe('queued audit records', () => {
  test('are stored in batches and in order, at the latest when the queue closes', async () => {
    const stored: string[][] = [];
    const { queue, inLog } = newQueue(async (records) => void stored.push(idsOf(records)));
    const records = many(1_200);
    for (const record of records) queue.add(record);
    expect(stored).toEqual([]);
    await queue[Symbol.asyncDispose]();
    expect(stored.flat()).toEqual(idsOf(records));
    expect(stored.length).toBeLessThan(10);
    expect(inLog()).toEqual([]);
  });

  test('are stored soon without being flushed', async () => {
    const stored: string[] = [];
    const { queue } = newQueue(async (records) => void stored.push(...idsOf(records)));
    const [first, second] = many(2) as [AuditRecord, AuditRecord];
    queue.add(first);
    await expect.poll(() => stored).toEqual([first.id]);
    queue.add(second);
    await expect.poll(() => stored).toEqual([first.id, second.id]);
    await queue[Symbol.asyncDispose]();
  });

  test('are tried again when the store fails', async () => {
    const stored: string[] = [];
    let calls = 0;
    const { queue, inLog, logged } = newQueue(async (records) => {
      calls += 1;
      if (calls === 1) throw new Error('Not now.');
      stored.push(...idsOf(records));
    });
    const records = many(3);
    for (const record of records) queue.add(record);
    await expect.poll(() => stored).toEqual(idsOf(records));
    await queue[Symbol.asyncDispose]();
    expect(inLog()).toEqual([]);
    expect(logged).toHaveLength(1);
  });

  test('go to the log when they cannot be stored and when too many wait', async () => {
    const { queue, inLog } = newQueue(() => Promise.reject(new Error('Never.')));
    const records = many(10_003);
    for (const record of records) queue.add(record);
    expect(inLog()).toEqual(idsOf(records.slice(10_000)));
    await queue[Symbol.asyncDispose]();
    expect(inLog().toSorted()).toEqual(idsOf(records).toSorted());
    const [late] = many(1) as [AuditRecord];
    queue.add(late);
    expect(inLog()).toContain(late.id);
  });
});
