import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { Permission } from '../../../src/domain/access/grants.ts';
import { startAuthService } from '../../access/auth-service.ts';
import { startProvider } from '../../access/provider.ts';
import { json, oidcSettings, sendAs, tokenWith } from '../access-world.ts';
import { type Service, useService } from '../service.ts';

const provider = await startProvider();
const authority = await startAuthService();
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  await authority[Symbol.asyncDispose]();
});
const { namespace } = provider;

type Lists = Readonly<Record<string, readonly Permission[]>>;

interface Mode {
  readonly name: string;
  readonly service: Service;
  /** A token of a caller who may do this in these projects and organisations. */
  readonly token: (projects: Lists, organizations?: Lists) => Promise<string>;
}

const modes: Mode[] = [
  {
    name: 'oidc',
    service: useService(oidcSettings(provider)),
    token: (projects, organizations = {}) =>
      tokenWith(provider, projects, { [`${namespace}/organizations`]: organizations }),
  },
  {
    name: 'auth_service',
    service: useService({
      CAIRN_AUTH_MODE: 'auth_service',
      CAIRN_AUTH_SERVICE_BASE_URL: authority.url,
      CAIRN_CLAIM_NAMESPACE: namespace,
    }),
    async token(projects, organizations = {}) {
      const token = randomUUID();
      const member = Object.fromEntries(Object.keys(organizations).map((id) => [id, []]));
      authority.know(token, { sub: 'ada', claims: { [`${namespace}/organizations`]: member } });
      const rows = (type: 'project' | 'organization', lists: Lists) =>
        Object.entries(lists).flatMap(([id, granted]) =>
          granted.map((permission) => ({ permission, resource: { type, id } })),
        );
      authority.allow(token, ...rows('project', projects), ...rows('organization', organizations));
      return token;
    },
  },
];

describe.each(modes)('with CAIRN_AUTH_MODE=$name', ({ service, token }) => {
  const post = async (bearer: string, path: string, body: unknown) =>
    (await sendAs(service, bearer, { method: 'POST', path: `/gov/v1/${path}`, ...json(body) })).status;

  test('a subject that is a project needs apply_policies on that project', async () => {
    const id = randomUUID();
    const writer = await token({ [id]: ['apply_policies'] });
    expect(await post(writer, 'cid/subject', { id })).toBe(200);
    expect(await post(writer, 'cid/subject', { id: `urn:uuid:${id.toUpperCase()}` })).toBe(200);
    expect(await post(writer, 'cid/subject', { id: randomUUID() })).toBe(403);
    expect(await post(writer, 'cid/subject', { id: 'a model' })).toBe(403);
    expect(await post(await token({ [id]: ['create_declarations'] }), 'cid/subject', { id })).toBe(403);
  });

  test('an organisation does not permit what a project must permit', async () => {
    const member = await token({}, { guild: ['apply_policies'] });
    const id = randomUUID();
    for (const named of [id, `urn:uuid:${id}`, `URN:UUID:${id}`])
      expect(await post(member, 'cid/subject', { id: named, organizationId: 'guild' })).toBe(403);
  });

  test('any other subject needs apply_policies at its organisation', async () => {
    const member = await token({}, { guild: ['apply_policies'], club: ['create_projects'] });
    const at = (organizationId: string | null | undefined) =>
      post(member, 'cid/subject', { id: 'a model', organizationId });
    expect(await at('guild')).toBe(200);
    expect(await at('club')).toBe(403);
    expect(await at('elsewhere')).toBe(403);
  });

  test('a subject without project and organisation needs apply_policies in any organisation', async () => {
    const subject = { id: 'a model', organizationId: null };
    const member = await token({}, { club: [], guild: ['apply_policies'] });
    expect(await post(member, 'cid/subject', subject)).toBe(200);
    expect(await post(await token({}, { club: ['create_projects'] }), 'cid/subject', subject)).toBe(403);
  });

  test('a declaration needs create_declarations on its project, also to create the graph', async () => {
    const id = randomUUID();
    const writer = await token({ [id]: ['apply_policies', 'create_declarations'] });
    const subject = { method: 'POST', path: '/gov/v1/cid/subject', ...json({ id }) };
    const { text } = await sendAs(service, writer, subject);
    const declaration = { submittedAt: '2026-03-01T07:30:00Z', submittedBy: 'did:example:ada' };
    const declare = (bearer: string, project: string) =>
      post(bearer, `controls/declaration/${text}/${project}`, declaration);
    expect(await declare(await token({ [id]: ['create_projects', 'create_credentials'] }), id)).toBe(403);
    expect(await declare(writer, randomUUID())).toBe(403);
    expect(await declare(writer, id)).toBe(200);
  });

  test('a membership and a certificate each need their own permission on the project, and no other', async () => {
    const id = randomUUID();
    const founder = await token({ [id]: ['apply_policies', 'create_declarations'] });
    const sent = (path: string, body: unknown) =>
      sendAs(service, founder, { method: 'POST', path: `/gov/v1/${path}`, ...json(body) });
    const { text: subjectCid } = await sent('cid/subject', { id });
    const place = `${subjectCid}/${id}`;
    const declaration = { submittedAt: '2026-03-01T07:30:00Z', submittedBy: 'did:example:ada' };
    await sent(`controls/declaration/${place}`, declaration);
    const { policyCid } = (await sent('cid/policy', { policy: {} })).json;
    const expiryDate = '2999-12-31';
    const membership = { subjectDid: 'did:example:ada', expiryDate };
    const compliance = { subjectCid, policyCid, expiryDate };
    const statuses = async (permission: Permission, project = id) => {
      const bearer = await token({ [project]: [permission] });
      return [
        await post(bearer, `identity/membership/${id}`, membership),
        await post(bearer, `policy/compliance/${id}`, compliance),
      ];
    };
    expect(await statuses('create_agent_memberships')).toEqual([200, 403]);
    expect(await statuses('create_credentials')).toEqual([403, 200]);
    expect(await statuses('create_declarations')).toEqual([403, 403]);
    expect(await statuses('create_credentials', randomUUID())).toEqual([403, 403]);
  });

  test('a membership creates the graph of the project without further permissions', async () => {
    const id = randomUUID();
    const bearer = await token({ [id]: ['create_agent_memberships', 'view_project_data'] });
    const membership = { subjectDid: 'did:example:ada', expiryDate: '2999-12-31' };
    expect(await post(bearer, `identity/membership/${id}`, membership)).toBe(200);
    const shown = await sendAs(service, bearer, {
      method: 'GET',
      path: `/gov/v1/status/did:example:ada/${id}`,
    });
    expect(shown.json.certificates).toMatchObject([{ kind: 'membership', standing: 'valid' }]);
  });

  test('a policy manifest needs view_project_data on its project', async () => {
    const id = randomUUID();
    const viewer = await token({ [id]: ['create_declarations', 'view_project_data'] });
    const graph = json({ graph_id: id, name: 'the project', project_id: id });
    await sendAs(service, viewer, { method: 'PUT', path: '/graph/v1', ...graph });
    const policy = { method: 'POST', path: '/gov/v1/cid/policy', ...json({ policy: { id } }) };
    const { policyCid } = (await sendAs(service, viewer, policy)).json;
    const body = { policyCids: [policyCid] };
    expect(await post(viewer, `policy/manifest/${id}`, body)).toBe(200);
    expect(await post(viewer, `policy/manifest/${randomUUID()}`, body)).toBe(403);
    const writer = await token({ [id]: ['create_declarations'] });
    expect(await post(writer, `policy/manifest/${id}`, body)).toBe(403);
  });
});

test('the controls that somebody else adds to a policy are not in the manifests of a project', async () => {
  const [{ service }] = modes as [Mode];
  const [ours, theirs] = [randomUUID(), randomUUID()];
  const all = ['create_declarations', 'view_project_data', 'apply_policies'] as const;
  const owner = await tokenWith(provider, { [ours]: all });
  const claims = { sub: 'mallory', [`${namespace}/permissions`]: { [theirs]: all } };
  const stranger = await provider.accessToken({ claims });
  const post = async (bearer: string, path: string, body: unknown) =>
    (await sendAs(service, bearer, { method: 'POST', path: `/gov/v1/${path}`, ...json(body) })).json;
  const policy = { of: ours };
  await post(owner, 'cid/policy', { policy, controls: [{ good: 1 }] });
  const added = await post(stranger, 'cid/policy', { policy, controls: [{ bad: 1 }] });
  const manifest = await post(owner, `policy/manifest/${ours}`, {
    policyCids: [added.policyCid],
    includeBlobs: true,
  });
  expect(Object.keys(manifest.blobs)).toHaveLength(2);
  expect(Object.keys(manifest.blobs)).not.toContain(added.controlCids[0]);
});

describe('with CAIRN_BLOB_SCOPE=project', () => {
  const service = useService({ ...oidcSettings(provider), CAIRN_BLOB_SCOPE: 'project' });

  test('a policy of others is unknown to a project that does not use it', async () => {
    const [ours, theirs] = [randomUUID(), randomUUID()];
    const all = ['apply_policies', 'create_declarations', 'view_project_data'] as const;
    const owner = await tokenWith(provider, { [theirs]: all });
    const other = await provider.accessToken({
      claims: { sub: 'bob', [`${namespace}/permissions`]: { [ours]: all } },
    });
    const post = (bearer: string, path: string, body: unknown) =>
      sendAs(service, bearer, { method: 'POST', path: `/gov/v1/${path}`, ...json(body) });
    const policy = { policy: { of: theirs }, controls: [{ of: theirs }] };
    const { policyCid, controlCids } = (await post(owner, 'cid/policy', policy)).json;
    const manifest = (bearer: string, project: string) =>
      post(bearer, `policy/manifest/${project}`, { policyCids: [policyCid], includeBlobs: true });
    expect((await manifest(owner, theirs)).status).toBe(200);
    expect((await manifest(other, ours)).status).toBe(400);
    const { text: subject } = await post(other, 'cid/subject', { id: ours });
    const declaration = {
      submittedAt: '2026-03-01T07:30:00Z',
      submittedBy: 'did:example:bob',
      controlCid: controlCids,
    };
    expect((await post(other, `controls/declaration/${subject}/${ours}`, declaration)).status).toBe(200);
    const { blobs } = (await manifest(other, ours)).json;
    expect(Object.keys(blobs)).toEqual(expect.arrayContaining([policyCid, ...controlCids, subject]));
  });
});
