import { describe, expect, test } from 'vitest';
import { askedGrants, type Resource, withAdministration } from '../../src/domain/access/asked-grants.ts';
import { claimedGrants, type Permission } from '../../src/domain/access/grants.ts';
import { type ProjectPage, ProjectSearch } from '../../src/domain/access/project-search.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import { CallerMemory } from '../../src/platform/tokens/caller-memory.ts';
import { stoppedClock } from '../access/clock.ts';

/** An authority that records its questions and their concurrency, and remembers as the service does. */
function authority(allowed: readonly string[], projects: readonly string[]) {
  const clock = stoppedClock();
  const memory = new CallerMemory((after) => pagesOf(projects, Number(after ?? 0)), clock.now);
  const asked: string[] = [];
  const fresh: string[] = [];
  let [running, most] = [0, 0];
  return {
    asked,
    fresh,
    most: () => most,
    pass: clock.pass,
    recent: () => memory.recent('ada'),
    remember: (project: string) => memory.remember('ada', project),
    search: (permission: Permission) => memory.search(permission),
    async allows(permission: Permission, { type, id }: Resource, isFresh = false) {
      asked.push(`${permission} ${type} ${id}`);
      if (isFresh) fresh.push(id);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (allowed.includes('nobody can tell')) throw new ServiceError('unavailable', 'Not now.');
      return allowed.includes(`${permission} ${type} ${id}`);
    },
  };
}

async function* pagesOf(projects: readonly string[], start: number): AsyncGenerator<ProjectPage> {
  for (let at = start; at === start || at < projects.length; at += 100)
    yield { after: at === 0 ? null : String(at), ids: projects.slice(at, at + 100) };
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
    expect(one.asked[0]).toBe('create_comments project *');
    expect(one.asked.length).toBeLessThan(20);
    expect(one.most()).toBe(8);
    const none = authority([], many);
    expect(await askedGrants(none, ['guild']).anywhere('create_comments')).toBe(false);
    expect(none.asked).toHaveLength(101);
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

  test.each(['project *', 'organization *'])(
    'for content outside projects are asked about %s without organisations in the claims',
    async (resource) => {
      const founder = askedGrants(authority([`create_projects ${resource}`], ['p']), []);
      expect(await founder.beyondProjects('create_projects')).toBe(true);
      expect(await founder.anywhere('create_projects')).toBe(true);
      expect(await founder.beyondProjects('apply_policies')).toBe(false);
    },
  );

  test('in one organisation are asked for that organisation alone', async () => {
    const guild = authority(
      ['apply_policies organization guild', 'view_project_data organization guild'],
      ['p'],
    );
    const grants = askedGrants(guild, ['guild']);
    expect(await grants.inOrganization('guild', 'apply_policies')).toBe(true);
    expect(await grants.inOrganization('other', 'apply_policies')).toBe(false);
    expect(await grants.inOrganization('guild', 'view_project_data')).toBe(false);
    expect(guild.asked).toEqual(['apply_policies organization guild', 'apply_policies organization other']);
    expect(await withAdministration(grants).inOrganization('other', 'apply_policies')).toBe(false);
  });

  test('make the viewable projects visible', async () => {
    const viewer = authority(['view_project_data project p1', 'view_project_data project p77'], many);
    expect(await askedGrants(viewer, []).visible()).toEqual({ projects: new Set(['p1', 'p77']) });
  });

  test('leave out no project', async () => {
    const projects = Array.from({ length: 120 }, (_, index) => `p${index}`);
    const viewer = authority(
      projects.map((id) => `view_project_data project ${id}`),
      projects,
    );
    expect(await askedGrants(viewer, []).visible()).toEqual({ projects: new Set(projects) });
    for (const only of projects) {
      const last = authority([`create_declarations project ${only}`], projects);
      expect(await askedGrants(last, []).anywhere('create_declarations'), only).toBe(true);
    }
  });

  test('are asked anew in a search, so that a search is never older than 30 seconds', async () => {
    const viewer = authority(['view_project_data project p1'], many);
    await askedGrants(viewer, []).visible();
    expect(viewer.fresh).toEqual(many);
    await askedGrants(viewer, []).on('p1', 'view_project_data');
    expect(viewer.fresh).toEqual(many);
  });

  test('for one project are asked for that project only', async () => {
    const viewer = authority(['view_project_data project p7'], many);
    const grants = askedGrants(viewer, []);
    expect(await grants.visible('p7')).toEqual({ projects: new Set(['p7']) });
    expect(await grants.visible('p8')).toEqual({ projects: new Set() });
    expect(viewer.asked).toEqual(['view_project_data project p7', 'view_project_data project p8']);
  });

  test('in any of 10,000 projects take at most 200 questions per request, and go on in the next one', async () => {
    const projects = Array.from({ length: 10_000 }, (_, index) => `p${index}`);
    const writer = authority(['create_comments project p9999'], projects);
    const grants = askedGrants(writer, []);
    const request = async () => {
      const before = writer.asked.length;
      const answer = await grants
        .anywhere('create_declarations', 'create_comments')
        .catch((error: ServiceError) => error);
      // Beside the two questions about all projects, which are remembered by the service.
      expect(writer.asked.length - before).toBeLessThanOrEqual(202);
      writer.pass(1_000);
      return answer;
    };
    expect(await request()).toMatchObject({
      code: 'unavailable',
      retryAfter: 1,
      message: expect.stringContaining('graph'),
    });
    for (let requests = 2; (await request()) !== true; requests += 1) expect(requests).toBeLessThan(100);
    const asked = async (milliseconds: number) => {
      const before = writer.asked.length;
      writer.pass(milliseconds);
      expect(await grants.anywhere('create_comments')).toBe(true);
      return writer.asked.slice(before);
    };
    expect(await asked(1_000)).toEqual([]);
    expect(await asked(30_000)).toEqual(['create_comments project p9999']);
  });

  test('are asked first about projects where the caller was allowed something before', async () => {
    const writer = authority(['view_project_data project p80', 'create_comments project p80'], many);
    const grants = askedGrants(writer, []);
    await grants.on('p80', 'view_project_data');
    expect(await grants.anywhere('create_comments')).toBe(true);
    expect(writer.asked).toEqual(['view_project_data project p80', 'create_comments project p80']);
  });

  test('for a list take at most 2,000 questions per request, and the list is complete and recent', async () => {
    const projects = Array.from({ length: 5_000 }, (_, index) => `p${index}`);
    const allowed = ['view_project_data project p1', 'view_project_data project p4999'];
    const viewer = authority(allowed, projects);
    const grants = askedGrants(viewer, []);
    for (const total of [2_000, 4_000]) {
      await expect(grants.visible()).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 });
      expect(viewer.asked).toHaveLength(total);
    }
    // Answers that are too old are asked again, so a permission that was withdrawn meanwhile does not count.
    viewer.pass(30_000);
    allowed.shift();
    expect(await grants.visible()).toEqual({ projects: new Set(['p4999']) });
    expect(viewer.asked).toHaveLength(5_001);
    // A finished search begins anew after half a minute.
    viewer.pass(30_000);
    await expect(grants.visible()).rejects.toMatchObject({ code: 'unavailable' });
    expect(viewer.asked).toHaveLength(7_001);
  });

  test('are searched once for concurrent requests, and new projects are noticed at once', async () => {
    const projects = [...many];
    const allowed = ['view_project_data project p1'];
    const viewer = authority(allowed, projects);
    const grants = askedGrants(viewer, []);
    await Promise.all([grants.visible(), grants.visible(), grants.visible()]);
    expect(viewer.asked).toHaveLength(100);
    projects.push('new');
    allowed.push('view_project_data project new');
    expect(await grants.visible()).toEqual({ projects: new Set(['p1', 'new']) });
    expect(viewer.asked).toHaveLength(101);
  });

  test('are unavailable if the search takes too long, and the next one goes on', async () => {
    let elapsed = 0;
    const projects = Array.from({ length: 250 }, (_, index) => `p${index}`);
    const asked: string[] = [];
    const search = new ProjectSearch((after) => pagesOf(projects, Number(after ?? 0)), {
      now: () => 0,
      elapsed: () => elapsed,
    });
    const ask = async (id: string) => {
      asked.push(id);
      elapsed += 100;
      return id === 'p249';
    };
    expect(await search.some(ask, 1_000)).toBe('unfinished');
    expect(asked.length).toBeLessThan(120);
    await expect(search.all(ask, 1_000)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 });
    expect(await search.some(ask, 1_000)).toBe('found');
    expect(asked).toEqual(projects);
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
