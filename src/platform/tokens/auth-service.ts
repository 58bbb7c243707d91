import { decodeJwt } from 'jose';
import { z } from 'zod';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import { boundedFetch, type Fetch } from '../http/bounded-fetch.ts';
import { type Answered, readAllowed, readCaller } from './auth-service-answers.ts';
import { RefusedToken } from './refused-token.ts';
import { type TokenVerifier, tokenHash, type VerifiedToken } from './token-verifier.ts';
import { type Verdict, VerdictCache } from './verdict-cache.ts';

export interface AuthServiceOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly now: () => Date;
  /** Told when the service does not answer, or wrongly. */
  readonly onError: (error: Error) => void;
  readonly timeoutMs?: number;
}

export interface Resource {
  readonly type: string;
  readonly id: string;
}

/** Accepted, or refused for certain. */
type TokenVerdict = { readonly caller: VerifiedToken } | 'rejected';

/** Definite answers are kept for so long (control plane specification, section 8). */
const keptMs = 30_000;
const maxBytes = 262_144;
const retryAfter = 2;

/**
 * Another service that decides who a bearer is and what they may do. What it says for certain is remembered for half a
 * minute. When it cannot be asked or makes no sense, nobody is let in and nothing is remembered.
 */
export class AuthService implements TokenVerifier {
  readonly #options: AuthServiceOptions;
  readonly #fetch: Fetch;
  readonly #tokens: VerdictCache<TokenVerdict>;
  readonly #permissions: VerdictCache<boolean>;

  constructor(options: AuthServiceOptions) {
    this.#options = options;
    this.#fetch = boundedFetch({ timeoutMs: options.timeoutMs ?? 5_000, maxBytes });
    this.#tokens = new VerdictCache(options.now);
    this.#permissions = new VerdictCache(options.now);
  }

  known(token: string): VerifiedToken | undefined {
    const verdict = this.#tokens.known(tokenHash(token));
    return verdict === undefined || verdict === 'rejected' ? undefined : verdict.caller;
  }

  /** @throws RefusedToken `rejected`; ServiceError `unavailable`. */
  async verify(token: string): Promise<VerifiedToken> {
    const verdict = await this.#tokens.get(tokenHash(token), async () => await this.#validate(token));
    if (verdict === 'rejected') throw new RefusedToken('rejected');
    return verdict.caller;
  }

  /** Whether a token's bearer may do something there. @throws RefusedToken; ServiceError `unavailable`. */
  async authorize(token: string, permission: string, { type, id }: Resource): Promise<boolean> {
    const key = JSON.stringify([tokenHash(token), permission, type, id]);
    return await this.#permissions.get(key, async () => {
      const body = JSON.stringify({ permission, resource: { type, id } });
      const answer = await this.#ask('/api/v1/auth/authorize', token, body);
      return { value: this.#understood(() => readAllowed(answer)), until: this.#keptUntil(), size: 0 };
    });
  }

  async #validate(token: string): Promise<Verdict<TokenVerdict>> {
    const answer = await this.#ask('/api/v1/auth/validate?include_claims=true', token);
    const told = this.#understood(() => readCaller(answer, this.#options.baseUrl));
    const expiresAt = earliest(told?.expiresAt ?? null, ownExpiry(token));
    const isOver = expiresAt !== null && expiresAt <= this.#options.now().getTime();
    const kept = { until: this.#keptUntil(), size: answer.text.length };
    if (told === undefined || isOver) return { ...kept, value: 'rejected' };
    const until = earliest(kept.until, expiresAt) ?? kept.until;
    return { ...kept, until, value: { caller: { ...told, expiresAt } } };
  }

  async #ask(path: string, token: string, body?: string): Promise<Answered> {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    try {
      const init = { method: 'POST', headers, ...(body !== undefined && { body }) };
      const answer = await this.#fetch(`${this.#options.baseUrl}${path}`, init);
      return { status: answer.status, text: await answer.text() };
    } catch (error) {
      return this.#fail(error);
    }
  }

  #understood<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      return this.#fail(error);
    }
  }

  #fail(cause: unknown): never {
    const message = 'The auth service cannot tell now who is calling and what they may do. Try again later.';
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : messageOf(cause);
    this.#options.onError(new Error(`The auth service failed: ${reason}`, { cause }));
    throw new ServiceError('unavailable', message, { cause, retryAfter });
  }

  #keptUntil(): number {
    return this.#options.now().getTime() + keptMs;
  }
}

/** Where the token is a JWT that says when it ends, in milliseconds since 1970. Only ever shortens what is allowed. */
function ownExpiry(token: string): number | null {
  try {
    const { exp } = decodeJwt(token);
    return typeof exp === 'number' ? exp * 1_000 : null;
  } catch {
    return null;
  }
}

function earliest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
