import { describe, expect, test } from 'vitest';
import {
  type AccessRule,
  anywhere,
  authorize,
  authorizeNewProject,
  authorizeOrganization,
  authorizeProject,
  developmentPrincipal,
  known,
  onNamedProject,
  onProject,
  type Principal,
} from '../../src/domain/access/access.ts';
import { everythingVisible } from '../../src/domain/access/visibility.ts';
import { principalWith as principal } from './principals.ts';

const name = 'PUT /things';
const rules: AccessRule[] = [
  known,
  anywhere('create_declarations', 'create_comments'),
  onProject('view_project_data'),
  onNamedProject('create_projects'),
];
const anybody = principal({});
const forbidden = { code: 'forbidden' };
const refusal = async (check: Promise<void>) => await expect(check).rejects.toMatchObject(forbidden);

describe('authorization before the body is read', () => {
  test.each(rules)('$scope', async (rule) => {
    const authorized = (caller: Principal) => authorize(caller, rule, name);
    await authorized(developmentPrincipal);
    if (rule === known) return await authorized(anybody);
    await refusal(authorized(anybody));
    await refusal(authorized(principal({ p: [] })));
    for (const permission of rule.permissions) {
      await authorized(principal({ p: [permission] }));
      await authorized(principal({ '*': [permission] }));
    }
    await refusal(authorized(principal({ p: ['apply_policies'] }, { o: ['apply_policies'] })));
  });

  test('writing needs another permission than reading', async () => {
    const reader = principal({ p: ['view_project_data'] });
    await authorize(reader, anywhere('view_project_data'), name);
    await expect(authorize(reader, anywhere('create_declarations', 'create_comments'), name)).rejects.toThrow(
      'create_declarations or create_comments',
    );
    await refusal(authorize(reader, anywhere('manage_configuration'), name));
  });
});

describe('authorization on a project', () => {
  const writer = principal({ mine: ['create_declarations'] });
  const may = (caller: Principal, project: string) => caller.grants.on(project, 'create_declarations');

  test('a permission applies to its project only', async () => {
    await authorizeProject(writer, 'create_declarations', 'mine');
    await refusal(authorizeProject(writer, 'create_declarations', 'yours'));
    await refusal(authorizeProject(writer, 'view_project_data', 'mine'));
  });

  test('a permission on all projects applies to each project', async () => {
    expect(await may(principal({ '*': ['create_declarations'] }), 'any')).toBe(true);
    expect(await may(principal({ '*': ['view_project_data'] }), 'any')).toBe(false);
  });

  test('a permission on one project does not apply to all', async () => {
    expect(await may(writer, '*')).toBe(false);
    expect((await writer.grants.visible()).projects).toEqual(new Set());
  });
});

describe('creating a project', () => {
  test('needs create_projects on all projects or from an organisation', async () => {
    await authorizeNewProject(principal({ '*': ['create_projects'] }));
    await authorizeNewProject(principal({}, { guild: ['create_projects'] }));
    await refusal(authorizeNewProject(principal({ mine: ['create_projects'] })));
    await refusal(authorizeNewProject(principal({ '*': ['create_declarations'] }, { guild: [] })));
  });

  test('is the only use of an organisation permission without a project', async () => {
    const member = principal({}, { guild: ['create_declarations', 'view_project_data', 'create_projects'] });
    await authorize(member, onNamedProject('create_projects', 'create_declarations'), name);
    await refusal(authorize(member, onProject('create_declarations'), name));
    await refusal(authorize(member, anywhere('view_project_data'), name));
    expect(await member.grants.on('guild', 'create_declarations')).toBe(false);
    expect(await member.grants.visible()).toEqual({ projects: new Set() });
  });
});

describe('authorization in an organisation', () => {
  const member = principal({}, { guild: ['apply_policies', 'view_project_data'], club: ['create_projects'] });

  test('a permission applies to its organisation only', async () => {
    await authorizeOrganization(member, 'apply_policies', 'guild');
    await refusal(authorizeOrganization(member, 'apply_policies', 'club'));
    await refusal(authorizeOrganization(member, 'apply_policies', 'toString'));
    await refusal(authorizeOrganization(principal({ guild: ['apply_policies'] }), 'apply_policies', 'guild'));
  });

  test('without an organisation any of them counts', async () => {
    await authorizeOrganization(member, 'apply_policies', null);
    await refusal(authorizeOrganization(principal({}, { club: [] }), 'apply_policies', null));
  });

  test('organisations grant no permission that belongs to projects', async () => {
    await refusal(authorizeOrganization(member, 'view_project_data', 'guild'));
  });

  test('a permission on all projects applies to every organisation', async () => {
    await authorizeOrganization(principal({ '*': ['apply_policies'] }), 'apply_policies', 'any');
    await authorizeOrganization(developmentPrincipal, 'apply_policies', 'any');
  });
});

describe('the visibility of lists', () => {
  test.each([
    ['nothing', anybody, { projects: new Set() }],
    [
      'the projects with that permission',
      principal({ a: ['view_project_data'], b: ['create_declarations'] }),
      { projects: new Set(['a']) },
    ],
    ['everything', principal({ '*': ['view_project_data'], a: [] }), everythingVisible],
    ['everything, in development', developmentPrincipal, everythingVisible],
    ['nothing for writers alone', principal({ '*': ['create_declarations'] }), { projects: new Set() }],
  ])('%s', async (_name, caller, visibility) => {
    expect(await caller.grants.visible()).toEqual(visibility);
  });
});

test('only without authentication can callers tell unknown graphs from forbidden ones', () => {
  expect(developmentPrincipal.mayProbe).toBe(true);
  expect(principal({ '*': ['create_declarations', 'view_project_data'] }).mayProbe).toBe(false);
});
