import { base32 } from 'multiformats/bases/base32';
import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { eachRecord } from '../../collections/records.ts';
import { sha256Digest } from '../../integrity/identifiers/hashing.ts';

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
function latestTokens(
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
  const mintedAt = now().getTime();
  const token = {
    ...registration,
    jti: newId(),
    agentId,
    // Clocks of processes differ, but the latest token is the one that counts.
    createdAt: Math.max(mintedAt, (earlier?.createdAt ?? 0) + 1),
    expiresAt: mintedAt + lifetimeMs,
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

const prefix = 'agent_';
const domain = 'cairn-agent-id/v1';
/** 160 bits. */
const idBytes = 20;

interface NamedAgent {
  readonly issuer: string;
  readonly subject: string;
  readonly handle: string;
}

/**
 * The id of the agent of a subject with a handle: `agent_`, and the first 20 bytes of a SHA-256 in lower-case base32
 * (RFC 4648, section 6). Hashed are the canonical JSON (RFC 8785) of `["cairn-agent-id/v1", issuer, subject, handle]`,
 * with the handle in Unicode normalization form C. Other subjects have other ids, so nobody can take over an agent.
 */
export function agentIdOf({ issuer, subject, handle }: NamedAgent): string {
  // For a list of texts, JSON.stringify is canonical.
  const named = JSON.stringify([domain, issuer, subject, handle.normalize('NFC')]);
  return idOf(sha256Digest(named).subarray(0, idBytes));
}

/** The id of an agent without a handle: `agent_` and 160 random bits. */
export function randomAgentId(): string {
  return idOf(crypto.getRandomValues(new Uint8Array(idBytes)));
}

function idOf(bytes: Uint8Array): string {
  return prefix + base32.encode(bytes).slice(base32.prefix.length);
}
