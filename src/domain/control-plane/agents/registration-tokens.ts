import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { eachRecord } from '../../collections/records.ts';

const time = z.int();
const name = z.string().min(1);

/** A registration token that was minted, without the token itself. */
export const registrationTokens = collection('registration_tokens', {
  shape: z.object({
    /** The token's `jti`. */
    jti: z.uuid(),
    agentId: name,
    issuer: name,
    subject: name,
    /** The name and handle for the agent. */
    name,
    handle: z.string().nullable(),
    createdAt: time,
    expiresAt: time,
    /** When an agent registered with it, and the DID of that agent. */
    usedAt: time.nullable(),
    usedBy: z.string().nullable(),
    /** When everything about that registration was stored. */
    finishedAt: time.nullable(),
    /** When a later token for the same agent replaced this one. Also without it only the latest one counts. */
    voidedAt: time.nullable(),
  }),
  key: 'jti',
  indexes: { byAgent: ['agentId', 'createdAt'] },
  expiry: 'expiresAt',
  isTransient: true,
});

export type RegistrationToken = Readonly<z.output<typeof registrationTokens.shape>>;
export type RegistrationTokens = RecordsOf<typeof registrationTokens>;

/** Few are read: usually the latest token and the one that it voids. */
const readAtOnce = 3;

/** The tokens of an agent, the latest first. Only the latest one counts. */
export function latestTokens(
  records: Pick<RegistrationTokens, 'page'>,
  agentId: string,
): AsyncGenerator<RegistrationToken> {
  return eachRecord(records, 'byAgent', [agentId], { order: 'descending', limit: readAtOnce });
}

export async function latestToken(
  records: Pick<RegistrationTokens, 'page'>,
  agentId: string,
): Promise<RegistrationToken | undefined> {
  for await (const token of latestTokens(records, agentId)) return token;
  return undefined;
}
