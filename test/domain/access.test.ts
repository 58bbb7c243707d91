import { describe, expect, test } from 'vitest';
import {
  authorize,
  authorizeProject,
  developmentPrincipal,
  everythingVisible,
  has,
  mayProbe,
  type Operation,
  operations,
  type Permission,
  type Principal,
  visibilityOf,
} from '../../src/domain/access.ts';

function principal(grants: Readonly<Record<string, readonly Permission[]>>): Principal {
  const map = new Map(
    Object.entries(grants).map(([project, permissions]) => [project, new Set(permissions)]),
  );
  return { issuer: 'https://idp.example', subject: 'one', grants: map };
}

const names = Object.keys(operations) as Operation[];
const nobody = principal({});
const forbidden = expect.objectContaining({ code: 'forbidden' });

describe('the check before a body is read', () => {
  test.each(names)('%s', (operation) => {
    const rule = operations[operation];
    expect(() => authorize(developmentPrincipal, operation)).not.toThrow();
    if (!('permissions' in rule)) {
      expect(() => authorize(nobody, operation)).not.toThrow();
      return;
    }
    expect(() => authorize(nobody, operation)).toThrow(forbidden);
    expect(() => authorize(principal({ p: [] }), operation)).toThrow(forbidden);
    for (const permission of rule.permissions) {
      expect(() => authorize(principal({ p: [permission] }), operation)).not.toThrow();
      expect(() => authorize(principal({ '*': [permission] }), operation)).not.toThrow();
    }
    const other = rule.permissions.includes('apply_policies') ? 'create_comments' : 'apply_policies';
    expect(() => authorize(principal({ p: [other] }), operation)).toThrow(forbidden);
  });

  test('writing needs more than reading', () => {
    const reader = principal({ p: ['view_project_data'] });
    expect(() => authorize(reader, 'GET /store/v1/blob/{cid}')).not.toThrow();
    expect(() => authorize(reader, 'PUT /store/v1/blob')).toThrow('create_declarations or create_comments');
    expect(() => authorize(reader, 'PUT /dynamic-config/v1')).toThrow(forbidden);
  });
});

describe('the check once the project is known', () => {
  const writer = principal({ mine: ['create_declarations'] });

  test('counts in that project alone', () => {
    expect(() => authorizeProject(writer, 'create_declarations', 'mine')).not.toThrow();
    expect(() => authorizeProject(writer, 'create_declarations', 'yours')).toThrow(forbidden);
    expect(() => authorizeProject(writer, 'view_project_data', 'mine')).toThrow(forbidden);
  });

  test('a permission for all projects counts in each', () => {
    expect(has(principal({ '*': ['create_declarations'] }), 'create_declarations', 'any')).toBe(true);
    expect(has(principal({ '*': ['view_project_data'] }), 'create_declarations', 'any')).toBe(false);
  });

  test('a permission in one project is none for all', () => {
    expect(has(writer, 'create_declarations', '*')).toBe(false);
  });
});

describe('what lists may show', () => {
  test.each([
    ['nothing', nobody, { projects: new Set() }],
    [
      'the projects with that permission',
      principal({ a: ['view_project_data'], b: ['create_declarations'] }),
      { projects: new Set(['a']) },
    ],
    ['everything', principal({ '*': ['view_project_data'], a: [] }), everythingVisible],
    ['everything, in development', developmentPrincipal, everythingVisible],
    ['nothing for writers alone', principal({ '*': ['create_declarations'] }), { projects: new Set() }],
  ])('%s', (_name, caller, visibility) => {
    expect(visibilityOf(caller)).toEqual(visibility);
  });
});

test('only in development may one tell the unknown from the forbidden', () => {
  expect(mayProbe(developmentPrincipal)).toBe(true);
  expect(mayProbe(principal({ '*': ['create_declarations', 'view_project_data'] }))).toBe(false);
});
