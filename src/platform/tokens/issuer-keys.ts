import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from 'oauth4webapi';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import { boundedFetch } from '../http/bounded-fetch.ts';
import { isSafeUrl } from '../http/loopback.ts';
import { TokenBucket } from '../rate-limits/token-bucket.ts';

export interface IssuerKeysOptions {
  /** Exactly as its tokens and its metadata write it. */
  readonly issuer: string;
  readonly now: () => Date;
  /** Told when the issuer does not answer, or wrongly. */
  readonly onError: (error: Error) => void;
  readonly timeoutMs?: number;
}

type KnownKeys = ReturnType<typeof createLocalJWKSet>;

/** How often unknown keys make us ask: a rotation is seen at once, and nobody makes us hammer the issuer. */
const askedOften = { burst: 5, refillMs: 10_000 };
/** While it does not answer, it is asked so much later again. */
const failedLatelyMs = 1_000;
/** After so long both are read again, in the background: a key that the issuer withdrew ends then. */
const freshMs = 300_000;
/** After so long without any attempt they are read before they count: nobody came by whom they would have been. */
const idleMs = 600_000;
const retryAfter = 5;
const maxBytes = 1_048_576;

/**
 * The metadata and keys that an issuer publishes (OpenID Connect Discovery 1.0, section 4). They are read when they
 * are first needed, and again when a token names an unknown key. While the issuer is away, known keys go on serving.
 */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  readonly #fetch;
  readonly #asking = new TokenBucket(askedOften);
  #server: AuthorizationServer | undefined;
  #keys: KnownKeys | undefined;
  #reading: Promise<void> | undefined;
  #failure: unknown;
  #askedAt = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
    this.#fetch = boundedFetch({ timeoutMs: options.timeoutMs ?? 5_000, maxBytes });
  }

  /** @throws ServiceError `unavailable`. */
  async metadata(): Promise<AuthorizationServer> {
    if (!this.#server) await this.#refresh();
    if (!this.#server) this.#unavailable();
    void this.#refreshOld();
    return this.#server;
  }

  /**
   * The key that a token's header names.
   * @param mayAsk called before the issuer is asked for a key that is not known.
   * @throws JWKSNoMatchingKey when the issuer has none; ServiceError `unavailable` when it cannot be asked.
   */
  async key(mayAsk: () => void, ...[header, token]: Parameters<JWTVerifyGetKey>) {
    if (this.#keys) {
      const isIdle = this.#age(this.#askedAt) > idleMs;
      const reading = this.#refreshOld();
      if (isIdle) await reading;
    }
    try {
      if (this.#keys) return await this.#keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    mayAsk();
    await this.#refresh();
    if (!this.#keys) this.#unavailable();
    return await this.#keys(header, token);
  }

  /** @returns when what is old has been read again, or cannot be. */
  async #refreshOld(): Promise<void> {
    if (this.#age(this.#readAt) > freshMs) await this.#refresh().catch(() => undefined);
  }

  /** Reads metadata and keys, unless that was done too often lately. @throws ServiceError `unavailable`. */
  async #refresh(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #readOnce(): Promise<void> {
    const now = this.#options.now().getTime();
    if (this.#failure === undefined) {
      if (!this.#asking.take(now)) return;
    } else if (this.#age(this.#askedAt) < failedLatelyMs) this.#unavailable();
    this.#askedAt = now;
    try {
      await this.#read();
      this.#failure = undefined;
      this.#readAt = this.#askedAt;
    } catch (error) {
      this.#failure = error;
      const { issuer, onError } = this.#options;
      onError(new Error(`The keys of ${issuer} cannot be read: ${messageOf(error)}`, { cause: error }));
      this.#unavailable();
    }
  }

  async #read(): Promise<void> {
    const { issuer } = this.#options;
    const url = new URL(issuer);
    const answer = await discoveryRequest(url, {
      [allowInsecureRequests]: isSafeUrl(url),
      [customFetch]: this.#fetch,
    });
    const server = await processDiscoveryResponse(url, answer);
    if (server.issuer !== issuer) throw new Error(`its metadata are those of "${server.issuer}"`);
    const keysUrl = URL.canParse(server.jwks_uri ?? '') ? new URL(server.jwks_uri ?? '') : undefined;
    if (!keysUrl || !isSafeUrl(keysUrl)) throw new Error('its metadata have no jwks_uri that is https');
    const keys = await this.#fetch(keysUrl.href, { headers: { accept: 'application/json' } });
    if (keys.status !== 200) throw new Error(`its jwks_uri answers ${keys.status}`);
    this.#keys = createLocalJWKSet((await keys.json()) as JSONWebKeySet);
    this.#server = server;
  }

  /** A clock that was put back has passed its time too. */
  #age(moment: number): number {
    return Math.abs(this.#options.now().getTime() - moment);
  }

  #unavailable(): never {
    const message = 'The issuer of the tokens cannot be asked for its keys now. Try again later.';
    throw new ServiceError('unavailable', message, { cause: this.#failure, retryAfter });
  }
}
