import { describe, expect, test } from 'vitest';
import { askedGrants, type Resource, withAdministration } from '../../src/domain/access/asked-grants.ts';
import { claimedGrants } from '../../src/domain/access/claimed-grants.ts';
import type { Permission } from '../../src/domain/access/permissions.ts';
import { ServiceError } from '../../src/domain/errors.ts';

/** An authority that records its questions and their concurrency. */
function authority(allowed: readonly string[], projects: readonly string[]) {
  const asked: string[] = [];
  let [running, most] = [0, 0];
  return {
    asked,
    most: () => most,
    projects: async () => projects,
    async allows(permission: Permission, { type, id }: Resource) {
      asked.push(`${permission} ${type} ${id}`);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (allowed.includes('nobody can tell')) throw new ServiceError('unavailable', 'Not now.');
      return allowed.includes(`${permission} ${type} ${id}`);
    },
  };
}

const many = Array.from({ length: 100 }, (_, index) => `p${index}`);

describe('grants of an authority', () => {
  test('are asked for the project itself, even if it is unknown', async () => {
    const grants = askedGrants(authority(['view_project_data project new'], ['p']), []);
    expect(await grants.on('new', 'view_project_data')).toBe(true);
    expect(await grants.on('p', 'view_project_data')).toBe(false);
    expect(grants.isOpenEnded).toBe(true);
  });

  test('in any project are searched in batches until one is found', async () => {
    const one = authority(['create_comments project p9'], many);
    expect(await askedGrants(one, []).anywhere('create_comments')).toBe(true);
    expect(one.asked.length).toBeLessThan(20);
    expect(one.most()).toBe(8);
    const none = authority([], many);
    expect(await askedGrants(none, ['guild']).anywhere('create_comments')).toBe(false);
    expect(none.asked).toHaveLength(100);
  });

  test('from organisations apply to content outside projects', async () => {
    const guild = authority(
      ['create_projects organization guild', 'view_project_data organization guild'],
      ['p'],
    );
    const grants = askedGrants(guild, ['other', 'guild']);
    expect(await grants.beyondProjects('create_projects')).toBe(true);
    expect(await grants.anywhere('create_projects')).toBe(true);
    expect(await grants.beyondProjects('view_project_data')).toBe(false);
    expect(await grants.anywhere('view_project_data')).toBe(false);
    expect(await askedGrants(guild, []).beyondProjects('create_projects')).toBe(false);
  });

  test('make the viewable projects visible', async () => {
    const viewer = authority(['view_project_data project p1', 'view_project_data project p77'], many);
    expect(await askedGrants(viewer, []).visible()).toEqual({ projects: new Set(['p1', 'p77']) });
  });

  test('are unavailable if the authority fails', async () => {
    const grants = withAdministration(askedGrants(authority(['nobody can tell'], ['p']), ['guild']));
    const unavailable = { code: 'unavailable' };
    await expect(grants.on('p', 'view_project_data')).rejects.toMatchObject(unavailable);
    await expect(grants.anywhere('view_project_data')).rejects.toMatchObject(unavailable);
    await expect(grants.beyondProjects('create_projects')).rejects.toMatchObject(unavailable);
    await expect(grants.visible()).rejects.toMatchObject(unavailable);
    expect(await grants.anywhere('manage_configuration')).toBe(true);
  });
});

describe('grants in claims', () => {
  const namespace = 'https://cairn.example';
  const read = (claims: Record<string, unknown>) =>
    claimedGrants(
      Object.fromEntries(Object.entries(claims).map(([name, value]) => [`${namespace}/${name}`, value])),
      namespace,
    );

  test('are empty and reported as a problem for a malformed claim', async () => {
    for (const permissions of ['all', 7, [], null, true]) {
      const { grants, problems } = read({ permissions });
      expect(await grants?.anywhere('view_project_data')).toBe(false);
      expect(problems).toEqual([
        `The claim ${namespace}/permissions is not an object, so it grants nothing.`,
      ]);
    }
    expect(read({ permissions: { a: 'all', b: [] } }).problems).toHaveLength(1);
  });

  test('are null without a permission claim', () => {
    expect(read({ organizations: { guild: [] } })).toEqual({
      grants: null,
      organizations: ['guild'],
      isAdmin: false,
      problems: [],
    });
    expect(read({ has_admin_access: true }).isAdmin).toBe(true);
    expect(read({ has_admin_access: 'true' }).isAdmin).toBe(false);
  });
});
