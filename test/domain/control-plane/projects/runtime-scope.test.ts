import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AuditExchange } from '../../../../src/domain/control-plane/gateway/runtime-records.ts';
import {
  besideExchanges,
  isInScope,
  referencedBlob,
  runtimeScope,
} from '../../../../src/domain/control-plane/projects/runtime-reads.ts';
import { exchange, pluginEvent, sealedPart, stateRecord, urnOf } from '../../../builders/runtime-records.ts';

const project = randomUUID();
const scope = runtimeScope(project, 'agent');
const own = exchange({ projectUrn: urnOf(project) });

describe('rule 6: a record belongs to the project and the agent that it names', () => {
  test('it appears', () => {
    expect(isInScope(own, scope)).toBe(true);
  });

  test.each([
    ['without a project', { projectUrn: null }],
    ['with a candidate only', { projectUrn: null, candidateProjectUrn: urnOf(project) }],
    ['of another project', { projectUrn: urnOf(randomUUID()) }],
    ['with the bare UUID', { projectUrn: project }],
    ['of another agent', { agentId: 'another' }],
    ['with a shared correlation id', { agentId: 'another', correlationId: 'same' }],
  ])('a record %s does not', (_, more) => {
    expect(isInScope({ ...own, ...more }, scope)).toBe(false);
  });
});

describe('rule 7: events and states appear beside their exchange', () => {
  const beside = async (exchanges: readonly AuditExchange[], event: ReturnType<typeof pluginEvent>) => {
    const among = async (_: string, keys: readonly unknown[]) =>
      keys.map((key) => exchanges.filter(({ exchangeKey }) => exchangeKey === key));
    return await besideExchanges({ among } as never, [event], scope);
  };

  test('an event whose exchange is visible appears', async () => {
    const event = pluginEvent(own);
    expect(await beside([own], event)).toEqual([event]);
  });

  test('an event without an exchange, or with an unknown one, does not', async () => {
    expect(await beside([own], pluginEvent(own, { exchangeKey: null }))).toEqual([]);
    expect(await beside([], pluginEvent(own))).toEqual([]);
  });

  test('an event that claims the project beside an exchange of another project or agent does not', async () => {
    const elsewhere = { ...own, projectUrn: urnOf(randomUUID()) };
    expect(await beside([elsewhere], pluginEvent(own))).toEqual([]);
    expect(await beside([{ ...own, agentId: 'another' }], pluginEvent(own))).toEqual([]);
  });

  test('an event of another project beside a visible exchange does not', async () => {
    expect(await beside([own], pluginEvent(own, { projectUrn: null }))).toEqual([]);
  });
});

describe('rule 8: a state shows the blobs that its attestation references directly', () => {
  test('a referenced blob is found', () => {
    const state = stateRecord(own, 'state', { children: ['child'], blobs: [sealedPart('child')] });
    expect(referencedBlob(state, 'child')).toEqual(sealedPart('child'));
  });

  test.each([
    ['was sent without a reference', { children: [], blobs: [sealedPart('child')] }],
    ['was referenced and not sent', { children: ['child'], blobs: [] }],
    ['is the state itself', { children: [], blobs: [] }],
  ])('a blob that %s is not', (_, more) => {
    const cid = more.children.length + more.blobs.length > 0 ? 'child' : 'state';
    expect(referencedBlob(stateRecord(own, 'state', more), cid)).toBeUndefined();
  });
});
