import { beforeAll, describe, expect, test } from 'vitest';
import type { AuthFailure } from '../../../access/auth-service.ts';
import { askingAuthService, useProjectPlane } from './project-plane.ts';
import { projectReads, type Seeded, seed } from './seeded.ts';

const bindings = ['console', 'operator', null] as const;

async function seedAll(plane: ReturnType<typeof useProjectPlane>) {
  return {
    console: await seed(plane.store, 'console'),
    operator: await seed(plane.store, 'operator'),
    unbound: await seed(plane.store),
  };
}

const grantOn = ({ project }: Seeded, permission = 'view_project_data') => ({
  permission,
  resource: { type: 'project', id: `console-${project}` },
});

describe('with an auth service', () => {
  const plane = useProjectPlane();
  let seeded: Awaited<ReturnType<typeof seedAll>>;
  beforeAll(async () => {
    seeded = await seedAll(plane);
    plane.authService.know('granted', { sub: 'granted', claims: {} });
    plane.authService.allow('granted', grantOn(seeded.console));
    plane.authService.know('other', { sub: 'other', claims: {} });
    plane.authService.allow(
      'other',
      grantOn(seeded.operator),
      grantOn(seeded.console, 'create_declarations'),
      { permission: 'view_project_data', resource: { type: 'project', id: seeded.console.project } },
    );
  });

  /** What each caller is answered about a project of the console, of the operator, and without a binding. */
  const callers: Record<string, { token: string | null; answers: readonly [number, number, number] }> = {
    'no token': { token: null, answers: [401, 401, 401] },
    'an unknown token': { token: 'unknown', answers: [401, 401, 401] },
    'a member': { token: 'member', answers: [403, 403, 403] },
    'an administrator': { token: 'admin', answers: [403, 200, 200] },
    'a member with the permission': { token: 'granted', answers: [200, 403, 403] },
    'a member with another permission': { token: 'other', answers: [403, 403, 403] },
  };

  describe.each(projectReads)('%s', (operation) => {
    test.each(Object.keys(callers))('with %s', async (name) => {
      const { token = null, answers = [] } = callers[name] ?? {};
      const got: number[] = [];
      for (const { paths } of [seeded.console, seeded.operator, seeded.unbound])
        got.push((await plane.get(paths[operation] ?? '', token)).status);
      expect(got).toEqual(answers);
    });

    test.each<AuthFailure>(['status-500', 'reset', 'malformed'])(
      'while the auth service fails: %s',
      async (failure) => {
        await plane.get(seeded.console.paths[operation] ?? '', 'granted');
        plane.authService.fail(failure, 'authorize');
        const answer = await plane.get(seeded.console.paths[operation] ?? '', 'granted');
        const operator = await plane.get(seeded.operator.paths[operation] ?? '');
        plane.authService.fail(undefined);
        expect([answer.status, answer.json.code, answer.headers.get('retry-after')]).toEqual([
          503,
          'unavailable',
          '2',
        ]);
        expect(operator.status).toBe(200);
      },
    );
  });

  const [list = ''] = projectReads;

  test('a permission that is withdrawn ends at once', async () => {
    const path = seeded.console.paths[list] ?? '';
    plane.authService.know('leaving', { sub: 'leaving', claims: {} });
    plane.authService.allow('leaving', grantOn(seeded.console));
    expect((await plane.get(path, 'leaving')).status).toBe(200);
    plane.authService.allow('leaving');
    expect((await plane.get(path, 'leaving')).status).toBe(403);
  });

  test('an auth service that is down is an outage', async () => {
    await plane.get(seeded.console.paths[list] ?? '', 'granted');
    await plane.authService.stop();
    const answer = await plane.get(seeded.console.paths[list] ?? '', 'granted');
    await plane.authService.start();
    expect(answer.status).toBe(503);
  });
});

describe.each(bindings)('without authentication, a project bound to %s', (binding) => {
  const asking = useProjectPlane(({ url }) => ({ CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL: url }));
  const alone = useProjectPlane(() => ({}));

  test('every read', async () => {
    const [here, there] = [await seed(asking.store, binding), await seed(alone.store, binding)];
    if (binding === 'console') asking.authService.allow('member', grantOn(here));
    const statuses = async (plane: typeof asking, { paths }: Seeded, token: string | null) => {
      const got = new Set<number>();
      for (const read of projectReads) got.add((await plane.get(paths[read] ?? '', token)).status);
      return [...got];
    };
    const isConsole = binding === 'console';
    expect({
      noToken: await statuses(asking, here, null),
      denied: await statuses(asking, here, 'admin'),
      allowed: await statuses(asking, here, 'member'),
      noAuthService: await statuses(alone, there, 'member'),
      neither: await statuses(alone, there, null),
    }).toEqual({
      noToken: [isConsole ? 401 : 200],
      denied: [isConsole ? 403 : 200],
      allowed: [200],
      noAuthService: [isConsole ? 503 : 200],
      neither: [isConsole ? 503 : 200],
    });
  });
});

describe('the address of the auth service', () => {
  const plane = useProjectPlane((service) => ({
    ...askingAuthService(service),
    CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL: 'http://127.0.0.1:9',
  }));

  test('that of bearer tokens comes first', async () => {
    const seeded = await seed(plane.store, 'console');
    plane.authService.allow('member', grantOn(seeded));
    const [list = ''] = projectReads;
    expect((await plane.get(seeded.paths[list] ?? '', 'member')).status).toBe(200);
  });
});
