import { eachRecord } from '../../collections/records.ts';
import { agentIdOf, randomAgentId } from './agent-id.ts';
import type { RegistrationToken, RegistrationTokens } from './registration-tokens.ts';

/** How long a registration token counts (control plane specification, section 8). */
const lifetimeMs = 15 * 60_000;

export interface MintingPorts {
  readonly registrationTokens: Pick<RegistrationTokens, 'insert' | 'page' | 'update'>;
  readonly newId: () => string;
  readonly now: () => Date;
}

interface Registration {
  /** Who mints the token, and will have the agent. */
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly handle: string | null;
}

/** Records a new token for an agent. Its earlier tokens with which nothing has registered become void. */
export async function mintRegistration(
  { registrationTokens, newId, now }: MintingPorts,
  registration: Registration,
): Promise<RegistrationToken> {
  const { handle } = registration;
  const agentId = handle === null ? randomAgentId() : agentIdOf({ ...registration, handle });
  const earlier = await Array.fromAsync(eachRecord(registrationTokens, 'byAgent', [agentId]));
  const time = now().getTime();
  const token = {
    ...registration,
    jti: newId(),
    agentId,
    // Clocks of processes differ, but the latest token is the one that counts.
    createdAt: Math.max(time, (earlier.at(-1)?.createdAt ?? 0) + 1),
    expiresAt: time + lifetimeMs,
    usedAt: null,
    usedBy: null,
    finishedAt: null,
    voidedAt: null,
  };
  await registrationTokens.insert([token]);
  // Of tokens that are minted at once, whoever reads last sees all of them and leaves the latest.
  const all = await Array.fromAsync(eachRecord(registrationTokens, 'byAgent', [agentId]));
  for (const { jti } of all.slice(0, -1))
    await registrationTokens.update(
      jti,
      { finishedAt: null, voidedAt: null },
      { voidedAt: all.at(-1)?.createdAt ?? token.createdAt },
    );
  return token;
}
