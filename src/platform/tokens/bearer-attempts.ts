import type { BlockList } from 'node:net';
import type { Context } from 'hono';
import { ServiceError } from '../../domain/errors.ts';
import { clientAddress, reportedAddress } from '../http/addresses.ts';
import type { AppEnv } from '../http/app-env.ts';
import { type AddressSemaphores, networkOf } from '../rate-limits/address-semaphores.ts';
import type { AttemptKind, RateLimits } from '../rate-limits/rate-limits.ts';
import { RefusedToken } from './refused-token.ts';
import { type TokenVerifier, tokenHash, type VerifiedToken } from './token-verifier.ts';

export interface BearerAttempts {
  readonly verifier: TokenVerifier;
  readonly rateLimits: RateLimits;
  /** Limits how many tokens of one address are verified at once. */
  readonly turns: AddressSemaphores;
  readonly trustedProxies: BlockList | null;
}

export interface Bearer extends VerifiedToken {
  /** As received, to be sent on. It is neither logged nor kept. */
  readonly token: string;
}

/**
 * Authenticates the bearer token of a request. Failures are logged, and counted by token and by address: a token that
 * fails again does not count for its address. A token or an address with too many failures is answered 429 before the
 * token is verified; waiting for a turn keeps concurrent attempts from exceeding that limit. Tokens that were accepted
 * lately skip all that. So neighbours behind one address do not lock each other out. Behind a proxy that is not
 * trusted, failures count for the address that it reports, and at a higher limit for the proxy, because that address
 * may be invented. @throws RefusedToken, `missing` without a bearer; ServiceError `rate_limited`, `unavailable`.
 */
export async function bearerCaller<Caller>(
  context: Context<AppEnv<Caller>>,
  attempts: BearerAttempts,
): Promise<Bearer> {
  const { verifier, rateLimits, turns, trustedProxies } = attempts;
  const address = clientAddress(context, trustedProxies);
  const counters = failureCounters(address, reportedAddress(context, trustedProxies));
  const authorization = context.req.header('authorization');
  const key = tokenHash(authorization ?? '');
  const count = async (error: unknown): Promise<never> => {
    if (error instanceof RefusedToken && error.reason !== 'missing') {
      const isFirst = (await rateLimits.consume('repeated_token', key)) === 1;
      if (isFirst) for (const [kind, counted] of counters) await rateLimits.consume(kind, counted);
    }
    throw error;
  };
  try {
    const token = await Promise.try(bearerOf, authorization).catch(count);
    const known = verifier.known(token);
    if (known) return { ...known, token };
    return await turns.run(address, async () => {
      // The same token may have been accepted while this request waited.
      const accepted = verifier.known(token);
      if (accepted) return { ...accepted, token };
      await rateLimits.check('repeated_token', key);
      for (const [kind, counted] of counters) await rateLimits.check(kind, counted);
      return { ...(await verifier.verify(token).catch(count)), token };
    });
  } catch (error) {
    logFailedAttempt(context, trustedProxies, error);
    throw error;
  }
}

type Counter = readonly [AttemptKind, string];

function failureCounters(address: string, reported: string | undefined): readonly Counter[] {
  if (reported === undefined) return [['token_failure', address]];
  return [
    ['token_failure', `${networkOf(address)} for ${networkOf(reported)}`],
    ['proxy_failure', address],
  ];
}

/** Longer tokens are refused before they are parsed. */
const maxTokenLength = 49_152;

/**
 * The token of an `Authorization` header (RFC 6750, section 2.1). Several values arrive joined by a comma, which no
 * token has. @throws RefusedToken `missing`, `malformed`, `too_long`.
 */
export function bearerOf(authorization = ''): string {
  if (!/^bearer(?: |$)/i.test(authorization)) throw new RefusedToken('missing');
  if (authorization.length > maxTokenLength) throw new RefusedToken('too_long');
  const [, token] = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization) ?? [];
  if (token === undefined) throw new RefusedToken('malformed');
  return token;
}

/** Logs a failed attempt with its reason and address, without the token. */
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
