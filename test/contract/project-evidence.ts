import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { agentKeys, agents } from '../../src/domain/control-plane/agents/agents.ts';
import {
  type ProjectMembership,
  projectMemberships,
} from '../../src/domain/control-plane/gateway/project-records.ts';
import {
  identitiesIn,
  listProjectAgents,
  resolvedAgent,
} from '../../src/domain/control-plane/projects/evidence.ts';
import { agent, agentKey, membership } from '../builders/runtime-records.ts';

/** What every store makes of memberships. */
export function projectEvidenceContract(open: () => Promise<RecordStore & AsyncDisposable>): void {
  describe('evidence of memberships', () => {
    let store: RecordStore & AsyncDisposable;
    let project: string;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store[Symbol.asyncDispose]());

    const ports = () => ({
      memberships: store.of(projectMemberships),
      agents: store.of(agents),
      agentKeys: store.of(agentKeys),
    });

    /** A new project with these memberships, written as `[agent, DID]`. */
    async function newProject(...pairs: [agentId: string, did: string, more?: Partial<ProjectMembership>][]) {
      project = randomUUID();
      const records = pairs.map(([agentId, did, more]) => membership(project, agentId, did, more));
      await store.of(projectMemberships).insert(records);
    }

    async function newAgents(count: number): Promise<string[]> {
      const prefix = randomUUID();
      const ids = Array.from({ length: count }, (_, at) => `${prefix}-${String(at).padStart(3, '0')}`);
      await store.of(agents).insert(ids.map((id) => agent(id)));
      return ids;
    }

    async function pages(limit: number): Promise<string[][]> {
      const found: string[][] = [];
      for (let after: string | null | undefined = null; after !== undefined; ) {
        const page = await listProjectAgents(ports(), project, { after, limit });
        found.push(page.agents.map((one) => one.agent.id));
        after = page.next;
      }
      return found;
    }

    describe('rule 5: an agent and evidence of its membership must be known', () => {
      test('an agent is found by its id and by its DID', async () => {
        const [id = ''] = await newAgents(1);
        await newProject([id, 'did:key:a'], [id, 'did:key:b']);
        expect(await resolvedAgent(ports(), project, id)).toMatchObject({ agent: { id }, namedBy: null });
        for (const did of ['did:key:a', 'did:key:b'])
          expect(await resolvedAgent(ports(), project, did)).toMatchObject({ agent: { id }, namedBy: did });
      });

      test.each([
        ['expired', { validUntil: 1 }],
        ['not yet valid', { validFrom: Date.UTC(9000, 0) }],
        ['revoked', { status: 'revoked' }],
        ['invalid', { status: 'invalid' }],
      ])('%s evidence counts', async (_, more) => {
        const [id = ''] = await newAgents(1);
        await newProject([id, 'did:key:a', more]);
        expect((await resolvedAgent(ports(), project, id)).agent.id).toBe(id);
      });

      test('without evidence in this project, or without the agent, nothing is found', async () => {
        const [id = '', other = ''] = await newAgents(2);
        await newProject([other, 'did:key:other']);
        await newProject([id, 'did:key:a'], ['unknown', 'did:key:unknown']);
        for (const name of [other, 'did:key:other', 'unknown', 'did:key:unknown', 'nobody'])
          await expect(resolvedAgent(ports(), project, name)).rejects.toMatchObject({ code: 'not_found' });
      });

      test('a DID of several agents is refused, and their ids are not', async () => {
        const [one = '', other = ''] = await newAgents(2);
        await newProject([one, 'did:key:same'], [other, 'did:key:same']);
        await expect(resolvedAgent(ports(), project, 'did:key:same')).rejects.toMatchObject({
          code: 'conflict',
        });
        expect((await resolvedAgent(ports(), project, other)).agent.id).toBe(other);
      });
    });

    test('identities are those of the project, with the keys of their DIDs', async () => {
      const [id = ''] = await newAgents(1);
      await store
        .of(agentKeys)
        .insert(['did:key:a', 'did:key:b', 'did:key:c'].map((did, at) => agentKey(id, did, at)));
      await newProject([id, 'did:key:elsewhere']);
      await newProject([id, 'did:key:a'], [id, 'did:key:b']);
      const identities = await identitiesIn(ports(), project, await resolvedAgent(ports(), project, id));
      expect(identities.map(({ subjectDid, keys }) => [subjectDid, keys?.map(({ did }) => did)])).toEqual([
        ['did:key:a', ['did:key:a']],
        ['did:key:b', ['did:key:b']],
      ]);
    });

    describe('the list of agents', () => {
      test('has each agent once, however much evidence it has', async () => {
        const ids = await newAgents(7);
        const many = Array.from({ length: 600 }, (_, at) => [ids[3] ?? '', `did:key:${at % 2}`] as const);
        await newProject(
          ...ids.map((id) => [id, `did:key:${id}`] as [string, string]),
          ...many.map(([a, b]) => [a, b] as [string, string]),
        );
        for (const limit of [1, 2, 3, 100]) expect((await pages(limit)).flat()).toEqual(ids);
        expect((await pages(100)).length).toBeGreaterThan(1);
        const page = await listProjectAgents(ports(), project, { after: null, limit: 3 });
        expect(page.agents.at(-1)).toMatchObject({ subjectDids: [`did:key:${ids[2]}`] });
      });

      test('omits agents that are not known here, and those of other projects', async () => {
        const [one = '', other = ''] = await newAgents(2);
        await newProject([other, 'did:key:other']);
        await newProject([one, 'did:key:a'], ['unknown', 'did:key:unknown']);
        expect(await pages(1)).toEqual([[one], []]);
      });

      test('refuses the cursor of another project', async () => {
        const ids = await newAgents(2);
        const pairs = ids.map((id) => [id, 'did:key:a'] as [string, string]);
        await newProject(...pairs);
        const { next = '' } = await listProjectAgents(ports(), project, { after: null, limit: 1 });
        await newProject(...pairs);
        await expect(listProjectAgents(ports(), project, { after: next, limit: 1 })).rejects.toMatchObject({
          code: 'invalid_request',
        });
      });
    });
  });
}
