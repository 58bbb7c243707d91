import { decodeJwt, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { usersOf } from '../../../contract/nouns.ts';
import { bearer, registrationSecret, usePlane } from '../plane.ts';
import { mint, newAgentKey, proofFor, register } from './registering.ts';

const plane = usePlane();
const path = '/v1/gateway/registrations';
const idTokenOf = (sub: string) => plane.provider.idToken({ claims: { sub } });
const newToken = async (body: object = {}) =>
  (await mint(plane.main, await idTokenOf('ada'), body)).registration_token;
const seconds = () => Math.floor(Date.now() / 1_000);

describe('a registration', () => {
  test.each(['Ed25519', 'P-256'] as const)('with a key on %s creates the agent', async (curve) => {
    const key = newAgentKey(curve);
    const minted = await mint(plane.main, await idTokenOf('ada'), { agent_handle: curve });
    const answer = await register(plane.main, minted.registration_token, key);
    expect(answer).toMatchObject({
      status: 201,
      json: {
        agent_id: minted.agent_id,
        name: 'Build agent',
        handle: curve,
        issuer: plane.provider.issuer,
        subject: 'ada',
        did: key.did,
        state: 'active',
      },
    });
    const detail = await plane.main.send(
      'GET',
      `/v1/agents/${minted.agent_id}`,
      bearer(await idTokenOf('ada')),
    );
    expect(detail.json).toMatchObject({
      keys: [{ did: key.did, retired_at: null }],
      bindings: [{ issuer: plane.provider.issuer, subject: 'ada', state: 'active' }],
    });
  });

  test('with a new token replaces the key of the agent', async () => {
    const handle = { agent_handle: 'rotated' };
    const [first, second] = [newAgentKey(), newAgentKey('P-256')];
    const { json } = await register(plane.main, await newToken(handle), first);
    const again = await register(plane.main, await newToken({ ...handle, agent_name: 'New name' }), second);
    expect(again.json).toMatchObject({ agent_id: json.agent_id, did: second.did, name: 'New name' });
    const detail = await plane.main.send(
      'GET',
      `/v1/agents/${json.agent_id}`,
      bearer(await idTokenOf('ada')),
    );
    expect(detail.json.keys).toMatchObject([
      { did: second.did, retired_at: null },
      { did: first.did, retired_at: expect.any(String) },
    ]);
  });

  test('takes a token of the version before, which had the agent in sub', async () => {
    const minted = await mint(plane.main, await idTokenOf('ada'));
    const { agent_id, subject_issuer: _, ...claims } = decodeJwt(minted.registration_token);
    const token = await new SignJWT({ ...claims, sub: String(agent_id) })
      .setProtectedHeader({ alg: 'HS256', typ: 'agent-registration+jwt' })
      .sign(Buffer.from(registrationSecret));
    const answer = await register(plane.main, token, newAgentKey());
    expect(answer).toMatchObject({ status: 201, json: { agent_id: minted.agent_id, subject: 'ada' } });
  });

  test('uses up its token', async () => {
    const [token, key] = [await newToken(), newAgentKey()];
    expect((await register(plane.main, token, key)).status).toBe(201);
    for (const other of [key, newAgentKey()]) {
      const answer = await register(plane.main, token, other);
      expect(answer).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
      expect(answer.json.error).toContain('was used already');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    }
  });

  test('is refused for a token that a later one has replaced', async () => {
    const [old, later] = [await newToken({ agent_handle: 'void' }), await newToken({ agent_handle: 'void' })];
    const answer = await register(plane.main, old, newAgentKey());
    expect(answer).toMatchObject({ status: 401, json: { error: expect.stringContaining('is void') } });
    expect((await register(plane.main, later, newAgentKey())).status).toBe(201);
  });

  test('is refused when the user who minted the token is disabled', async () => {
    const token = (await mint(plane.main, await idTokenOf('soon-disabled'))).registration_token;
    const user = await usersOf(plane.store).bySubject(plane.provider.issuer, 'soon-disabled');
    await usersOf(plane.store).change(user?.id ?? '', { disabled: true }, Date.now());
    const answer = await register(plane.main, token, newAgentKey());
    expect(answer).toMatchObject({ status: 403, json: { code: 'forbidden' } });
  });
});

describe('a registration token', () => {
  const forged = async (token: string, changes: object, header: object = {}, secret = registrationSecret) => {
    const claims = JSON.parse(JSON.stringify({ ...decodeJwt(token), ...changes }));
    return await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'agent-registration+jwt', ...header })
      .sign(Buffer.from(secret));
  };

  test.each<[string, (token: string) => Promise<string> | string, string]>([
    ['that has expired', (token) => forged(token, { exp: seconds() - 10 }), 'has expired'],
    ['without an expiry', (token) => forged(token, { exp: undefined }), 'is not a registration token'],
    ['with another secret', (token) => forged(token, {}, {}, 'x'.repeat(40)), 'was changed'],
    ['with other bytes', (token) => token.replace(/\.[^.]/, '.f'), 'was changed'],
    ['with another signature', (token) => `${token.slice(0, -5)}AAAAA`, 'was changed'],
    ['of another issuer', (token) => forged(token, { iss: 'https://evil.example' }), 'another issuer'],
    ['for another audience', (token) => forged(token, { aud: 'urn:cairn:gateway' }), 'not a registration'],
    ['of another type', (token) => forged(token, {}, { typ: 'JWT' }), 'not a registration token'],
    ['with another algorithm', (token) => forged(token, {}, { alg: 'HS512' }), 'not a registration token'],
    [
      'without a signature',
      (token) =>
        `${Buffer.from('{"alg":"none","typ":"agent-registration+jwt"}').toString('base64url')}.${token.split('.')[1]}.`,
      'not a registration token',
    ],
    ['with an unknown jti', (token) => forged(token, { jti: crypto.randomUUID() }), 'is unknown'],
  ])('%s is refused with the reason', async (_, change, reason) => {
    const token = await newToken();
    const changed = await change(token);
    const key = newAgentKey();
    const answer = await register(plane.main, changed, key, await proofFor(token, key));
    expect(answer).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
    expect(answer.json.error).toContain(reason);
  });

  test('tells a stranger the same whether or not its agent exists', async () => {
    const token = await newToken({ agent_handle: 'exists' });
    const key = newAgentKey();
    const { json } = await register(plane.main, token, key);
    const answers = await Promise.all(
      [json.agent_id, 'agent_none'].map(async (sub) => {
        const stranger = await forged(token, { sub, jti: crypto.randomUUID() }, {}, 'y'.repeat(40));
        const { status, json } = await register(plane.main, stranger, key, await proofFor(token, key));
        return { status, error: json.error, code: json.code };
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
  });

  test('expires after 15 minutes', async () => {
    const [early, late] = [await newToken(), await newToken()];
    const [key, minutes] = [newAgentKey(), 60_000];
    const at = (ms: number) => ({ iat: Math.floor((Date.now() + ms) / 1_000) });
    plane.pass(14 * minutes);
    expect(
      (await register(plane.main, early, key, await proofFor(early, key, at(14 * minutes)))).status,
    ).toBe(201);
    plane.pass(2 * minutes);
    const answer = await register(plane.main, late, key, await proofFor(late, key, at(16 * minutes)));
    expect(answer).toMatchObject({ status: 401, json: { error: expect.stringContaining('has expired') } });
    plane.pass(-16 * minutes);
  });
});

describe('a proof', () => {
  const now = seconds();
  test.each<[string, Parameters<typeof proofFor>[2]]>([
    ['of another type', { typ: 'JWT' }],
    ['for another token', { jti: crypto.randomUUID() }],
    ['without a jti', { jti: undefined as never }],
    ['by another DID', { iss: newAgentKey().did }],
    ['for another audience', { aud: 'urn:cairn:gateway' }],
    ['without a time', { iat: undefined as never }],
    ['of six minutes ago', { iat: now - 360 }],
    ['of the next minute but one', { iat: now + 120 }],
  ])('%s is refused, and the token still counts', async (_, changes) => {
    const [token, key] = [await newToken(), newAgentKey()];
    const answer = await register(plane.main, token, key, await proofFor(token, key, changes));
    expect(answer).toMatchObject({ status: 400, json: { details: [{ pointer: '/proof' }] } });
    expect((await register(plane.main, token, key)).status).toBe(201);
  });

  test('may be made by a clock that is a little ahead', async () => {
    const [token, key] = [await newToken(), newAgentKey()];
    expect(
      (await register(plane.main, token, key, await proofFor(token, key, { iat: seconds() + 10 }))).status,
    ).toBe(201);
  });

  test('by the key of another DID is refused', async () => {
    const token = await newToken();
    for (const curve of ['Ed25519', 'P-256'] as const) {
      const [key, other] = [newAgentKey(curve), newAgentKey(curve)];
      const proof = await proofFor(token, { ...other, did: key.did });
      expect((await register(plane.main, token, key, proof)).json.details[0].reason).toContain('signature');
    }
  });

  test('is refused as a text that is no JWS', async () => {
    const token = await newToken();
    for (const proof of ['', 'x', 'a.b.c', token]) {
      const answer = await register(plane.main, token, newAgentKey(), proof);
      expect(answer).toMatchObject({ status: 400, json: { details: [{ pointer: '/proof' }] } });
    }
  });
});

test.each([
  ['did:web', 'did:web:example.com', 'Only did:key'],
  ['no DID', 'ada', 'Only did:key'],
  ['X25519', 'did:key:z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc', 'X25519'],
  ['P-384', newAgentKey('P-384').did, 'P-384'],
  ['a damaged key', `${newAgentKey().did}x`, 'did:key'],
])('a DID of an unsupported kind is refused: %s', async (_, did, reason) => {
  const [token, key] = [await newToken(), newAgentKey()];
  const body = { did, proof: await proofFor(token, key) };
  const answer = await plane.main.send('POST', path, bearer(token), body);
  expect(answer).toMatchObject({ status: 400, json: { details: [{ pointer: '/did' }] } });
  expect(answer.json.error).toContain(reason);
});

test('a body with other members is refused', async () => {
  const [token, key] = [await newToken(), newAgentKey()];
  const body = { did: key.did, proof: await proofFor(token, key), agent_id: 'agent_x' };
  expect((await plane.main.send('POST', path, bearer(token), body)).status).toBe(400);
});
