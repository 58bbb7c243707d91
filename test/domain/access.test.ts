import { describe, expect, test } from 'vitest';
import {
  authorize,
  authorizeNewProject,
  authorizeProject,
  developmentPrincipal,
  isPublic,
  nobody,
  type Operation,
  operations,
  type Principal,
} from '../../src/domain/access/access.ts';
import { everythingVisible } from '../../src/domain/access/visibility.ts';
import { principalWith as principal } from './principals.ts';

const names = Object.keys(operations) as Operation[];
const anybody = principal({});
const forbidden = { code: 'forbidden' };
const refusal = async (check: Promise<void>) => await expect(check).rejects.toMatchObject(forbidden);

describe('the check before a body is read', () => {
  test.each(names)('%s', async (operation) => {
    const rule = operations[operation];
    await authorize(developmentPrincipal, operation);
    if (isPublic(operation)) await authorize(nobody, operation);
    else await expect(authorize(nobody, operation)).rejects.toMatchObject({ code: 'unauthorized' });
    if (!('permissions' in rule)) return await authorize(anybody, operation);
    await refusal(authorize(anybody, operation));
    await refusal(authorize(principal({ p: [] }), operation));
    for (const permission of rule.permissions) {
      await authorize(principal({ p: [permission] }), operation);
      await authorize(principal({ '*': [permission] }), operation);
    }
    await refusal(authorize(principal({ p: ['apply_policies'] }, { o: ['apply_policies'] }), operation));
  });

  test('writing needs more than reading', async () => {
    const reader = principal({ p: ['view_project_data'] });
    await authorize(reader, 'GET /store/v1/blob/{cid}');
    await expect(authorize(reader, 'PUT /store/v1/blob')).rejects.toThrow(
      'create_declarations or create_comments',
    );
    await refusal(authorize(reader, 'PUT /dynamic-config/v1'));
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
    await authorize(member, 'PUT /graph/v1');
    await refusal(authorize(member, 'PUT /statements/v1'));
    await refusal(authorize(member, 'GET /store/v1/blob/{cid}'));
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
