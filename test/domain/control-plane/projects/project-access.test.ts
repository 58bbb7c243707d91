import { describe, expect, test } from 'vitest';
import {
  assertConsolePermission,
  assertOperator,
  authorizeProjectRead,
  definiteAnswer,
  type ProjectAuthority,
  type ProjectReader,
} from '../../../../src/domain/control-plane/projects/project-access.ts';
import { ServiceError } from '../../../../src/domain/errors.ts';

const missing = new ServiceError('unauthorized', 'There is no token.');
const withToken = { bearer: () => 'token' };
const withoutToken = {
  bearer: () => {
    throw missing;
  },
};

/** @param answer what the auth service says. */
function authority(answer: () => unknown = () => true) {
  const asked: unknown[][] = [];
  const allows: ProjectAuthority['allows'] = async (...question) => {
    asked.push(question);
    return answer() as boolean;
  };
  return { asked, allows };
}

describe('rule 1: a project of the console needs a bearer that the auth service authorizes', () => {
  test('it asks about the bound project with the bearer of the caller', async () => {
    const service = authority();
    await assertConsolePermission(service, withToken, 'console-7');
    expect(service.asked).toEqual([['token', 'view_project_data', { type: 'project', id: 'console-7' }]]);
  });

  test.each([
    ['the service denies', authority(() => false), withToken, 'console-7', 'forbidden'],
    ['the binding names no project', authority(), withToken, null, 'forbidden'],
    ['the caller has no bearer', authority(), withoutToken, 'console-7', 'unauthorized'],
    ['there is no auth service', null, withToken, 'console-7', 'unavailable'],
    ['there is neither', null, withoutToken, 'console-7', 'unavailable'],
  ])('it refuses if %s', async (_, service, reader, project, code) => {
    await expect(assertConsolePermission(service, reader, project)).rejects.toMatchObject({ code });
  });
});

describe('rule 2: a project of the operator is for administrators', () => {
  test('an administrator may read', () => {
    assertOperator({ role: 'admin' });
  });

  test('a member may not', () => {
    expect(() => assertOperator({ role: 'member' })).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});

describe('rule 3: only a definite yes allows', () => {
  test.each([true, false])('a definite %s is passed on', async (answer) => {
    expect(await definiteAnswer(async () => answer)).toBe(answer);
  });

  test.each([undefined, null, 1, 'true', {}])('%j is no', async (answer) => {
    expect(await definiteAnswer(async () => answer as never)).toBe(false);
  });

  test.each([
    new TypeError('fetch failed'),
    new ServiceError('internal', 'It broke.'),
    new ServiceError('unavailable', 'It is down.'),
  ])('the failure %s is an outage', async (failure) => {
    await expect(definiteAnswer(() => Promise.reject(failure))).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});

describe('the binding of a project decides', () => {
  const access = (kind: 'console' | 'operator' | undefined, service: ProjectAuthority | null = null) => ({
    bindingOf: async () => kind && { kind, consoleProjectId: kind === 'console' ? 'console-7' : null },
    authority: service,
  });
  const admin: ProjectReader = { role: 'admin', ...withoutToken };
  const member: ProjectReader = { role: 'member', ...withToken };
  const codeOf = async (...call: Parameters<typeof authorizeProjectRead>) =>
    await authorizeProjectRead(...call).then(
      () => 'allowed',
      (error) => error.code,
    );

  test.each(['operator', undefined] as const)(
    'a project bound as %s is an operator project',
    async (kind) => {
      const service = authority();
      expect(await codeOf(access(kind, service), admin, 'p')).toBe('allowed');
      expect(await codeOf(access(kind, service), member, 'p')).toBe('forbidden');
      expect(service.asked).toEqual([]);
    },
  );

  test('a project of the console ignores the role', async () => {
    expect(await codeOf(access('console', authority()), member, 'p')).toBe('allowed');
    expect(await codeOf(access('console', authority()), admin, 'p')).toBe('unauthorized');
    expect(await codeOf(access('console'), admin, 'p')).toBe('unavailable');
    const denied = authority(() => false);
    expect(await codeOf(access('console', denied), { ...member, role: 'admin' }, 'p')).toBe('forbidden');
  });
});
