import type { BlockList } from 'node:net';
import type { Context } from 'hono';
import { ServiceError } from '../../domain/errors.ts';
import type { AppEnv } from '../http/app-env.ts';
import { clientAddress } from '../http/client-address.ts';
import type { AddressSemaphores } from '../rate-limits/address-semaphores.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import { RefusedToken } from './refused-token.ts';
import type { TokenVerifier, VerifiedToken } from './token-verifier.ts';

export interface BearerAttempts {
  readonly verifier: TokenVerifier;
  readonly rateLimits: RateLimits;
  /** Tokens that are looked at for one address at once. */
  readonly turns: AddressSemaphores;
  readonly trustedProxies: BlockList | null;
}

export interface Bearer extends VerifiedToken {
  /** As it came, to be sent on. It is neither logged nor kept. */
  readonly token: string;
}

/**
 * Who sends the bearer token of a request. What fails is logged and counted by address; an address that failed too
 * often is answered 429 before its token is looked at. Of many at once most wait for their turns, so that few are looked
 * at beyond that. A token that was accepted a moment ago is not held up by either: neighbours behind one address do not
 * lock each other out.
 * @throws RefusedToken, `missing` without a bearer; ServiceError `rate_limited`, `unavailable`.
 */
export async function bearerCaller<Caller>(
  context: Context<AppEnv<Caller>>,
  attempts: BearerAttempts,
): Promise<Bearer> {
  const { verifier, rateLimits, turns, trustedProxies } = attempts;
  const address = clientAddress(context, trustedProxies);
  const count = async (error: unknown): Promise<never> => {
    if (error instanceof RefusedToken && error.reason !== 'missing')
      await rateLimits.consume('token_failure', address);
    throw error;
  };
  try {
    const token = await Promise.try(bearerOf, context.req.header('authorization')).catch(count);
    const known = verifier.known(token);
    if (known) return { ...known, token };
    return await turns.run(address, async () => {
      // The same one may have been accepted while this one waited.
      const accepted = verifier.known(token);
      if (accepted) return { ...accepted, token };
      await rateLimits.check('token_failure', address);
      return { ...(await verifier.verify(token).catch(count)), token };
    });
  } catch (error) {
    logFailedAttempt(context, trustedProxies, error);
    throw error;
  }
}

/** Longer tokens are refused before they are parsed. */
const maxTokenLength = 16_384;

/**
 * The token of an `Authorization` header (RFC 6750, section 2.1). Several values arrive joined by a comma, which no
 * token has.
 * @throws RefusedToken `missing`, `malformed`, `too_long`.
 */
export function bearerOf(authorization = ''): string {
  if (!/^bearer(?: |$)/i.test(authorization)) throw new RefusedToken('missing');
  if (authorization.length > maxTokenLength) throw new RefusedToken('too_long');
  const [, token] = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization) ?? [];
  if (token === undefined) throw new RefusedToken('malformed');
  return token;
}

/** One line for an attempt that failed: why, from where, and in which request. Never with what was tried. */
export function logFailedAttempt<Caller>(
  context: Context<AppEnv<Caller>>,
  trustedProxies: BlockList | null,
  error: unknown,
): void {
  const code = error instanceof ServiceError ? error.code : 'internal';
  const reason = error instanceof ServiceError && 'reason' in error ? error.reason : code;
  context
    .get('log')
    .warn({ reason, address: clientAddress(context, trustedProxies) }, 'A caller was refused.');
}
