import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallerName } from '../../src/domain/access/access.ts';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { eachRecord } from '../../src/domain/collections/records.ts';
import { agentNames } from '../../src/domain/control-plane/agents/agent-names.ts';
import {
  agentBindings,
  agentKeys,
  agentStatusEvents,
  agents,
} from '../../src/domain/control-plane/agents/agents.ts';
import { changeState, endBinding, handOver } from '../../src/domain/control-plane/agents/changes.ts';
import { registerAgent } from '../../src/domain/control-plane/agents/registration.ts';
import {
  mintRegistration,
  registrationTokens,
} from '../../src/domain/control-plane/agents/registration-tokens.ts';
import { users } from '../../src/domain/control-plane/users.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import { newUser } from './users.ts';

/** How agents register and change in every store, also when processes stop in the middle. */
export function agentsContract(open: () => Promise<RecordStore & AsyncDisposable>): void {
  describe('agents', () => {
    let store: RecordStore & AsyncDisposable;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store[Symbol.asyncDispose]());

    const admin = { issuer: 'https://issuer.example', subject: 'an administrator' };
    let clock = 1_000;

    function ports(ending: (work: () => Promise<never>) => Promise<never> = (work) => work()) {
      return {
        agents: ended(store.of(agents), ending),
        agentKeys: ended(store.of(agentKeys), ending),
        agentBindings: ended(store.of(agentBindings), ending),
        agentStatusEvents: ended(store.of(agentStatusEvents), ending),
        registrationTokens: ended(store.of(registrationTokens), ending),
        users: store.of(users),
        newId: randomUUID,
        now: () => new Date(clock++),
      };
    }

    /** A process that ends at a certain write: that one and all later ones fail. */
    function endingAfter(writes: number) {
      let left = writes;
      return ports(async (work) => {
        left -= 1;
        if (left < 0) throw new Error('The process has ended.');
        return await work();
      });
    }

    const newOwner = () => ({ issuer: 'https://issuer.example', subject: randomUUID() });
    const mint = (
      owner: { issuer: string; subject: string } = newOwner(),
      handle: string | null = 'build',
      by: ReturnType<typeof ports> = ports(),
    ) =>
      mintRegistration(by, {
        issuer: owner.issuer,
        subject: owner.subject,
        name: 'Build agent',
        handle,
      });
    const register = (jti: string, did: string, by = ports()) => registerAgent(by, jti, did);
    const change = (id: string, state: 'active' | 'revoked', by = ports()) =>
      changeState(by, id, { state, actor: admin, reason: null });
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        (error: unknown) => (error instanceof ServiceError ? error.code : Promise.reject(error)),
      );

    /** Everything about an agent, after a check that its parts agree. */
    async function whole(id: string) {
      const agent = await store.of(agents).get(id);
      const keys = await Array.fromAsync(eachRecord(store.of(agentKeys), 'byAgent', [id]));
      const bindings = await Array.fromAsync(eachRecord(store.of(agentBindings), 'byAgent', [id]));
      const events = await Array.fromAsync(eachRecord(store.of(agentStatusEvents), 'byAgent', [id]));
      const current = keys.filter(({ retiredAt }) => retiredAt === null);
      expect(current.map(({ did }) => did)).toEqual(agent ? [agent.did] : []);
      const active = bindings.filter(({ state }) => state === 'active');
      expect(active.map(({ issuer, subject }) => [issuer, subject])).toEqual(
        agent ? [[agent.issuer, agent.subject]] : [],
      );
      const versions = Array.from({ length: agent?.version ?? 0 }, (_, at) => at + 1).reverse();
      expect(events.map(({ version }) => version)).toEqual(versions);
      return { agent, keys, bindings, events: events.map(({ event }) => event).reverse() };
    }

    test('a registration creates the agent, its key, its binding and an event', async () => {
      const token = await mint();
      await register(token.jti, 'did:key:one');
      const { agent, events } = await whole(token.agentId);
      const { issuer, subject } = token;
      expect(agent).toMatchObject({ issuer, subject, handle: 'build', did: 'did:key:one', state: 'active' });
      expect(events).toEqual(['registered']);
    });

    test('an agent is named by its DID to its owner and to administrators only', async () => {
      const [owner, member, boss] = [newOwner(), newUser(), newUser({ role: 'admin' })];
      await store.of(users).insert([member, boss]);
      const did = `did:key:${randomUUID()}`;
      const { jti, agentId } = await mint(owner, null);
      await register(jti, did);
      const naming = { ...ports(), users: store.of(users) };
      const named = (viewer: CallerName) => agentNames(naming, [did, 'did:web:nobody'], viewer);
      const name = new Map([[did, 'Build agent']]);
      expect(await named(owner)).toEqual(name);
      expect(await named(boss)).toEqual(name);
      expect(await named({ issuer: 'disabled', subject: 'development' })).toEqual(name);
      for (const other of [member, newOwner()]) expect(await named(other)).toEqual(new Map());
      const binding = { agentId, id: `${agentId}:1` };
      await handOver(ports(), binding, { userId: member.id, actor: admin, reason: null });
      expect(await named(owner)).toEqual(new Map());
      expect(await named(member)).toEqual(name);
    });

    test('a token registers once', async () => {
      const { jti, agentId } = await mint();
      await register(jti, 'did:key:one');
      for (const did of ['did:key:one', 'did:key:two'])
        await expect(register(jti, did)).rejects.toThrow('was used already');
      expect((await whole(agentId)).events).toEqual(['registered']);
      await expect(register(randomUUID(), 'did:key:one')).rejects.toThrow('is unknown');
    });

    test.each([
      ['by different agents', (at: number) => `did:key:${at}`],
      ['by the same agent', () => 'did:key:one'],
    ])('a token used several times at once %s registers once', async (_, didOf) => {
      const { jti, agentId } = await mint();
      const uses = Array.from({ length: 8 }, (_, at) => codeOf(register(jti, didOf(at))));
      expect((await Promise.all(uses)).toSorted()).toEqual(['done', ...Array(7).fill('unauthorized')]);
      expect((await whole(agentId)).events).toEqual(['registered']);
    });

    test('a later token voids the earlier ones of the same agent only', async () => {
      const owner = newOwner();
      const [first, other, second] = [await mint(owner), await mint(owner, 'other'), await mint(owner)];
      expect(second.agentId).toBe(first.agentId);
      await expect(register(first.jti, 'did:key:one')).rejects.toThrow('is void');
      await register(second.jti, 'did:key:two');
      await register(other.jti, 'did:key:other');
      expect((await whole(first.agentId)).agent?.did).toBe('did:key:two');
    });

    test('a token is void as soon as a later one is stored, also if its process stops then', async () => {
      const owner = newOwner();
      const first = await mint(owner);
      await expect(mint(owner, 'build', endingAfter(1))).rejects.toThrow('The process has ended.');
      await expect(register(first.jti, 'did:key:one')).rejects.toThrow('is void');
      const third = await mint(owner);
      const tokens = store.of(registrationTokens);
      const { records } = await tokens.page('byAgent', [first.agentId], { after: null, limit: 10 });
      // A process of the version before knows only these marks.
      expect(records.map(({ jti, voidedAt }) => [jti === third.jti, voidedAt === null])).toEqual([
        [false, false],
        [false, false],
        [true, true],
      ]);
      await register(third.jti, 'did:key:three');
    });

    test('minting costs the same however many tokens there are for the agent', async () => {
      const owner = newOwner();
      let calls = 0;
      const counting = ports();
      const counted = {
        ...counting,
        registrationTokens: new Proxy(counting.registrationTokens, {
          get: (target, name) => {
            calls += 1;
            return Reflect.get(target, name);
          },
        }),
      };
      const costs: number[] = [];
      for (let at = 0; at < 12; at += 1) {
        await mint(owner, 'build', counted);
        costs.push(calls);
        calls = 0;
      }
      expect(costs.slice(2)).toEqual(Array(10).fill(costs[2]));
    });

    test('of tokens minted at once for an agent one counts', async () => {
      const owner = newOwner();
      const minted = await Promise.all(Array.from({ length: 6 }, () => mint(owner)));
      const codes = await Promise.all(minted.map(({ jti }, at) => codeOf(register(jti, `did:key:${at}`))));
      expect(codes.filter((code) => code === 'done')).toHaveLength(1);
    });

    test('registering again replaces the key', async () => {
      const owner = newOwner();
      const { agentId } = await mint(owner);
      for (const did of ['did:key:one', 'did:key:two', 'did:key:one'])
        await register((await mint(owner)).jti, did);
      const { keys, events } = await whole(agentId);
      expect(keys.map(({ did, retiredAt }) => [did, retiredAt !== null])).toEqual([
        ['did:key:one', false],
        ['did:key:two', true],
        ['did:key:one', true],
      ]);
      expect(events).toEqual(['registered', 'registered_again', 'registered_again']);
    });

    test('revoking and restoring add one event each, and nothing when nothing changes', async () => {
      const { jti, agentId } = await mint();
      await register(jti, 'did:key:one');
      for (const state of ['active', 'revoked', 'revoked', 'active', 'active'] as const) {
        expect((await change(agentId, state)).state).toBe(state);
        expect((await store.of(agents).get(agentId))?.state).toBe(state);
      }
      expect((await whole(agentId)).events).toEqual(['registered', 'revoked', 'restored']);
      await expect(change('agent_none', 'revoked')).rejects.toMatchObject({ code: 'not_found' });
    });

    test('a revocation by many at once adds one event', async () => {
      const { jti, agentId } = await mint();
      await register(jti, 'did:key:one');
      await Promise.all(Array.from({ length: 8 }, () => change(agentId, 'revoked')));
      expect((await whole(agentId)).events).toEqual(['registered', 'revoked']);
    });

    test('a revoked agent registers nothing, and its token counts once it is restored', async () => {
      const owner = newOwner();
      const first = await mint(owner);
      await register(first.jti, 'did:key:one');
      await change(first.agentId, 'revoked');
      const second = await mint(owner);
      await expect(register(second.jti, 'did:key:two')).rejects.toMatchObject({ code: 'agent_revoked' });
      expect((await whole(first.agentId)).agent).toMatchObject({ state: 'revoked', did: 'did:key:one' });
      await change(first.agentId, 'active');
      await register(second.jti, 'did:key:two');
      expect((await whole(first.agentId)).agent).toMatchObject({ state: 'active', did: 'did:key:two' });
    });

    /** A process that others overtake just before it changes an agent for the first time. */
    function overtaken(others: () => Promise<unknown>) {
      const normal = ports();
      let isFirst = true;
      const update: typeof normal.agents.update = async (...change) => {
        if (isFirst) {
          isFirst = false;
          await others();
        }
        return await normal.agents.update(...change);
      };
      return { ...normal, agents: { ...normal.agents, update } };
    }

    test('a registration that a revocation overtakes registers nothing', async () => {
      const owner = newOwner();
      const { jti, agentId } = await mint(owner);
      await register(jti, 'did:key:one');
      const slow = overtaken(() => change(agentId, 'revoked'));
      const late = register((await mint(owner)).jti, 'did:key:two', slow);
      await expect(late).rejects.toMatchObject({ code: 'agent_revoked' });
      const { agent, events } = await whole(agentId);
      expect(agent).toMatchObject({ state: 'revoked', did: 'did:key:one' });
      expect(events).toEqual(['registered', 'revoked']);
    });

    test('a registration that a later one overtakes is refused', async () => {
      const owner = newOwner();
      const { jti, agentId } = await mint(owner);
      await register(jti, 'did:key:one');
      const slow = overtaken(async () => register((await mint(owner)).jti, 'did:key:later'));
      await expect(register((await mint(owner)).jti, 'did:key:slow', slow)).rejects.toThrow('is void');
      expect((await whole(agentId)).agent?.did).toBe('did:key:later');
    });

    test('a revocation that a registration overtakes revokes all the same', async () => {
      const owner = newOwner();
      const { jti, agentId } = await mint(owner);
      await register(jti, 'did:key:one');
      const slow = overtaken(async () => register((await mint(owner)).jti, 'did:key:two'));
      await change(agentId, 'revoked', slow);
      const { agent, events } = await whole(agentId);
      expect(agent).toMatchObject({ state: 'revoked', did: 'did:key:two' });
      expect(events).toEqual(['registered', 'registered_again', 'revoked']);
    });

    test('a token for the agent of somebody else registers nothing', async () => {
      const { jti, agentId } = await mint();
      await register(jti, 'did:key:one');
      const token = await mint();
      const forged = { ...token, jti: randomUUID(), agentId };
      await store.of(registrationTokens).insert([forged]);
      await expect(register(forged.jti, 'did:key:two')).rejects.toThrow('of somebody else');
      expect((await whole(agentId)).agent?.did).toBe('did:key:one');
    });

    /** Registers an agent of a user. */
    async function agentOfUser() {
      const [owner, heir] = [newUser(), newUser()];
      await store.of(users).insert([owner, heir]);
      const { jti, agentId } = await mint(owner);
      await register(jti, 'did:key:one');
      return { owner, heir, agentId, binding: { agentId, id: `${agentId}:1` } };
    }
    const to = ({ id: userId }: { id: string }) => ({ userId, actor: admin, reason: null });

    test('an agent that is handed over has the binding of the new user only, also after a repeat', async () => {
      const { owner, heir, agentId, binding } = await agentOfUser();
      await handOver(ports(), binding, to(heir));
      const { agent, bindings, events } = await whole(agentId);
      expect(agent).toMatchObject({ issuer: heir.issuer, subject: heir.subject, did: 'did:key:one' });
      expect(bindings.map(({ state, endedAt }) => [state, endedAt !== null])).toEqual([
        ['ended', true],
        ['active', false],
      ]);
      expect(events).toEqual(['registered', 'handed_over']);
      for (const id of [binding.id, `${agentId}:2`]) await handOver(ports(), { agentId, id }, to(heir));
      expect((await whole(agentId)).events).toEqual(events);
      await expect(register((await mint(owner)).jti, 'did:key:two')).rejects.toThrow('of somebody else');
    });

    test('an ended binding registers nothing, and the agent can be handed over by it', async () => {
      const { owner, heir, agentId, binding } = await agentOfUser();
      for (let time = 0; time < 2; time += 1) await endBinding(ports(), binding);
      await expect(register((await mint(owner)).jti, 'did:key:two')).rejects.toThrow('of somebody else');
      await handOver(ports(), binding, to(heir));
      expect((await whole(agentId)).bindings).toHaveLength(2);
    });

    test('an agent is not handed over to unknown or disabled users, or by the binding of another agent', async () => {
      const [one, other] = [await agentOfUser(), await agentOfUser()];
      const disabled = newUser({ disabled: true });
      await store.of(users).insert([disabled]);
      await expect(handOver(ports(), one.binding, to(disabled))).rejects.toMatchObject({ code: 'forbidden' });
      await expect(handOver(ports(), one.binding, to({ id: randomUUID() }))).rejects.toMatchObject({
        code: 'invalid_request',
      });
      const mixed = { ...one.binding, id: other.binding.id };
      await expect(handOver(ports(), mixed, to(one.heir))).rejects.toMatchObject({ code: 'not_found' });
      await expect(endBinding(ports(), mixed)).rejects.toMatchObject({ code: 'not_found' });
      expect((await whole(one.agentId)).events).toEqual(['registered']);
    });

    test('a process may stop after any step of handing over', async () => {
      for (let writes = 0, isDone = false; !isDone; writes += 1) {
        const { heir, agentId, binding } = await agentOfUser();
        const work = handOver(endingAfter(writes), binding, to(heir));
        isDone = await work.then(
          () => true,
          () => false,
        );
        await handOver(ports(), binding, to(heir));
        const { agent, events } = await whole(agentId);
        expect([agent?.subject, events]).toEqual([heir.subject, ['registered', 'handed_over']]);
      }
    });

    test('the token of a disabled user registers nothing', async () => {
      const user = newUser({ disabled: true });
      await store.of(users).insert([user]);
      const { jti, agentId } = await mint(user);
      await expect(register(jti, 'did:key:one')).rejects.toMatchObject({ code: 'forbidden' });
      expect((await whole(agentId)).agent).toBeUndefined();
    });

    test('a process may stop after any step of a first or later registration', async () => {
      for (const before of [0, 1])
        for (let writes = 0, isDone = false; !isDone; writes += 1) {
          const owner = newOwner();
          if (before > 0) await register((await mint(owner)).jti, 'did:key:before');
          const { jti, agentId } = await mint(owner);
          isDone = (await register(jti, 'did:key:one', endingAfter(writes)).catch(() => false)) !== false;
          if (!isDone) await register(jti, 'did:key:one');
          const { agent, events } = await whole(agentId);
          expect(agent?.did).toBe('did:key:one');
          expect(events).toHaveLength(before + 1);
        }
    });

    test('after a process has stopped, the next change completes what it began', async () => {
      for (let writes = 0, isDone = false; !isDone; writes += 1) {
        const owner = newOwner();
        const { jti, agentId } = await mint(owner);
        isDone = (await register(jti, 'did:key:one', endingAfter(writes)).catch(() => false)) !== false;
        const next = await mint(owner);
        await expect(register(jti, 'did:key:one')).rejects.toMatchObject({ code: 'unauthorized' });
        await register(next.jti, 'did:key:two');
        expect((await whole(agentId)).agent?.did).toBe('did:key:two');
      }
      for (let writes = 0, isDone = false; !isDone; writes += 1) {
        const { jti, agentId } = await mint();
        await register(jti, 'did:key:one');
        isDone = (await change(agentId, 'revoked', endingAfter(writes)).catch(() => false)) !== false;
        await change(agentId, 'revoked');
        expect((await whole(agentId)).events).toEqual(['registered', 'revoked']);
      }
    });

    test('registrations and revocations at once leave one key and a whole history', async () => {
      const owner = newOwner();
      const { jti, agentId } = await mint(owner);
      await register(jti, 'did:key:first');
      for (let round = 0; round < 5; round += 1) {
        const works = ['a', 'b', 'c'].flatMap((name) => [
          async () => register((await mint(owner)).jti, `did:key:${round}${name}`),
          async () => change(agentId, 'revoked'),
          async () => change(agentId, 'active'),
        ]);
        await Promise.all(works.map((work) => codeOf(work())));
        await change(agentId, 'active');
        await whole(agentId);
      }
    });
  });
}

/** Records whose writes may fail. */
function ended<Port extends object>(
  port: Port,
  ending: (work: () => Promise<never>) => Promise<never>,
): Port {
  const writes: readonly PropertyKey[] = ['insert', 'update', 'remove'];
  return new Proxy(port, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...given: unknown[]) => Promise<never>;
      return writes.includes(name)
        ? (...given: unknown[]) => ending(() => method.apply(target, given))
        : method;
    },
  });
}
