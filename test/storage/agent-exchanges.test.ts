import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { agentExchanges } from '../../src/composition/names.ts';
import { agents } from '../../src/domain/control-plane/agents/agents.ts';
import {
  projectBindings,
  projectMemberships,
} from '../../src/domain/control-plane/gateway/project-records.ts';
import { auditExchanges } from '../../src/domain/control-plane/gateway/runtime-records.ts';
import { newAgent } from '../builders/agents.ts';
import { newExchange } from '../builders/exchanges.ts';
import { openTemporary } from './temporary-folder.ts';

const admin = { issuer: 'disabled', subject: 'development' };
const member = { issuer: 'https://issuer.example', subject: 'somebody' };

test('policies read the exchanges of agents as an administrator sees them, and those of the governance console never', async () => {
  await using store = await openTemporary();
  const [project, did, other] = [randomUUID(), 'did:key:z6MkOne', 'did:key:z6MkOther'];
  const [own, bound] = [newAgent({ did }), newAgent({ did: other })];
  await store.of(agents).insert([own, bound]);
  const reported = { digest: 'digest', receivedAt: 1 };
  const evidence = { ...reported, validFrom: 0, validUntil: null, credentialId: null, status: null };
  const ofConsole = randomUUID();
  await store.of(projectMemberships).insert([
    { ...evidence, sourceId: 'one', projectUuid: project, agentId: own.id, subjectDid: did },
    { ...evidence, sourceId: 'other', projectUuid: ofConsole, agentId: bound.id, subjectDid: other },
  ]);
  const binding = { ...reported, kind: 'console' as const, consoleProjectId: 'c', position: 0 };
  await store.of(projectBindings).insert([{ ...binding, sourceId: 'b', projectUuid: ofConsole }]);
  const made = {
    model: 'gpt',
    outcome: 'denied' as const,
    projectUrn: `urn:uuid:${project}`,
    agentId: own.id,
  };
  const exchange = newExchange(made);
  await store.of(auditExchanges).insert([exchange, newExchange({ agentId: own.id })]);

  const read = agentExchanges(store);
  const facts = { id: exchange.exchangeKey, name: 'gpt', status: 'denied', at: '1970-01-01T00:00:00.001Z' };
  expect(await read([did, other], admin)).toEqual(new Map([[did, { exchanges: [facts], isCut: false }]]));
  expect(await read([did, other], member)).toEqual(new Map());
});
