import { expect, test } from 'vitest';
import {
  agentBindings,
  agentKeys,
  agentRecords,
  agentStatusEvents,
  agents,
} from '../../src/domain/control-plane/agents/agents.ts';
import { changeState } from '../../src/domain/control-plane/agents/changes.ts';
import { mint, newAgentKey, proofFor, register } from '../http/control-plane/agents/registering.ts';
import { hybrid, usePlane } from '../http/control-plane/plane.ts';
import { describeMongo } from '../storage/mongo/database.ts';

describeMongo('agents on two processes with one MongoDB', () => {
  const plane = usePlane(hybrid, 'mongodb');

  test.each([
    ['by one agent', () => Array(20).fill(newAgentKey())],
    ['by twenty agents', () => Array.from({ length: 20 }, () => newAgentKey())],
  ])('a token used at the same moment %s registers once', async (name, keysOf) => {
    const other = await plane.replica();
    const minted = await mint(plane.main, await plane.provider.idToken(), { agent_handle: name });
    const { registration_token: token, agent_id: id } = minted;
    const keys = keysOf();
    const proofs = await Promise.all(keys.map((key) => proofFor(token, key)));
    const answers = await Promise.all(
      keys.map((key, at) => register(at % 2 === 0 ? plane.main : other, token, key, proofs[at])),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([201, ...Array(19).fill(401)]);
    const did = answers.find(({ status }) => status === 201)?.json.did;
    const { store } = plane;
    expect(await store.of(agents).get(id)).toMatchObject({ did, version: 1 });
    const page = { after: null, limit: 10 };
    expect((await store.of(agentKeys).page('byAgent', [id], page)).records).toMatchObject([{ did }]);
    expect((await store.of(agentBindings).page('byAgent', [id], page)).records).toHaveLength(1);
    expect((await store.of(agentStatusEvents).page('byAgent', [id], page)).records).toHaveLength(1);
  });

  test('a revocation on one process holds for the next request on the other', async () => {
    const other = await plane.replica();
    const idToken = await plane.provider.idToken();
    const body = { agent_handle: 'revoked' };
    const first = await mint(plane.main, idToken, body);
    await register(plane.main, first.registration_token, newAgentKey());
    for (let round = 0; round < 5; round += 1) {
      const { registration_token: token } = await mint(other, idToken, body);
      const actor = { issuer: 'tests', subject: null };
      const of = plane.store;
      const ports = {
        ...agentRecords(of),
        now: () => new Date(),
      };
      await changeState(ports, first.agent_id, { state: 'revoked', actor, reason: null });
      const refused = await register(other, token, newAgentKey());
      expect(refused).toMatchObject({ status: 403, json: { code: 'agent_revoked' } });
      await changeState(ports, first.agent_id, { state: 'active', actor, reason: null });
      expect((await register(other, token, newAgentKey())).status).toBe(201);
    }
  });
});
