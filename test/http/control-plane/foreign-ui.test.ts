import { describe, expect, test } from 'vitest';
import { bearer, origin, usePlane, variables } from './plane.ts';

const plane = usePlane();
const ui = 'https://console.example:8443';
const replica = () => plane.replica(variables({ UI_BASE_URL: `${ui}/app` }));
const preflight = {
  'access-control-request-method': 'PATCH',
  'access-control-request-headers': 'x-csrf-token',
};
const cors = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'));

describe('a user interface on another origin', () => {
  test('may read answers with the cookies of its caller, errors too', async () => {
    const { send } = await replica();
    for (const [path, status] of [
      ['/v1/auth/providers', 200],
      ['/v1/me', 401],
      ['/v1/nothing', 404],
    ] as const) {
      const answer = await send('GET', path, { origin: ui });
      expect(answer.status).toBe(status);
      expect(cors(answer.headers)).toMatchObject({
        'access-control-allow-origin': ui,
        'access-control-allow-credentials': 'true',
        vary: expect.stringContaining('Origin'),
      });
    }
  });

  test('may send the CSRF token', async () => {
    const { send } = await replica();
    const answer = await send('OPTIONS', '/v1/users/1', { origin: ui, ...preflight });
    expect(answer.status).toBe(204);
    expect(cors(answer.headers)).toMatchObject({
      'access-control-allow-origin': ui,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': expect.stringMatching(/X-CSRF-Token/i),
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      vary: expect.stringContaining('Origin'),
    });
  });

  test('is the only one', async () => {
    const { send } = await replica();
    const others = [
      'https://console.example',
      `${ui}.evil.example`,
      'http://console.example:8443',
      'null',
      origin,
    ];
    for (const other of others) {
      for (const method of ['GET', 'OPTIONS']) {
        const { headers } = await send(method, '/v1/auth/providers', { origin: other, ...preflight });
        expect(headers.get('access-control-allow-origin')).toBeNull();
        expect(headers.get('vary')).toContain('Origin');
      }
    }
  });

  test('does not exist by default', async () => {
    const { headers } = await plane.main.send('GET', '/v1/auth/providers', { origin: ui });
    expect(cors(headers)).toEqual({});
    const token = bearer(await plane.provider.idToken());
    expect(cors((await plane.main.send('GET', '/v1/me', { ...token, origin })).headers)).toEqual({});
  });
});
