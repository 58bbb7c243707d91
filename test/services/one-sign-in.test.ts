import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startOneSignIn } from '../access/one-sign-in.ts';
import { describeMongo } from '../storage/mongo/database.ts';

const project = randomUUID();

describeMongo('one sign-in for two processes behind one address', () => {
  test.each(['oidc', 'auth_service'] as const)('works with CAIRN_AUTH_MODE=%s', async (mode) => {
    await using both = await startOneSignIn(mode, { as: 'two processes', tokenSeconds: 5 });
    both.grant('ada', { '*': ['create_projects'], [project]: ['view_project_data'] });
    const browser = both.browser();
    await browser.signIn('ada');
    const created = { graph_id: project, name: 'alpha' };
    expect((await both.send('PUT', '/graph/v1', browser.headers('PUT'), created)).status).toBe(201);
    const headers = browser.headers();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => both.send('GET', '/graph/v1', headers)),
    );
    expect(answers.map(({ status, json }) => [status, json.graphs?.length])).toEqual(
      answers.map(() => [200, 1]),
    );
    const pages = await Promise.all(
      ['/ui', '/ui/agents'].map(async (path) => (await both.send('GET', path, headers)).text),
    );
    for (const text of pages)
      for (const address of ['/ui/lineage', '/ui/agents', '/ui/limits', '/ui/account'])
        expect(text).toContain(`href="${address}"`);
    expect((await both.send('POST', '/v1/auth/logout', browser.headers('POST'))).status).toBe(204);
    expect((await both.send('GET', '/graph/v1', headers)).status).toBe(401);
  });

  test('does not start with two session secrets', async () => {
    await using both = await startOneSignIn('oidc', { as: 'two processes' });
    const another = { CONTROL_PLANE_AUTH_STATE_SECRET: 'another secret, which is also longer than 32 bytes' };
    await expect(both.restart('integrity', another)).rejects.toThrow(
      'is not the secret with which the control plane on this store has started',
    );
  });
});
