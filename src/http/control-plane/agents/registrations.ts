import { agent } from '../../../contract/control-plane/agents.ts';
import { registration } from '../../../contract/control-plane/registrations.ts';
import { type RegistrationPorts, registerAgent } from '../../../domain/control-plane/agents/registration.ts';
import { assertKeyProof } from '../../../platform/agent-tokens/key-proof.ts';
import { note } from '../../../platform/audit-trail/entry.ts';
import { jsonAnswer } from '../../answers.ts';
import { type JsonLimits, parsedJsonBody } from '../../parsed-request.ts';
import { type RegistrationApp, registrationOperation } from '../gateway-operation.ts';
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
