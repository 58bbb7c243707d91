import { agentIdOf, randomAgentId } from './agent-id.ts';
import {
  latestToken,
  latestTokens,
  type RegistrationToken,
  type RegistrationTokens,
} from './registration-tokens.ts';

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

/**
 * Records a new token for an agent. Its earlier tokens with which nothing has registered are void as soon as this one is
 * stored.
 */
export async function mintRegistration(
  { registrationTokens, newId, now }: MintingPorts,
  registration: Registration,
): Promise<RegistrationToken> {
  const { handle } = registration;
  const agentId = handle === null ? randomAgentId() : agentIdOf({ ...registration, handle });
  const earlier = await latestToken(registrationTokens, agentId);
  const time = now().getTime();
  const token = {
    ...registration,
    jti: newId(),
    agentId,
    // Clocks of processes differ, but the latest token is the one that counts.
    createdAt: Math.max(time, (earlier?.createdAt ?? 0) + 1),
    expiresAt: time + lifetimeMs,
    usedAt: null,
    usedBy: null,
    finishedAt: null,
    voidedAt: null,
  };
  await registrationTokens.insert([token]);
  await markVoid(registrationTokens, agentId);
  return token;
}

/**
 * Marks the tokens before the latest one as void, so that a registration that runs at this moment ends, and one in a process
 * that only knows the marks. Those before a marked or finished token are marked already.
 */
async function markVoid(records: MintingPorts['registrationTokens'], agentId: string): Promise<void> {
  let latest: RegistrationToken | undefined;
  for await (const token of latestTokens(records, agentId)) {
    const { jti, voidedAt, finishedAt } = token;
    if (latest && (voidedAt !== null || finishedAt !== null)) return;
    if (latest)
      await records.update(jti, { finishedAt: null, voidedAt: null }, { voidedAt: latest.createdAt });
    latest ??= token;
  }
}
