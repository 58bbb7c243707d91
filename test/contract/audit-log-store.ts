import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditFilter, AuditRecord } from '../../src/domain/audit-log/audit-log.ts';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { auditRecord } from './audit-records.ts';
import { auditLogOf } from './nouns.ts';
import { issuer } from './users.ts';

const everything: AuditFilter = { actor: null, action: null, target: null, from: null, until: null };

/** What the domain does with the audit log, in every store. */
export function auditLogStoreContract(open: () => Promise<RecordStore & AsyncDisposable>): void {
  describe('the audit log', () => {
    let stores: RecordStore & AsyncDisposable;
    let auditLog: ReturnType<typeof auditLogOf>;

    beforeAll(async () => {
      stores = await open();
      auditLog = auditLogOf(stores);
    });
    afterAll(async () => {
      await stores[Symbol.asyncDispose]();
    });

    async function listed(filter: Partial<AuditFilter>, limit = 100): Promise<AuditRecord[]> {
      const found: AuditRecord[] = [];
      for (let after: string | null | undefined = null; after !== undefined; ) {
        const page = await auditLog.list({ ...everything, ...filter }, { after, limit });
        found.push(...page.records);
        after = page.next;
      }
      return found;
    }

    test('keeps records as they were stored, with all fields and with few', async () => {
      const target = randomUUID();
      const whole = auditRecord({ target, at: 2 });
      const bare = auditRecord({
        target,
        at: 1,
        actor: null,
        outcome: 'refused',
        code: 'unauthorized',
        address: null,
        details: null,
      });
      await auditLog.put([whole, bare]);
      await auditLog.put([]);
      expect(await listed({ target })).toEqual([whole, bare]);
    });

    test('replaces a record with the same id, and repeats do nothing', async () => {
      const begun = auditRecord({ outcome: 'begun', details: null });
      const done = { ...begun, outcome: 'done', details: { name: 'ä' } } as const;
      await auditLog.put([begun]);
      await auditLog.put([done]);
      await auditLog.put([done]);
      expect(await listed({ target: begun.target })).toEqual([done]);
    });

    test('lists records latest first, in pages of any size, without duplicates', async () => {
      const action = `DO ${randomUUID()}`;
      const records = Array.from({ length: 30 }, (_, at) => auditRecord({ action, at: Math.floor(at / 4) }));
      await auditLog.put(records);
      const inOrder = records.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
      for (const limit of [1, 7, 30, 100]) expect(await listed({ action }, limit)).toEqual(inOrder);
      expect(
        (await auditLog.list({ ...everything, action }, { after: null, limit: 30 })).next,
      ).toBeUndefined();
    });

    test('continues after a page although records were added', async () => {
      const action = `DO ${randomUUID()}`;
      const records = Array.from({ length: 10 }, (_, at) => auditRecord({ action, at }));
      await auditLog.put(records);
      const first = await auditLog.list({ ...everything, action }, { after: null, limit: 4 });
      await auditLog.put([auditRecord({ action, at: 50 }), auditRecord({ action, at: 60 })]);
      const rest = await auditLog.list({ ...everything, action }, { after: first.next ?? '', limit: 20 });
      expect([...first.records, ...rest.records]).toEqual(records.toReversed());
    });

    test('filters by actor, action, target and time, and by all of them', async () => {
      const [subject, action, target] = [randomUUID(), `DO ${randomUUID()}`, randomUUID()];
      const actor = { issuer, subject, means: 'oidc_bearer' };
      const ofActor = auditRecord({ actor, at: 100 });
      const ofAction = auditRecord({ action, at: 101 });
      const ofTarget = auditRecord({ target, at: 102 });
      const ofAll = auditRecord({ actor, action, target, at: 103 });
      await auditLog.put([ofActor, ofAction, ofTarget, ofAll]);
      expect(await listed({ actor: subject })).toEqual([ofAll, ofActor]);
      expect(await listed({ action })).toEqual([ofAll, ofAction]);
      expect(await listed({ target })).toEqual([ofAll, ofTarget]);
      expect(await listed({ actor: subject, action, target })).toEqual([ofAll]);
      expect(await listed({ action, from: 103 })).toEqual([ofAll]);
      expect(await listed({ action, until: 103 })).toEqual([ofAction]);
      expect(await listed({ from: 100, until: 103 }, 2)).toEqual([ofTarget, ofAction, ofActor]);
      expect(await listed({ from: 103, until: 103 })).toEqual([]);
    });

    test('finds one record behind thousands that match in part', async () => {
      const [subject, action] = [randomUUID(), `DO ${randomUUID()}`];
      const actor = { issuer, subject, means: 'session' };
      const sought = auditRecord({ actor, action, at: 1 });
      await auditLog.put([sought, ...Array.from({ length: 2_500 }, () => auditRecord({ actor, at: 2 }))]);
      expect(await listed({ actor: subject, action })).toEqual([sought]);
      expect(await listed({ actor: subject }, 1_000)).toHaveLength(2_501);
    });

    test('refuses forged cursors and cursors of other queries', async () => {
      await auditLog.put([auditRecord(), auditRecord()]);
      const { next = '' } = await auditLog.list(everything, { after: null, limit: 1 });
      expect(next).not.toBe('');
      for (const [filter, after] of [
        [everything, 'x'],
        [everything, `1${next}`],
        [{ ...everything, until: 1_000 }, next],
      ] as const)
        await expect(auditLog.list(filter, { after, limit: 1 })).rejects.toMatchObject({
          code: 'invalid_request',
        });
    });
  });
}
