import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { agents } from '../../../../src/domain/control-plane/agents/agents.ts';
import { auditExchanges } from '../../../../src/domain/control-plane/gateway/runtime-records.ts';
import {
  gatewayScopes,
  guardedScopes,
  reportingScopes,
} from '../../../../src/domain/control-plane/gateway-access.ts';
import { users } from '../../../../src/domain/control-plane/users.ts';
import { signRegistrationToken } from '../../../../src/platform/agent-tokens/registration-token.ts';
import { newUser } from '../../../contract/users.ts';
import { gatewaySecret } from '../plane.ts';
import { credential, useGateway } from './gateway.ts';
import { binding, event, exchange, membership, state } from './samples.ts';

const secret = 'a secret that signs the registration tokens of the tests';
const gateway = useGateway({ CONTROL_PLANE_AUTH_REGISTRATION_TOKEN_SECRET: secret });

/** A record for each route. */
const records = {
  'audit-exchanges': exchange,
  'plugin-events': event,
  'state-records': state,
  memberships: membership,
  'project-bindings': () => binding(),
};
const aboutAgents = gatewayScopes.filter((scope) => scope !== 'project-bindings');

test.each(gatewayScopes)('%s needs a credential with its scope', async (scope) => {
  const sent = [records[scope](await gateway.agent())];
  const others = gatewayScopes.filter((one) => one !== scope);
  expect(await gateway.send(scope, sent, await credential(others))).toMatchObject({
    status: 403,
    json: { code: 'forbidden', error: expect.stringContaining(`the scope "${scope}"`) },
  });
  expect((await gateway.send(scope, sent, await credential([scope]))).status).toBe(200);
});

/** The credential that earlier versions printed by default. */
const earlierDefault = (scope: string) =>
  new SignJWT({ scope })
    .setProtectedHeader({ alg: 'HS256', typ: 'gateway-credential+jwt' })
    .setIssuer('urn:cairn:gateway-credentials')
    .setAudience('urn:cairn:gateway')
    .setSubject('gateway')
    .setJti(crypto.randomUUID())
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(Buffer.from(gatewaySecret));

test('a credential of an earlier version reports what agents do, but does not change who may read it', async () => {
  const old = await earlierDefault(gatewayScopes.join(' '));
  const agent = await gateway.agent();
  for (const scope of reportingScopes)
    expect((await gateway.send(scope, [records[scope](agent)], old)).status).toBe(200);
  for (const scope of guardedScopes)
    expect(await gateway.send(scope, [records[scope](agent)], old)).toMatchObject({
      status: 403,
      json: { error: expect.stringMatching(/earlier version.*"cairn gateway-token --scope/) },
    });
});

test.each(gatewayScopes)(
  '%s takes no other kind of token, and answers 401 before it reads the body',
  async (scope) => {
    const times = { createdAt: Date.now(), expiresAt: Date.now() + 900_000 };
    const registration = await signRegistrationToken(
      { secret, issuer: 'urn:cairn:control-plane' },
      {
        jti: crypto.randomUUID(),
        issuer: 'https://idp.example',
        subject: 'ada',
        agentId: 'agent-1',
        ...times,
      },
    );
    const expired = await credential(gatewayScopes, new Date(Date.now() - 7_200_000));
    const [head, payload, signature] = (await credential()).split('.');
    const unsigned = `${Buffer.from('{"alg":"none","typ":"gateway-credential+jwt"}').toString('base64url')}.${payload}.`;
    const altered = [head, payload, signature?.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))].join(
      '.',
    );
    for (const token of ['', 'bad', registration, expired, unsigned, altered])
      expect([token, (await gateway.send(scope, '{', token)).status]).toEqual([token, 401]);
  },
);

test.each(aboutAgents)('%s refuses records of agents that are revoked or unknown', async (scope) => {
  const [active, revoked] = [await gateway.agent(), await gateway.agent({ state: 'revoked' })];
  const of = records[scope];
  expect(await gateway.send(scope, [of(active), of(revoked), of('nobody')])).toMatchObject({
    status: 403,
    json: {
      code: 'agent_revoked',
      details: [
        { index: 1, code: 'agent_revoked', pointer: '/records/1/agent_id' },
        { index: 2, code: 'invalid_request', reason: 'there is no agent "nobody"' },
      ],
    },
  });
  expect(await gateway.send(scope, [of('nobody')])).toMatchObject({
    status: 400,
    json: { code: 'invalid_request' },
  });
});

test('a revocation applies to the next request, and to repeats', async () => {
  const agent = await gateway.agent();
  const one = exchange(agent);
  expect((await gateway.send('audit-exchanges', [one])).status).toBe(200);
  const change = (state: 'active' | 'revoked') => gateway.store.of(agents).update(agent, {}, { state });
  await change('revoked');
  for (const record of [one, exchange(agent)])
    expect((await gateway.send('audit-exchanges', [record])).json.code).toBe('agent_revoked');
  await change('active');
  expect((await gateway.send('audit-exchanges', [one])).status).toBe(200);
  expect(await gateway.store.of(auditExchanges).among('bySource', [one.source_id], 9)).toHaveLength(1);
});

test('an agent of a disabled user is refused on every route until it belongs to somebody else', async () => {
  const [disabled, heir] = [newUser({ disabled: true }), newUser()];
  await gateway.store.of(users).insert([disabled, heir]);
  const { issuer, subject } = disabled;
  const id = await gateway.agent({ issuer, subject });
  const records = {
    'audit-exchanges': exchange(id),
    'plugin-events': event(id),
    'state-records': state(id),
    memberships: membership(id),
  } as const;
  for (const [scope, record] of Object.entries(records))
    expect(await gateway.send(scope as keyof typeof records, [record])).toMatchObject({
      status: 403,
      json: {
        code: 'forbidden',
        error: expect.stringContaining(`the user of the agent "${id}" is disabled`),
      },
    });
  await gateway.store.of(agents).update(id, {}, { issuer: heir.issuer, subject: heir.subject });
  for (const [scope, record] of Object.entries(records))
    expect((await gateway.send(scope as keyof typeof records, [record])).status).toBe(200);
});
