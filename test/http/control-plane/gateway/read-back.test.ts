import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eachRecord } from '../../../../src/domain/collections/records.ts';
import { stateRecords } from '../../../../src/domain/control-plane/gateway/runtime-records.ts';
import { indexStoredBlobs, stateBlobs } from '../../../../src/domain/control-plane/gateway/state-blobs.ts';
import { answerOf } from '../../service.ts';
import { useGateway } from './gateway.ts';
import { blob, body, event, exchange, membership, project, state } from './samples.ts';

const gateway = useGateway();

test('what a gateway reports is what the reads of the project show', async () => {
  const agent = await gateway.agent();
  const member = membership(agent);
  const base = `/v1/projects/${member.project_uuid}/agents/${encodeURIComponent(member.subject_did)}`;
  const read = async (path: string) => {
    const answer = await answerOf(await gateway.app.request(`http://localhost${base}/${path}`));
    expect([path, answer.status]).toEqual([path, 200]);
    return answer;
  };
  const [child, childBytes] = blob('a prompt');
  const one = exchange(agent, { project_urn: project, request_body: body('{"a":1}'), model: 'model-1' });
  const candidate = exchange(agent, { candidate_project_urn: project });
  const named = { exchange_source_id: one.source_id };
  const early = event(agent, { ...named, detail: { __proto: 1, nested: { list: [1.5, null] } } });
  const attestation = body(JSON.stringify({ child }));
  const late = state(agent, { ...named, attestation, blobs: { [child]: childBytes } });
  const unjoined = event(agent, { exchange_source_id: candidate.source_id });
  await gateway.send('memberships', [member]);
  await gateway.send('plugin-events', [early, unjoined]);
  const { json } = await gateway.send('audit-exchanges', [one, candidate]);
  const states = await gateway.send('state-records', [late]);
  const [key, cid] = [json.results[0].exchange_key, states.json.results[0].state_cid];
  expect((await read('audit-exchanges')).json.audit_exchanges).toMatchObject([
    { exchange_key: key, model: 'model-1' },
  ]);
  const { text } = await read(`audit-exchanges/${key}/request-body`);
  expect(text).toBe('{"a":1}');
  expect((await read('plugin-events')).json.plugin_events).toMatchObject([
    { exchange_key: key, kind: early.kind, detail: early.detail },
  ]);
  expect((await read('state-cids')).json.states).toMatchObject([
    { state_cid: cid, exchange_key: key, children: [child] },
  ]);
  expect((await read(`state-cids/${cid}/blob`)).text).toBe(JSON.stringify({ child }));
  expect((await read(`state-cids/${cid}/blobs/${child}`)).text).toBe('a prompt');
});

test('a state that names the CID of a blob does not open the blob that another state brought', async () => {
  const [agent, spy] = [await gateway.agent(), await gateway.agent()];
  const member = membership(spy, {
    subject_did: 'did:key:z6MkspySpySpySpySpySpySpySpySpySpySpySpySpySpySpy',
  });
  await gateway.send('memberships', [member]);
  const [child, childBytes] = blob('a secret');
  const attestation = body(JSON.stringify({ child }));
  const given = exchange(spy, { project_urn: project });
  await gateway.send('audit-exchanges', [given]);
  await gateway.send('state-records', [
    state(agent, { attestation, blobs: { [child]: childBytes } }),
    state(spy, { attestation, exchange_source_id: given.source_id }),
  ]);
  const base = `http://localhost/v1/projects/${member.project_uuid}/agents/${spy}/state-cids`;
  const { json } = await answerOf(await gateway.app.request(base));
  expect(json.states).toMatchObject([{ children: [child] }]);
  const path = `${base}/${json.states[0].state_cid}/blobs/${child}`;
  expect((await gateway.app.request(path)).status).toBe(404);
});

test('a state opens the bytes of a blob that came with another state of its agent and project only', async () => {
  const agent = await gateway.agent();
  const projects = [randomUUID(), randomUUID()];
  const subject_did = 'did:key:z6MkblobBlobBlobBlobBlobBlobBlobBlobBlobBlobBlob';
  const [member, other] = projects.map((project_uuid) => membership(agent, { project_uuid, subject_did }));
  await gateway.send('memberships', [member, other]);
  const [first, second, elsewhere] = [0, 0, 1].map((at) =>
    exchange(agent, { project_urn: `urn:uuid:${projects[at]}` }),
  );
  await gateway.send('audit-exchanges', [first, second, elsewhere]);
  const [child, childBytes] = blob(`a memory ${randomUUID()}`);
  const referring = (text: string) => body(JSON.stringify({ child, text }));
  const brought = state(agent, {
    attestation: referring('brought'),
    blobs: { [child]: childBytes },
    exchange_source_id: first?.source_id,
  });
  const states = [
    state(agent, { attestation: referring('later'), exchange_source_id: second?.source_id }),
    state(agent, { attestation: referring('elsewhere'), exchange_source_id: elsewhere?.source_id }),
    state(agent, { attestation: body('{}'), exchange_source_id: second?.source_id }),
  ];
  // A repeat stores nothing again.
  for (const sent of [[brought], states, [brought, ...states]]) await gateway.send('state-records', sent);
  const { json } = await gateway.send('state-records', states);
  const read = async (at: number, projectUuid = projects[0]) => {
    const place = `/v1/projects/${projectUuid}/agents/${agent}/state-cids/${json.results[at].state_cid}`;
    return await answerOf(await gateway.app.request(`http://localhost${place}/blobs/${child}`));
  };
  expect((await read(0)).text).toBe(Buffer.from(childBytes, 'base64').toString());
  expect((await read(1, projects[1])).status).toBe(404);
  expect((await read(2)).status).toBe(404);

  // States of the version before have no index. An upgrade step makes it.
  const ports = { states: gateway.store.of(stateRecords), stateBlobs: gateway.store.of(stateBlobs) };
  const indexed = await Array.fromAsync(eachRecord(ports.stateBlobs, 'byCid', [child, agent]));
  expect(indexed).toHaveLength(1);
  for (const { id } of indexed) await ports.stateBlobs.remove(id);
  expect((await read(0)).status).toBe(404);
  await Array.fromAsync(indexStoredBlobs(ports, null));
  expect((await read(0)).status).toBe(200);
});
