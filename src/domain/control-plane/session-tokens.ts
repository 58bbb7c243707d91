import { ServiceError } from '../errors.ts';
import { RefusedSession } from './refused-session.ts';
import type { Session, Sessions } from './sessions.ts';

/** What the provider gave to a session. */
export interface ProviderTokens {
  readonly idToken: string;
  readonly accessToken: string;
  /** Null if the provider gives none. The session then ends with its tokens. */
  readonly refreshToken: string | null;
}

export interface SessionTokenPorts {
  readonly sessions: Pick<Sessions, 'get' | 'update' | 'remove'>;
  readonly now: () => Date;
  /** Encrypts tokens until a time in milliseconds since 1970. */
  readonly seal: (tokens: ProviderTokens, until: number) => Promise<string>;
  /** Undefined if the text cannot be decrypted. */
  readonly open: (sealed: string) => Promise<ProviderTokens | undefined>;
  /** @throws RefusedSession if the provider refuses; ServiceError `unavailable` if it does not answer. */
  readonly refresh: (tokens: ProviderTokens) => Promise<ProviderTokens>;
  readonly pause: (ms: number) => Promise<unknown>;
}

/** Longer than a refresh can take: the metadata, the tokens and the keys of the provider, ten seconds each. */
const leaseMs = 40_000;
/** How long a request waits for another one that refreshes. */
const mostWaitMs = 10_000;
const pauseMs = 50;

/**
 * The tokens of a session, refreshed if they are stale. A provider may replace the refresh token each time, so only one
 * process refreshes, and the others wait for it. A session that ends meanwhile stays ended.
 * @throws RefusedSession if the session or its grant has ended; ServiceError `unavailable` if the provider does not
 * answer. The session then stays.
 */
export async function freshTokens(
  ports: SessionTokenPorts,
  session: Session,
  isStale: (tokens: ProviderTokens) => boolean,
): Promise<ProviderTokens> {
  const { sessions, now, open, pause } = ports;
  const deadline = now().getTime() + mostWaitMs;
  let current: Session | undefined = session;
  while (current) {
    const { key, sealedTokens, refreshingUntil } = current;
    const tokens = sealedTokens ? await open(sealedTokens) : undefined;
    if (!tokens) break;
    if (!isStale(tokens)) return tokens;
    const time = now().getTime();
    if (!refreshingUntil || refreshingUntil <= time) {
      const lease = { refreshingUntil: time + leaseMs };
      if (await sessions.update(key, { sealedTokens, refreshingUntil }, lease))
        return await refreshed(ports, current, tokens, lease);
    } else if (time >= deadline) {
      throw new ServiceError('unavailable', 'The sign-in is still being renewed. Try again in a moment.', {
        retryAfter: 2,
      });
    } else await pause(pauseMs);
    current = await sessions.get(key);
  }
  throw new RefusedSession('session_over');
}

/** @param lease that this process holds. */
async function refreshed(
  { sessions, seal, refresh }: SessionTokenPorts,
  { key, expiresAt }: Session,
  tokens: ProviderTokens,
  lease: { readonly refreshingUntil: number },
): Promise<ProviderTokens> {
  try {
    if (tokens.refreshToken === null) throw new RefusedSession('grant_ended');
    const fresh = await refresh(tokens);
    const change = { sealedTokens: await seal(fresh, expiresAt), refreshingUntil: null };
    if (await sessions.update(key, lease, change)) return fresh;
  } catch (error) {
    if (error instanceof RefusedSession) await sessions.remove(key, lease);
    else await sessions.update(key, lease, { refreshingUntil: null });
    throw error;
  }
  throw new RefusedSession('session_over');
}
