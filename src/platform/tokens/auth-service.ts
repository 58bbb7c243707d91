import { decodeJwt } from 'jose';
import { z } from 'zod';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import { boundedFetch, type Fetch } from '../http/bounded-fetch.ts';
import { isOwnToken } from './own-tokens.ts';
import { RefusedToken } from './refused-token.ts';
import { isName, type TokenVerifier, tokenHash, type VerifiedToken } from './token-verifier.ts';
import { type Verdict, VerdictCache } from './verdict-cache.ts';

export interface AuthServiceOptions {
  readonly baseUrl: string;
  /** The issuer of callers whose answer names none. */
  readonly issuer: string;
  readonly now: () => Date;
  /** Called when the service does not answer, or answers wrongly. */
  readonly onError: (error: Error) => void;
  readonly timeoutMs?: number;
}

export interface Resource {
  readonly type: string;
  readonly id: string;
}

type TokenVerdict = { readonly caller: VerifiedToken } | 'rejected';

/** How long definite answers are remembered (control plane specification, section 8). */
const keptMs = 30_000;
const maxBytes = 262_144;
const retryAfter = 2;

/**
 * A service that decides who a bearer is and what they may do. Its definite answers are remembered for half a minute.
 * If it does not answer, or its answer makes no sense, nobody gets access and nothing is remembered.
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
    if (isOwnToken(token)) throw new RefusedToken('wrong_type');
    const verdict = await this.#tokens.get(tokenHash(token), async () => await this.#validate(token));
    if (verdict === 'rejected') throw new RefusedToken('rejected');
    return verdict.caller;
  }

  /**
   * Whether the bearer of a token has a permission on a resource.
   * @param isFresh asks without using or keeping the cached answer. @throws ServiceError `unavailable`.
   */
  async authorize(
    token: string,
    permission: string,
    { type, id }: Resource,
    isFresh = false,
  ): Promise<boolean> {
    const request = JSON.stringify({ permission, resource: { type, id } });
    const ask = async () => await this.#ask('/api/v1/auth/authorize', token, request, readAllowed);
    if (isFresh) return await ask();
    const key = JSON.stringify([tokenHash(token), permission, type, id]);
    return await this.#permissions.get(key, async () => {
      return { value: await ask(), until: this.#now() + keptMs, size: 0 };
    });
  }

  async #validate(token: string): Promise<Verdict<TokenVerdict>> {
    const path = '/api/v1/auth/validate?include_claims=true';
    const { caller, size } = await this.#ask(path, token, null, (answer) => ({
      caller: readCaller(answer, this.#options.issuer),
      size: answer.text.length,
    }));
    const until = this.#now() + keptMs;
    const expiresAt = earliest(caller?.expiresAt ?? null, ownExpiry(token));
    if (!caller || (expiresAt !== null && expiresAt <= this.#now()))
      return { value: 'rejected', until, size };
    return { value: { caller: { ...caller, expiresAt } }, until: Math.min(until, expiresAt ?? until), size };
  }

  async #ask<Result>(path: string, token: string, body: string | null, read: (answer: Answered) => Result) {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...(body !== null && { 'content-type': 'application/json' }),
    };
    try {
      const answer = await this.#fetch(`${this.#options.baseUrl}${path}`, { method: 'POST', headers, body });
      return read({ status: answer.status, text: await answer.text() });
    } catch (cause) {
      const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : messageOf(cause);
      const url = `${this.#options.baseUrl}${path}`;
      this.#options.onError(new Error(`The auth service failed (POST ${url}): ${reason}`, { cause }));
      const message = 'The auth service cannot confirm who is calling and what they may do. Try again later.';
      throw new ServiceError('unavailable', message, { cause, retryAfter });
    }
  }

  #now(): number {
    return this.#options.now().getTime();
  }
}

/** The expiry of a JWT in milliseconds since 1970, unverified. It can only shorten access. */
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

interface Answered {
  readonly status: number;
  readonly text: string;
}

const claims = z.record(z.string(), z.unknown());
const validation = z.looseObject({
  valid: z.boolean().default(true),
  active: z.boolean().default(true),
  claims: claims.optional(),
  user: claims.default({}),
});
const authorization = z.object({ allowed: z.boolean() });
const name = z.string().refine(isName, 'is not a valid name');

/** In order of precedence (control plane specification, section 2). */
const subjectNames = ['subject', 'sub', 'userId', 'user_id'];

/**
 * The caller in a validate answer. Its user and its claims are in `user` and `claims`, or at its top.
 * @param issuer the issuer of an answer that names none. @returns undefined when the service rejects the token.
 * @throws Error when the answer is not definite.
 */
export function readCaller(answered: Answered, issuer: string): VerifiedToken | undefined {
  const answer = definite(answered, validation);
  if (!answer?.valid || !answer.active) return undefined;
  const { claims = answer, user } = answer;
  // An empty name counts as absent. A first name that is not text is an error, even if a later name is text.
  const subject = subjectNames
    .flatMap((key) => [answer, user, claims].map((place) => place[key]))
    .find((value) => value !== undefined && value !== null && value !== '');
  const expiry = z
    .number()
    .nullable()
    .parse(claims.exp ?? answer.exp ?? null);
  return {
    issuer: name.parse(claims.iss ?? answer.iss ?? issuer),
    subject: name.parse(subject),
    claims,
    expiresAt: expiry === null ? null : expiry * 1_000,
  };
}

/** @throws Error when an authorize answer is not definite. */
export function readAllowed(answered: Answered): boolean {
  return definite(answered, authorization)?.allowed ?? false;
}

/** A 404 is no refusal: it comes from a wrong path, or from a proxy in front of a service that is away. */
const refusals: readonly number[] = [400, 401, 403, 422];

function definite<Schema extends z.ZodType>({ status, text }: Answered, schema: Schema) {
  if (refusals.includes(status)) return undefined;
  if (status < 200 || status > 299) throw new Error(`it answers ${status}`);
  return schema.parse(jsonOf(text));
}

/** The message of a JSON parser would repeat parts of the answer. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('its answer is not JSON');
  }
}
