import { firstRecord } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import type { Registrant } from '../gateway-access.ts';
import { assertEnabled, type Users, userBySubject } from '../users.ts';
import type { Agent } from './agents.ts';
import { type AgentPorts, changeAgent, settle, tryOften } from './changes.ts';
import { latestToken, type RegistrationToken, type RegistrationTokens } from './registration-tokens.ts';

export interface RegistrationPorts extends AgentPorts {
  readonly registrationTokens: Pick<RegistrationTokens, 'get' | 'page' | 'update'>;
  readonly users: Pick<Users, 'page'>;
}

/**
 * Registers an agent with a token that counts once: creates the agent of the token, or replaces its key. The token is
 * taken for one DID by a conditional update. If a process stops in the middle, the same agent may repeat the request.
 * @param did a DID whose key the agent has proved to hold. @throws ServiceError `unauthorized` for a token that no
 * longer counts; `agent_revoked`; `forbidden` if the user who minted the token is disabled.
 */
export async function registerAgent(ports: RegistrationPorts, jti: string, did: string): Promise<Agent> {
  const agent = await tryOften(() => attemptRegistration(ports, jti, did));
  const finishedAt = ports.now().getTime();
  // Of two requests with the same token and DID at once, one is answered that it has registered.
  const finished = await ports.registrationTokens.update(
    jti,
    { finishedAt: null, voidedAt: null },
    { finishedAt },
  );
  if (finished) return agent;
  await usableToken(ports, jti, did);
  throwBadToken('was used already');
}

/** Who minted a genuine token. @throws ServiceError `unauthorized` for a token that the store does not know. */
export async function registrantOf(
  { registrationTokens }: { readonly registrationTokens: Pick<RegistrationTokens, 'get'> },
  jti: string,
): Promise<Registrant> {
  const token = await registrationTokens.get(jti);
  if (!token) throwUnknownToken();
  const { issuer, subject, agentId } = token;
  return { issuer, subject, means: 'registration_token', jti, agentId };
}

/** @returns undefined if somebody else has changed the agent meanwhile. */
async function attemptRegistration(ports: RegistrationPorts, jti: string, did: string) {
  const token = await usableToken(ports, jti, did);
  const user = await userBySubject(ports.users, token.issuer, token.subject);
  assertEnabled(user);
  // Read before the token is taken. A later registration voids this token, or changes the agent's version.
  const agent = await ports.agents.get(token.agentId);
  if (agent) await assertOwner(ports, agent, token);
  if (agent?.state === 'revoked')
    throw new ServiceError(
      'agent_revoked',
      `The agent ${agent.id} is revoked. Nothing was stored. An administrator can restore it.`,
    );
  await takeToken(ports, jti, did);
  if (!agent) return await createAgent(ports, token, did);
  if (agent.did === did && agent.name === token.name) {
    await settle(ports, agent);
    return agent;
  }
  return await changeAgent(ports, agent, {
    did,
    name: token.name,
    lastChange: { event: 'registered_again', actor: actorOf(token), reason: null },
  });
}

async function createAgent(ports: RegistrationPorts, token: RegistrationToken, did: string) {
  const { agentId: id, issuer, subject, handle, name } = token;
  const at = ports.now().getTime();
  const agent: Agent = {
    id,
    issuer,
    subject,
    handle,
    name,
    did,
    state: 'active',
    version: 1,
    createdAt: at,
    changedAt: at,
    lastChange: { event: 'registered', actor: actorOf(token), reason: null },
  };
  const [isNew] = await ports.agents.insert([agent]);
  if (!isNew) return undefined;
  await settle(ports, agent);
  return agent;
}

/** @throws ServiceError `unauthorized` if the agent is not, or no longer, that of whoever minted the token. */
async function assertOwner(ports: RegistrationPorts, agent: Agent, { issuer, subject }: RegistrationToken) {
  await settle(ports, agent);
  const isOwner = agent.issuer === issuer && agent.subject === subject;
  const bound = [agent.id, issuer, subject, 'active'];
  if (!isOwner || !(await firstRecord(ports.agentBindings, 'byViewer', bound)))
    throwBadToken('is for an agent of somebody else', 'Mint one with another handle');
}

function actorOf({ issuer, subject }: RegistrationToken) {
  return { issuer, subject };
}

/** Takes the token for a DID, unless it is taken for it already. */
async function takeToken({ registrationTokens, now }: RegistrationPorts, jti: string, did: string) {
  const use = { usedAt: now().getTime(), usedBy: did };
  const taken = await registrationTokens.update(jti, { usedAt: null, voidedAt: null }, use);
  if (!taken) await usableToken({ registrationTokens }, jti, did);
}

/** @throws ServiceError `unauthorized` with the reason why the token does not count for this DID. */
async function usableToken(
  { registrationTokens }: Pick<RegistrationPorts, 'registrationTokens'>,
  jti: string,
  did: string,
): Promise<RegistrationToken> {
  const token = await registrationTokens.get(jti);
  if (!token) throwUnknownToken();
  const latest = await latestToken(registrationTokens, token.agentId);
  if (token.voidedAt !== null || latest?.jti !== jti)
    throwBadToken('is void, because a later one was minted for the same agent');
  if (token.finishedAt !== null || (token.usedBy !== null && token.usedBy !== did))
    throwBadToken('was used already');
  return token;
}

function throwUnknownToken(): never {
  throwBadToken('is unknown to this service');
}

function throwBadToken(problem: string, advice = 'Mint a new one'): never {
  throw new ServiceError('unauthorized', `The registration token ${problem}. ${advice}.`, {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
}
