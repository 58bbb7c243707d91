import { describe, expect, test } from 'vitest';
import type { AgentKey } from '../../../../src/domain/control-plane/agents/agents.ts';
import { evidencedIdentities } from '../../../../src/domain/control-plane/projects/evidence.ts';
import { membership } from '../../../builders/runtime-records.ts';

const key = (did: string, version: number): AgentKey => ({
  id: `agent#${version}`,
  agentId: 'agent',
  version,
  did,
  addedAt: version,
  retiredAt: null,
});
const keys = [key('did:key:a', 1), key('did:key:b', 2), key('did:key:elsewhere', 3)];
const evidence = [
  membership('p', 'agent', 'did:key:b'),
  membership('p', 'agent', 'did:key:a', { status: 'revoked' }),
  membership('p', 'agent', 'did:key:b', { status: 'expired' }),
];

describe('rule 4: identities come from the evidence of the project', () => {
  test('each has its own evidence and its own keys, and no other key appears', () => {
    expect(evidencedIdentities(evidence, keys, null)).toEqual([
      { subjectDid: 'did:key:a', evidence: [evidence[1]], keys: [keys[0]] },
      { subjectDid: 'did:key:b', evidence: [evidence[0], evidence[2]], keys: [keys[1]] },
    ]);
  });

  test('key detail is limited to the DID by which the agent was named', () => {
    const identities = evidencedIdentities(evidence, keys, 'did:key:b');
    expect(identities.map((identity) => identity.keys)).toEqual([null, [keys[1]]]);
  });

  test('without evidence there is nothing', () => {
    expect(evidencedIdentities([], keys, null)).toEqual([]);
  });
});
