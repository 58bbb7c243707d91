import { createRemoteJWKSet, errors, type JWTVerifyGetKey, customFetch as keysFetch } from 'jose';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from 'oauth4webapi';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import { isSafeUrl } from '../http/addresses.ts';
import { boundedFetch } from '../http/bounded-fetch.ts';

export interface IssuerKeysOptions {
  /** Exactly as in its tokens and metadata. */
  readonly issuer: string;
  readonly now: () => Date;
  readonly onError: (error: Error) => void;
  readonly timeoutMs?: number;
}

interface Published {
  readonly server: AuthorizationServer;
  readonly keys: ReturnType<typeof createRemoteJWKSet>;
}

/** At most `mostRereads` reads for unknown keys begin in this time, so that a new key counts soon after another one. */
const rereadsMs = 10_000;
const mostRereads = 2;
/** How long the issuer is left alone after a failure. */
const failedLatelyMs = 1_000;
/** Older keys are read again in the background, so that withdrawn keys end. */
const freshMs = 300_000;
/** After this time without a read, keys are read again before they are used. */
const idleMs = 600_000;
const retryAfter = 5;
const maxBytes = 1_048_576;

/**
 * The metadata and keys that an issuer publishes (OpenID Connect Discovery 1.0, section 4). They are read when they
 * are first needed, and the keys again when a token names an unknown one. While the issuer is away, known keys remain.
 */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  readonly #fetch;
  #published: Published | undefined;
  #reading: Promise<Published> | undefined;
  #rereading: Promise<void> | undefined;
  /** When keys were read for an unknown one, in the last `rereadsMs`. */
  #rereads: readonly number[] = [];
  #askedAt = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #failure: unknown;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
    this.#fetch = boundedFetch({ timeoutMs: options.timeoutMs ?? 5_000, maxBytes });
  }

  /** @throws ServiceError `unavailable`. */
  async metadata(): Promise<AuthorizationServer> {
    return (await this.#current()).server;
  }

  /**
   * The key that a token's header names.
   * @throws JWKSNoMatchingKey when the issuer has none; ServiceError `unavailable` when it cannot be asked.
   */
  async key(...[header, token]: Parameters<JWTVerifyGetKey>) {
    const { keys } = await this.#current();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !this.#mayReread()) throw error;
      this.#rereading ??= this.#reread(keys).finally(() => {
        this.#rereading = undefined;
      });
      await this.#rereading;
      return await keys(header, token);
    }
  }

  #mayReread(): boolean {
    this.#rereads = this.#rereads.filter((at) => this.#age(at) < rereadsMs);
    return this.#rereading !== undefined || this.#rereads.length < mostRereads;
  }

  /** Failed reads do not count: `#demandPatience` limits them. */
  async #reread(keys: Published['keys']): Promise<void> {
    const at = this.#options.now().getTime();
    await keys.reload();
    this.#rereads = [...this.#rereads, at];
  }

  /** The last metadata and keys. Old ones are read again; if that fails, they stay. */
  async #current(): Promise<Published> {
    const known = this.#published;
    if (known && this.#age(this.#readAt) <= freshMs) return known;
    const isIdle = this.#age(this.#askedAt) > idleMs;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    if (!known) return await this.#reading;
    const read = this.#reading.catch(() => known);
    return isIdle ? await read : known;
  }

  async #read(): Promise<Published> {
    this.#demandPatience();
    this.#askedAt = this.#options.now().getTime();
    try {
      const server = await this.#readMetadata();
      const keysUrl = URL.parse(server.jwks_uri ?? '');
      if (!keysUrl || !isSafeUrl(keysUrl)) throw new Error('its metadata have no jwks_uri that is https');
      const keys = createRemoteJWKSet(keysUrl, {
        cacheMaxAge: Number.POSITIVE_INFINITY,
        // `key` decides when to read again.
        cooldownDuration: Number.POSITIVE_INFINITY,
        [keysFetch]: (url, init) => this.#fetchKeys(url, init),
      });
      await keys.reload();
      this.#published = { server, keys };
      this.#readAt = this.#askedAt;
      return this.#published;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async #readMetadata(): Promise<AuthorizationServer> {
    const { issuer } = this.#options;
    const url = new URL(issuer);
    const options = { [allowInsecureRequests]: isSafeUrl(url), [customFetch]: this.#fetch };
    const server = await processDiscoveryResponse(url, await discoveryRequest(url, options));
    if (server.issuer !== issuer) throw new Error(`its metadata are those of "${server.issuer}"`);
    return server;
  }

  /** Without this, jose would report a bad answer as an error of the token. */
  async #fetchKeys(url: string, init: RequestInit): Promise<Response> {
    this.#demandPatience();
    try {
      const answer = await this.#fetch(url, init);
      if (answer.status !== 200) throw new Error(`its jwks_uri answers ${answer.status}`);
      return Response.json(await answer.json());
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** @throws ServiceError `unavailable` when the issuer has just failed. */
  #demandPatience(): void {
    if (this.#age(this.#failedAt) < failedLatelyMs) throw this.#unavailable();
  }

  #failed(error: unknown): ServiceError {
    if (error instanceof ServiceError) return error;
    const { issuer, now, onError } = this.#options;
    this.#failure = error;
    this.#failedAt = now().getTime();
    onError(new Error(`The keys of ${issuer} cannot be read: ${messageOf(error)}`, { cause: error }));
    return this.#unavailable();
  }

  #unavailable(): ServiceError {
    const message = 'The issuer of the tokens cannot be asked for its keys now. Try again later.';
    return new ServiceError('unavailable', message, { cause: this.#failure, retryAfter });
  }

  /** Works for a clock that was set back, too. */
  #age(moment: number): number {
    return Math.abs(this.#options.now().getTime() - moment);
  }
}
