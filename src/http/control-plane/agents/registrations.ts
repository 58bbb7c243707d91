import { agent } from '../../../contract/control-plane/agents.ts';
import { mintedToken, registration, tokenRequest } from '../../../contract/control-plane/registrations.ts';
import { type RegistrationPorts, registerAgent } from '../../../domain/control-plane/agents/registration.ts';
import {
  type MintingPorts,
  mintRegistration,
} from '../../../domain/control-plane/agents/registration-tokens.ts';
import { assertKeyProof } from '../../../platform/agent-tokens/key-proof.ts';
import { signRegistrationToken, throwNoSecret } from '../../../platform/agent-tokens/registration-token.ts';
import { note } from '../../../platform/audit-trail/entry.ts';
import { errorAnswer, isoTime, jsonAnswer } from '../../answers.ts';
import { type JsonLimits, parsedJsonBody } from '../../parsed-request.ts';
import { type RegistrationApp, registrationOperation } from '../gateway-operation.ts';
import { type ControlPlaneApp, operation } from '../operation.ts';
import { agentJson } from './agent-json.ts';

export interface RegistrationRoutes extends RegistrationPorts {
  readonly limits: JsonLimits;
}

export function registrationRoutes(app: RegistrationApp, ports: RegistrationRoutes): void {
  registrationOperation(app, 'POST /v1/gateway/registrations', {
    access: 'registration',
    tag: 'Gateway',
    summary: 'Register an agent with a registration token',
    description:
      'Creates the agent of the token with a binding to whoever minted the token, or replaces the key of the agent. The token counts once. A revoked agent stays revoked (403 agent_revoked).',
    body: { 'application/json': { schema: registration } },
    answers: { 201: jsonAnswer('The registered agent', agent) },
    handle: async ({ context, answer, principal: { jti, agentId } }) => {
      note(context, { target: agentId, details: { token_id: jti } });
      const { did, proof } = await parsedJsonBody(context, registration, ports.limits);
      note(context, { details: { token_id: jti, did } });
      await assertKeyProof(proof, { did, jti, now: ports.now() });
      return answer(201, agentJson(await registerAgent(ports, jti, did)));
    },
  });
}

interface RegistrationTokenRoutes extends MintingPorts {
  /** Null: no registration tokens are issued. */
  readonly secret: string | null;
  readonly issuer: string;
  /** The address of this service for agents. */
  readonly url: string;
  readonly limits: JsonLimits;
}

export function registrationTokenRoutes(app: ControlPlaneApp, ports: RegistrationTokenRoutes): void {
  const { secret, issuer, url, limits } = ports;
  operation(app, 'POST /v1/agent-registration-tokens', {
    access: 'subject',
    tag: 'Agents',
    summary: 'Mint a token with which an agent registers',
    description:
      'The agent will belong to the caller: sub of the token is the subject of the caller, subject_issuer its issuer, and agent_id the agent. Earlier unused tokens for the same agent become void. Minting needs -auth-registration-token-secret.',
    body: { 'application/json': { schema: tokenRequest } },
    answers: {
      201: jsonAnswer('The token', mintedToken),
      503: errorAnswer('This service has no secret for registration tokens'),
    },
    handle: async ({ context, answer, principal: { issuer: owner, subject } }) => {
      if (secret === null) throwNoSecret();
      const body = await parsedJsonBody(context, tokenRequest, limits);
      const { agent_name } = body;
      const agent_handle = body.agent_handle || null;
      note(context, { details: { agent_name, agent_handle } });
      const token = await mintRegistration(ports, {
        issuer: owner,
        subject: String(subject),
        name: agent_name,
        handle: agent_handle,
      });
      const { jti, agentId, expiresAt } = token;
      note(context, { target: agentId, details: { agent_name, agent_handle, token_id: jti } });
      return answer(201, {
        registration_token: await signRegistrationToken({ secret, issuer }, token),
        command_template: commandFor(url, agentId),
        agent_id: agentId,
        expires_at: isoTime(expiresAt),
      });
    },
  });
}

/** The token is a variable here, so that no shell history holds it. A second token of an agent finds the file of the first. */
function commandFor(url: string, agentId: string): string {
  return `CAIRN_URL='${url}' AGENT_PROVISIONING_TOKEN="$AGENT_PROVISIONING_TOKEN" cairn agents register ${agentId}.json --rotate`;
}
