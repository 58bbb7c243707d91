import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditRecords, putAuditRecords } from '../../src/domain/audit-log/audit-log.ts';
import { loggedAuditRecords } from '../../src/domain/audit-log/logged-records.ts';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { loggedKinds } from '../../src/domain/collections/logged.ts';
import { agentStatusEvents } from '../../src/domain/control-plane/agents/agents.ts';
import {
  auditExchanges,
  pluginEvents,
  stateRecords,
} from '../../src/domain/control-plane/gateway/runtime-records.ts';
import { signedStatusList } from '../../src/domain/integrity/credentials/signed-list.ts';
import {
  signedStatusLists,
  statusEntries,
  statusLists,
} from '../../src/domain/integrity/credentials/status-entries.ts';
import { appendNew } from '../../src/domain/log/appending/appender.ts';
import {
  markLogged,
  noteBacklogs,
  unloggedRecords,
} from '../../src/domain/log/appending/unlogged-records.ts';
import { recordEntryOf } from '../../src/domain/log/entries.ts';
import { sha256 } from '../../src/domain/log/merkle/hashing.ts';
import { logNames } from '../../src/domain/log/names.ts';
import type { LoggedRows } from '../../src/domain/log/ports.ts';
import { logRecords } from '../../src/domain/log/records.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { entriesOfLog } from '../builders/log-entries.ts';
import { canonicalizer } from '../builders/proofs.ts';
import { exchange, pluginEvent, stateRecord } from '../builders/runtime-records.ts';
import { Steps, stepped } from '../builders/steps.ts';
import { runs } from '../property-runs.ts';
import { auditRecord } from './audit-records.ts';

interface LoggedStore extends RecordStore, AsyncDisposable {
  readonly loggedRows: LoggedRows;
  now(): Date;
}

const signing = { identifier: canonicalizer(), signer: signerWith(newKey()), now: () => new Date() };

/** What every store does for the logs of agents, of status lists, and of the audit log. */
export function loggedRecordsContract(open: () => Promise<LoggedStore>): void {
  describe('the logs of records', () => {
    let store: LoggedStore;

    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store[Symbol.asyncDispose]());

    const unlogged = (of: RecordStore = store) => [unloggedRecords(of, loggedKinds, store.now)];
    const append = () => appendNew({ records: logRecords(store), unlogged: unlogged(), now: store.now });
    const entriesOf = (log: string) => entriesOfLog(store, log);
    const hashOf = (entry: string) => Buffer.from(entry, 'hex').subarray(1).toString('hex');
    const entryOf = (text: string) => Buffer.from(recordEntryOf(sha256(text))).toString('hex');

    /** An agent with a change, two exchanges, an event and a state. */
    async function reported(more: { readonly isLogged?: boolean } = {}): Promise<string> {
      const agentId = `agent-${randomUUID()}`;
      const [first, second] = [exchange({ agentId, ...more }), exchange({ agentId, ...more })];
      const change = { id: `${agentId}:1`, agentId, version: 1, event: 'registered', at: 1 } as const;
      const by = { actor: { issuer: 'https://idp.example', subject: 'ada' }, reason: null };
      await store.of(agentStatusEvents).insert([{ ...change, ...by, isLogged: more.isLogged ?? false }]);
      await store.of(auditExchanges).insert([first, second]);
      await store.of(pluginEvents).insert([pluginEvent(first, more)]);
      await store.of(stateRecords).insert([stateRecord(first, 'cid', more)]);
      return agentId;
    }

    test('have each exchange, event, state and change of an agent once', async () => {
      const [agentId, other] = [await reported(), await reported()];
      await append();
      const entries = await entriesOf(logNames.agent(agentId));
      expect(new Set(entries).size).toBe(5);
      await append();
      const { records: left } = await store
        .of(auditExchanges)
        .page('unlogged', [], { after: null, limit: 1 });
      expect(left).toEqual([]);
      expect(await entriesOf(logNames.agent(agentId))).toEqual(entries);
      expect(await entriesOf(logNames.agent(other))).toHaveLength(5);
    });

    test('say what docs/log.md says of an exchange', async () => {
      const exchangeKey = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';
      const agentId = `agent-${randomUUID()}`;
      const requestBody = { name: 'pack', offset: 0, size: 3, cid: 'bafk', contentType: 'text/plain' };
      const members = { exchangeKey, agentId, sourceId: exchangeKey, requestBody, durationMs: 1.5 };
      const one = exchange({ ...members, occurredAt: 1, receivedAt: 2, model: 'm', inputTokens: 7 });
      await store.of(auditExchanges).insert([one]);
      await append();
      const form = `{"agent_id":"${agentId}","candidate_project_urn":null,"correlation_id":null,"duration_ms":1.5,"exchange_key":"${exchangeKey}","input_tokens":7,"model":"m","occurred_at":1,"outcome":"ok","output_tokens":null,"project_urn":null,"received_at":2,"record":"audit_exchange","request_body":{"cid":"bafk","content_type":"text/plain","size":3},"response_body":null,"source_id":"${exchangeKey}"}`;
      expect(await entriesOf(logNames.agent(agentId))).toEqual([entryOf(form)]);
    });

    test('have the start and the outcome of an operation, also if it ends while its start is being logged', async () => {
      const log = store.of(auditRecords);
      const begun = auditRecord({ outcome: 'begun' });
      await append();
      const before = await entriesOf(logNames.audit);
      await putAuditRecords(log, [begun]);
      await append();
      await putAuditRecords(log, [{ ...begun, outcome: 'done' }]);
      // As by a process that has read the record before.
      await markLogged(log as never, loggedAuditRecords, [begun]);
      await append();
      await append();
      const after = await entriesOf(logNames.audit);
      expect(after.slice(0, before.length)).toEqual(before);
      expect(new Set(after.slice(before.length)).size).toBe(2);
    });

    test('have each signed form of a status list, also those between two looks', async () => {
      const [listId, texts] = [randomUUID(), new Set<string>()];
      const list = { id: listId, purpose: 'revocation', number: 0 } as const;
      await store
        .of(statusLists)
        .insert([{ ...list, base: `https://${listId}.example`, reserved: 9, createdAt: 1 }]);
      const ports = {
        ...signing,
        statusLists: store.of(statusLists),
        statusEntries: store.of(statusEntries),
        signedStatusLists: store.of(signedStatusLists),
      };
      for (const index of [1, 2, 3, 4]) {
        const entry = { id: `${listId}/${index}`, listId, index, credentialId: randomUUID() };
        const status = { purpose: 'revocation', status: true, changes: 1, isListed: false } as const;
        await store.of(statusEntries).insert([{ ...entry, ...status }]);
        texts.add((await signedStatusList(ports, listId)).text);
        if (index === 2) await append();
      }
      await append();
      const entries = await entriesOf(logNames.statusLists);
      expect(texts.size).toBe(4);
      expect(entries.filter((entry) => [...texts].map(entryOf).includes(entry))).toEqual(
        [...texts].map(entryOf),
      );
      expect(await store.of(signedStatusLists).get(listId)).toMatchObject({ isLogged: true, unlogged: [] });
    });

    test('begin with a note if their records were stored before, which come before newer ones', async () => {
      // Records of an earlier version lack the mark.
      const agentId = await reported({ isLogged: undefined as unknown as boolean });
      const newer = exchange({ agentId });
      await store.of(auditExchanges).insert([newer]);
      await noteBacklogs(store, loggedKinds);
      await append();
      const entries = await entriesOf(logNames.agent(agentId));
      const [note = '', ...others] = entries;
      expect(Buffer.from(note, 'hex').toString()).toMatch(/^.\{"at":".*","note":"The entries that follow/);
      expect(new Set(others).size).toBe(6);
      await noteBacklogs(store, loggedKinds);
      await append();
      expect(await entriesOf(logNames.agent(agentId))).toEqual(entries);
    });

    test('have every record once, whichever of several processes stops or pauses at which step', async () => {
      const plan = fc.record({
        batches: fc.array(fc.nat({ max: 1 }), { minLength: 1, maxLength: 8 }),
        seed: fc.nat(2 ** 31),
      });
      await fc.assert(
        fc.asyncProperty(plan, async ({ batches, seed }) => {
          const agentIds = [`agent-${randomUUID()}`, `agent-${randomUUID()}`];
          const steps = new Steps(seed);
          const appending = [1, 2, 3].map((process) =>
            steps.work(process, (port) => {
              const of: RecordStore['of'] = (declared) => stepped({ it: store.of(declared) }, port).it;
              const records = stepped(logRecords(store), port);
              return appendNew({ records, unlogged: unlogged({ of }), now: store.now });
            }),
          );
          for (const agent of batches) {
            const agentId = String(agentIds[agent]);
            await store.of(auditExchanges).insert([exchange({ agentId }), exchange({ agentId })]);
            await steps.some();
          }
          steps.end();
          await Promise.all(appending);
          await append();
          for (const [at, agentId] of agentIds.entries()) {
            const hashes = (await entriesOf(logNames.agent(agentId))).map(hashOf);
            expect(new Set(hashes).size).toBe(hashes.length);
            expect(hashes).toHaveLength(2 * batches.filter((agent) => agent === at).length);
          }
        }),
        { numRuns: runs(15) },
      );
    }, 60_000);
  });
}
