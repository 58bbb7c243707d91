import { describe, expect, test } from 'vitest';
import {
  type AccessRule,
  anywhere,
  authorize,
  authorizeNewProject,
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

describe('the check before a body is read', () => {
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

  test('writing needs more than reading', async () => {
    const reader = principal({ p: ['view_project_data'] });
    await authorize(reader, anywhere('view_project_data'), name);
    await expect(authorize(reader, anywhere('create_declarations', 'create_comments'), name)).rejects.toThrow(
      'create_declarations or create_comments',
    );
    await refusal(authorize(reader, anywhere('manage_configuration'), name));
  });
});

describe('the check once the project is known', () => {
  const writer = principal({ mine: ['create_declarations'] });
  const may = (caller: Principal, project: string) => caller.grants.on(project, 'create_declarations');

  test('counts in that project alone', async () => {
    await authorizeProject(writer, 'create_declarations', 'mine');
    await refusal(authorizeProject(writer, 'create_declarations', 'yours'));
    await refusal(authorizeProject(writer, 'view_project_data', 'mine'));
  });

  test('a permission for all projects counts in each', async () => {
    expect(await may(principal({ '*': ['create_declarations'] }), 'any')).toBe(true);
    expect(await may(principal({ '*': ['view_project_data'] }), 'any')).toBe(false);
  });

  test('a permission in one project is none for all', async () => {
    expect(await may(writer, '*')).toBe(false);
    expect((await writer.grants.visible()).projects).toEqual(new Set());
  });
});

describe('new projects', () => {
  test('are made by who may do that everywhere, or in an organisation', async () => {
    await authorizeNewProject(principal({ '*': ['create_projects'] }));
    await authorizeNewProject(principal({}, { guild: ['create_projects'] }));
    await refusal(authorizeNewProject(principal({ mine: ['create_projects'] })));
    await refusal(authorizeNewProject(principal({ '*': ['create_declarations'] }, { guild: [] })));
  });

  test('are the only thing for which a permission in an organisation counts without a project', async () => {
    const member = principal({}, { guild: ['create_declarations', 'view_project_data', 'create_projects'] });
    await authorize(member, onNamedProject('create_projects', 'create_declarations'), name);
    await refusal(authorize(member, onProject('create_declarations'), name));
    await refusal(authorize(member, anywhere('view_project_data'), name));
    expect(await member.grants.on('guild', 'create_declarations')).toBe(false);
    expect(await member.grants.visible()).toEqual({ projects: new Set() });
  });
});

describe('what lists may show', () => {
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

test('only in development may one tell the unknown from the forbidden', () => {
  expect(developmentPrincipal.mayProbe).toBe(true);
  expect(principal({ '*': ['create_declarations', 'view_project_data'] }).mayProbe).toBe(false);
});
