import { decodeJwt } from 'jose';
import { RefusedSession } from '../../domain/control-plane/refused-session.ts';
import {
  freshTokens,
  type ProviderTokens,
  type SessionTokenPorts,
} from '../../domain/control-plane/session-tokens.ts';
import type { Session } from '../../domain/control-plane/sessions.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Bearer } from '../tokens/bearer-attempts.ts';
import { type Refusal, RefusedToken } from '../tokens/refused-token.ts';
import type { TokenVerifier } from '../tokens/token-verifier.ts';
import type { Seal } from './seal.ts';

/** Seals the tokens of sessions for as long as the sessions last. */
export function tokenSealing(seal: Seal, now: () => Date): Pick<SessionTokenPorts, 'seal' | 'open'> {
  return {
    seal: async (tokens, until) =>
      await seal.seal({ tokens }, Math.max(1, Math.ceil((until - now().getTime()) / 1_000))),
    open: async (sealed) => (await seal.open(sealed))?.tokens as ProviderTokens | undefined,
  };
}

interface SessionBearer extends SessionTokenPorts {
  /** Of the bearer tokens of the service. */
  readonly verifier: TokenVerifier;
  /** Which token of the session the service takes as bearer token. */
  readonly use: 'idToken' | 'accessToken';
}

/** Refreshed so long before it expires, so that it is still valid while the request runs. */
const aheadMs = 10_000;

/** A new token may help against these. */
const renewable: readonly Refusal[] = ['expired', 'unknown_key', 'bad_signature', 'unusable_key'];

/**
 * The caller of a session, as the session's token describes them. The token is verified like one that a tool sends, so
 * that both have the same permissions.
 * @throws RefusedSession if the session or its grant has ended; ServiceError `forbidden` if the provider's tokens are not
 * for this service, `unavailable`.
 */
export async function sessionBearer(session: Session, ports: SessionBearer): Promise<Bearer> {
  const { verifier, use, now } = ports;
  const verified = async (isStale: (token: string) => boolean): Promise<Verified> => {
    const { [use]: token } = await freshTokens(ports, session, (tokens) => isStale(tokens[use]));
    try {
      return { bearer: { ...(verifier.known(token) ?? (await verifier.verify(token))), token } };
    } catch (error) {
      if (error instanceof RefusedToken) return { refusal: error, token };
      throw error;
    }
  };
  const first = await verified((token) => expiryOf(token) <= now().getTime() + aheadMs);
  const isRenewable = 'refusal' in first && renewable.includes(first.refusal.reason);
  const last = isRenewable ? await verified((token) => token === first.token) : first;
  if ('bearer' in last) return last.bearer;
  const { reason } = last.refusal;
  if (reason !== 'rejected' && reason !== 'expired') throw notForThisService(reason, last.refusal);
  await ports.sessions.remove(session.key);
  throw new RefusedSession('grant_ended');
}

type Verified = { readonly bearer: Bearer } | { readonly refusal: RefusedToken; readonly token: string };

/** In milliseconds since 1970. Tokens that do not tell count until they are refused. */
function expiryOf(token: string): number {
  try {
    return (decodeJwt(token).exp ?? Infinity) * 1_000;
  } catch {
    return Infinity;
  }
}

function notForThisService(reason: Refusal, cause: RefusedToken): ServiceError {
  const message = `You are signed in, but the provider's token is not valid for this service (${reason}). Tell an operator: docs/access.md says what the provider must put into it.`;
  return Object.assign(new ServiceError('forbidden', message, { cause }), { reason });
}
