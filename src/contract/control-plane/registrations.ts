import { z } from 'zod';
import { patterns } from '../patterns.ts';

/** Without control, format and private characters, surrogates and line separators. */
const printable = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u;
const agentName = z
  .string()
  .refine((text) => printable.test(text), 'must have 1 to 200 printable characters')
  .refine((text) => text.trim() !== '', 'must not be blank')
  .meta({ minLength: 1, maxLength: 200, pattern: patterns.notBlankWithoutControls });

const agentHandle = z.string().refine((text) => text === '' || agentName.safeParse(text).success, {
  error: ({ input }) => agentName.safeParse(input).error?.issues[0]?.message,
});

export const tokenRequest = z
  .strictObject({
    agent_name: agentName.meta({ example: 'Build agent' }),
    agent_handle: agentHandle
      .nullish()
      .describe(
        'With a handle, agent_id is the same each time, so registering again replaces the key. null and "" mean none',
      )
      .meta({ example: 'build' }),
    agent_id: z
      .never('is chosen by this service; leave it out, and name a handle to get the same id each time')
      .optional()
      .meta({ type: 'string', not: {}, description: 'Refused: this service chooses the id' }),
  })
  .meta({ id: 'RegistrationTokenRequest' });

export const mintedToken = z
  .object({
    registration_token: z
      .string()
      .describe('Counts once, for 15 minutes. It is shown only here; nothing stores or logs it'),
    command_template: z
      .string()
      .describe(
        'A command that registers the agent with the token in $AGENT_PROVISIONING_TOKEN, and replaces the key in its file if it is registered already',
      ),
    agent_id: z.string().meta({ example: 'agent_pq3rt7zkq5uehl2m4w6jxvb5cdnysgoa' }),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'RegistrationToken' });

export type MintedTokenAnswer = z.output<typeof mintedToken>;

export const registration = z
  .strictObject({
    did: z.string().max(1_000).meta({
      pattern: patterns.didKey,
      description: 'A did:key on Ed25519 or P-256',
      example: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
    }),
    proof: z
      .string()
      .max(8_000)
      .describe(
        'A compact JWS by the key of the DID, of the type agent-key-proof+jwt, with the claims jti and aud of the registration token, iss (the DID) and iat (at most 5 minutes ago)',
      ),
  })
  .meta({ id: 'AgentRegistration' });
