import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { answerOf } from '../../service.ts';
import { useGateway } from '../gateway/gateway.ts';
import { base64, blob, body, event, exchange, membership, state } from '../gateway/samples.ts';

const gateway = useGateway();

test('what a gateway reports is read in its project, also if events arrive before their exchange', async () => {
  const uuid = randomUUID();
  const agentId = await gateway.agent();
  const did = 'did:web:agents.example%3A8443:one';
  const read = async (path: string, name = agentId) =>
    await answerOf(
      await gateway.app.request(
        `http://localhost/v1/projects/${uuid}/agents/${encodeURIComponent(name)}${path}`,
      ),
    );
  const [child] = blob('memory');
  const linked = { exchange_source_id: 'reported-1' };
  const attested = state(agentId, {
    ...linked,
    attestation: body(JSON.stringify({ memory: child })),
    blobs: { [child]: base64('memory') },
  });
  await gateway.send('plugin-events', [event(agentId, linked)]);
  const { json } = await gateway.send('state-records', [attested]);
  const stateCid = json.results[0].state_cid;
  expect((await read('')).status).toBe(404);
  await gateway.send('memberships', [
    membership(agentId, { project_uuid: uuid.toUpperCase(), subject_did: did, status: 'expired' }),
  ]);
  expect((await read('/plugin-events')).json.plugin_events).toEqual([]);
  expect((await read(`/state-cids/${stateCid}/blob`)).status).toBe(404);
  const one = exchange(agentId, {
    source_id: 'reported-1',
    project_urn: `urn:uuid:${uuid.toUpperCase()}`,
    request_body: body('{"question":"why"}'),
  });
  const reported = await gateway.send('audit-exchanges', [
    one,
    exchange(agentId, { candidate_project_urn: `urn:uuid:${uuid}` }),
  ]);
  const { exchange_key } = reported.json.results[0];
  for (const name of [agentId, did]) {
    const { audit_exchanges } = (await read('/audit-exchanges', name)).json;
    expect(audit_exchanges).toMatchObject([{ exchange_key, request_body: { size: 18 } }]);
    expect((await read('/plugin-events', name)).json.plugin_events).toMatchObject([{ exchange_key }]);
    expect((await read('/state-cids', name)).json.states).toMatchObject([
      { state_cid: stateCid, exchange_key, children: [child] },
    ]);
    expect((await read(`/state-cids/${stateCid}/blobs/${child}`, name)).text).toBe('memory');
    expect((await read(`/audit-exchanges/${exchange_key}/request-body`, name)).json).toEqual({
      question: 'why',
    });
  }
});
