import { z } from '@hono/zod-openapi';
import { type MintingPorts, mintRegistration } from '../../../domain/control-plane/agents/minting.ts';
import { signRegistrationToken, throwNoSecret } from '../../../platform/agent-tokens/registration-token.ts';
import { note } from '../../../platform/audit-trail/entry.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { type JsonLimits, parsedJsonBody } from '../../json-request.ts';
import { type ControlPlaneApp, operation } from '../operation.ts';

/** Without control, format and private characters, surrogates and line separators. */
const printable = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u;
const name = z
  .string()
  .refine((text) => printable.test(text), 'must have 1 to 200 printable characters')
  .refine((text) => text.trim() !== '', 'must not be blank')
  .openapi({ minLength: 1, maxLength: 200 });

const handle = z.string().refine((text) => text === '' || name.safeParse(text).success, {
  error: ({ input }) => name.safeParse(input).error?.issues[0]?.message,
});

const request = z
  .strictObject({
    agent_name: name.openapi({ example: 'Build agent' }),
    agent_handle: handle
      .nullish()
      .describe(
        'With a handle, agent_id is the same each time, so registering again replaces the key. null and "" mean none',
      )
      .openapi({ example: 'build' }),
    agent_id: z
      .never('is chosen by this service; leave it out, and name a handle to get the same id each time')
      .optional()
      .openapi({ type: 'string', not: {}, description: 'Refused: this service chooses the id' }),
  })
  .openapi('RegistrationTokenRequest');

const minted = z
  .object({
    registration_token: z
      .string()
      .describe('Counts once, for 15 minutes. It is shown only here; nothing stores or logs it'),
    command_template: z
      .string()
      .describe(
        'A command that registers the agent with the token in $AGENT_PROVISIONING_TOKEN, and replaces the key in its file if it is registered already',
      ),
    agent_id: z.string().openapi({ example: 'agent_pq3rt7zkq5uehl2m4w6jxvb5cdnysgoa' }),
    expires_at: z.iso.datetime(),
  })
  .openapi('RegistrationToken');

export interface RegistrationTokenRoutes extends MintingPorts {
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
    body: { 'application/json': { schema: request } },
    answers: {
      201: jsonAnswer('The token', minted),
      503: errorAnswer('This service has no secret for registration tokens'),
    },
    handle: async ({ context, answer, principal: { issuer: owner, subject } }) => {
      if (secret === null) throwNoSecret();
      const body = await parsedJsonBody(context, request, limits);
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
        expires_at: new Date(expiresAt).toISOString(),
      });
    },
  });
}

/** The token is a variable here, so that no shell history holds it. A second token of an agent finds the file of the first. */
function commandFor(url: string, agentId: string): string {
  return `CAIRN_URL='${url}' AGENT_PROVISIONING_TOKEN="$AGENT_PROVISIONING_TOKEN" cairn agents register ${agentId}.json --rotate`;
}
