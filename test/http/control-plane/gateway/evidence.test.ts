import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { auditRecords } from '../../../../src/domain/audit-log/audit-log.ts';
import {
  bindingOf,
  projectBindings,
  projectMemberships,
} from '../../../../src/domain/control-plane/gateway/project-records.ts';
import { useGateway } from './gateway.ts';
import { binding, membership } from './samples.ts';

const gateway = useGateway();

test('memberships are kept as they were sent', async () => {
  const agent = await gateway.agent();
  const one = membership(agent, {
    valid_until: '2026-12-31T00:00:00+01:00',
    credential_id: 'urn:uuid:1',
    status: 'revoked',
  });
  const [bare] = [membership(agent)];
  const answer = await gateway.send('memberships', [one, bare]);
  expect(answer).toMatchObject({
    status: 200,
    json: { results: [{ source_id: one.source_id }, { source_id: bare.source_id }] },
  });
  const records = gateway.store.of(projectMemberships);
  expect(await records.get(one.source_id)).toMatchObject({
    projectUuid: one.project_uuid,
    agentId: agent,
    subjectDid: one.subject_did,
    validFrom: Date.parse(one.valid_from),
    validUntil: Date.parse('2026-12-30T23:00:00Z'),
    credentialId: 'urn:uuid:1',
    status: 'revoked',
  });
  expect(await records.get(bare.source_id)).toMatchObject({
    validUntil: null,
    credentialId: null,
    status: null,
  });
  expect((await gateway.send('memberships', [bare])).json.results).toEqual([{ source_id: bare.source_id }]);
  expect((await gateway.send('memberships', [{ ...bare, status: 'x' }])).status).toBe(409);
});

test.each([
  ['a DID without a method', { subject_did: 'did:' }, '/subject_did'],
  ['a control character in its DID', { subject_did: 'did:key:z\u0000' }, '/subject_did'],
  ['an over-long DID', { subject_did: `did:web:${'x'.repeat(500)}` }, '/subject_did'],
  ['a name as its project', { project_uuid: 'urn:uuid:payments' }, '/project_uuid'],
  ['a start before the year 0 in UTC', { valid_from: '0000-01-01T00:00:00+01:00' }, '/valid_from'],
  ['no beginning', { valid_from: undefined }, '/valid_from'],
  ['a wrong end', { valid_until: 'tomorrow' }, '/valid_until'],
])('a membership with %s is refused', async (_, members, pointer) => {
  const sent = [membership(await gateway.agent(), members)];
  const { status, json } = await gateway.send('memberships', sent);
  expect(status).toBe(400);
  expect(json.details[0]).toMatchObject({ index: 0, pointer: `/records/0${pointer}` });
});

test('the project of a membership or binding may be a URN, which is the same as its UUID', async () => {
  const id = randomUUID();
  const urn = `urn:uuid:${id.toUpperCase()}`;
  const one = membership(await gateway.agent(), { project_uuid: urn });
  expect((await gateway.send('memberships', [one])).status).toBe(200);
  expect((await gateway.send('memberships', [{ ...one, project_uuid: id }])).status).toBe(200);
  const bound = binding({ project_uuid: urn });
  expect((await gateway.send('project-bindings', [bound])).status).toBe(200);
  expect((await gateway.send('project-bindings', [{ ...bound, project_uuid: id }])).status).toBe(200);
});

test('the last binding of a project counts, and a repeat of an earlier one changes nothing', async () => {
  const one = binding({ kind: 'console', console_project_id: 'console-1' });
  const current = async () => await bindingOf(gateway.store.of(projectBindings), one.project_uuid);
  expect((await gateway.send('project-bindings', [one, one])).status).toBe(200);
  expect(await current()).toMatchObject({ kind: 'console', consoleProjectId: 'console-1' });
  const project_uuid = one.project_uuid.toUpperCase();
  const [second, third] = [binding({ project_uuid }), binding({ ...one, ...binding(), project_uuid })];
  expect((await gateway.send('project-bindings', [second])).status).toBe(200);
  expect((await gateway.send('project-bindings', [one])).status).toBe(200);
  expect(await current()).toMatchObject({ kind: 'operator', sourceId: second.source_id });
  const last = { ...third, kind: 'console', console_project_id: 'console-2' };
  expect((await gateway.send('project-bindings', [binding({ project_uuid }), last])).status).toBe(200);
  expect(await current()).toMatchObject({ kind: 'console', consoleProjectId: 'console-2' });
});

test('the audit log names the project of each new binding, with the old and the new binding', async () => {
  const recorded = async (projectUuid: string) =>
    (await gateway.store.of(auditRecords).page('byTarget', [projectUuid], { after: null, limit: 9 })).records;
  const one = binding({ kind: 'console', console_project_id: 'mine' });
  const { project_uuid } = one;
  const [back, other] = [binding({ project_uuid }), binding()];
  await gateway.send('project-bindings', [one]);
  await gateway.send('project-bindings', [one, back, other]);
  await gateway.send('project-bindings', [back, one]);
  const shared = { action: 'POST /v1/gateway/project-bindings', outcome: 'done', target: project_uuid };
  const actor = {
    issuer: 'urn:cairn:gateway-credentials',
    subject: 'gateway-1',
    means: 'gateway_credential',
  };
  const mine = { kind: 'console', console_project_id: 'mine' };
  const operator = { kind: 'operator', console_project_id: null };
  expect(await recorded(project_uuid)).toMatchObject([
    {
      ...shared,
      actor,
      details: {
        source_id: back.source_id,
        old_kind: 'console',
        old_console_project_id: 'mine',
        ...operator,
      },
    },
    {
      ...shared,
      actor,
      details: { source_id: one.source_id, old_kind: null, old_console_project_id: null, ...mine },
    },
  ]);
  expect(await recorded(other.project_uuid)).toMatchObject([{ details: { old_kind: null, ...operator } }]);
});

test('a source_id cannot bind a second project', async () => {
  const one = binding();
  await gateway.send('project-bindings', [one]);
  const other = binding({ source_id: one.source_id });
  expect(await gateway.send('project-bindings', [other])).toMatchObject({
    status: 409,
    json: { details: [{ pointer: '/records/0/source_id' }] },
  });
});

test.each([
  ['a console without its project', { kind: 'console' }],
  ['an operator with a project of the console', { kind: 'operator', console_project_id: 'a' }],
  ['another kind', { kind: 'nobody' }],
])('a binding to %s is refused', async (_, members) => {
  expect((await gateway.send('project-bindings', [binding(members)])).status).toBe(400);
});
