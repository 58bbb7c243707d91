import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import type { Identity } from '../../domain/control-plane/logins.ts';
import { RefusedSession } from '../../domain/control-plane/refused-session.ts';
import type { ProviderTokens } from '../../domain/control-plane/session-tokens.ts';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import { isSafeUrl } from '../http/addresses.ts';
import { boundedFetch, type Fetch } from '../http/bounded-fetch.ts';
import type { OidcIssuer } from '../tokens/oidc-issuer.ts';
import { personOf } from '../tokens/token-verifier.ts';
import { SignInFailure } from './sign-in-failure.ts';

export interface IdentityProviderOptions {
  readonly issuer: OidcIssuer;
  readonly clientId: string;
  readonly clientSecret: string;
  /** As it is registered with the provider. */
  readonly redirectUrl: string;
  readonly scopes: readonly string[];
  /** The audience that access tokens must have; null if nobody reads them. */
  readonly audience: string | null;
}

/** Secrets of a started sign-in. Only the browser that started it holds them. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

const clockToleranceSeconds = 5;
const fetchBounded = boundedFetch({ timeoutMs: 10_000, maxBytes: 1_048_576 });

/** Fetches URLs from the provider's metadata. Some of them receive the client secret. */
const fetchSafely: Fetch = async (url, init) => {
  if (isSafeUrl(new URL(url))) return await fetchBounded(url, init);
  throw new SignInFailure('unavailable', 'the metadata of the provider contain a URL that is not https');
};

/**
 * Sign-in by browser with an OpenID provider: authorization code with PKCE (RFC 7636), `state` and `nonce` (OpenID
 * Connect Core 1.0, section 3.1), and the exact issuer, also in the response if the provider sends it (RFC 9207).
 */
export class IdentityProvider {
  readonly #options: IdentityProviderOptions;
  readonly #client: oauth.Client;
  readonly #requests;

  constructor(options: IdentityProviderOptions) {
    this.#options = options;
    this.#client = { client_id: options.clientId, [oauth.clockTolerance]: clockToleranceSeconds };
    // `fetchSafely` allows plain HTTP on this machine only.
    this.#requests = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: fetchSafely };
  }

  /** The address to send the browser to, and the secrets to keep until it returns. @throws SignInFailure. */
  async begin(): Promise<{ readonly address: URL; readonly pending: PendingSignIn }> {
    const { redirectUrl, clientId, scopes } = this.#options;
    const { authorization_endpoint: endpoint = '' } = await this.#server();
    if (!URL.canParse(endpoint) || !isSafeUrl(new URL(endpoint)))
      throw new SignInFailure(
        'unavailable',
        'the metadata of the provider have no https authorization_endpoint',
      );
    const pending = {
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      codeVerifier: oauth.generateRandomCodeVerifier(),
    };
    const address = new URL(endpoint);
    const parameters = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUrl,
      scope: scopes.join(' '),
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(pending.codeVerifier),
      code_challenge_method: 'S256',
      ...this.#audience(),
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return { address, pending };
  }

  /** The person who signed in, as the provider describes them. @throws SignInFailure. */
  async finish(
    answer: URLSearchParams,
    { state, nonce, codeVerifier }: PendingSignIn,
  ): Promise<{ readonly identity: Identity; readonly tokens: ProviderTokens }> {
    const server = await this.#server();
    try {
      const parameters = oauth.validateAuthResponse(server, this.#client, answer, state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        this.#client,
        this.#clientAuthentication(server),
        parameters,
        this.#options.redirectUrl,
        codeVerifier,
        { ...this.#requests, additionalParameters: this.#audience() },
      );
      const expected = { expectedNonce: nonce, requireIdToken: true };
      const answered = await oauth.processAuthorizationCodeResponse(server, this.#client, response, expected);
      const tokens = tokensOf(answered);
      const { issuer, clientId, scopes } = this.#options;
      const { claims, subject } = await issuer.verify(tokens.idToken, {
        audience: clientId,
        use: 'id-token',
      });
      const lacksEmail = scopes.includes('email') && !('email' in claims);
      // The e-mail and its verification must come from the same source.
      const profile = lacksEmail ? await this.#userInfo(server, tokens.accessToken, subject) : claims;
      const person = personOf({ name: claims.name, ...profile });
      return { identity: { issuer: issuer.issuer, subject, ...person }, tokens };
    } catch (error) {
      throw failureOf(error);
    }
  }

  /**
   * New tokens for those of a sign-in (RFC 6749, section 6; OpenID Connect Core 1.0, section 12.2). What the provider
   * does not replace stays. @throws RefusedSession if the provider refuses; SignInFailure `unavailable`.
   */
  async refresh({ refreshToken, ...before }: ProviderTokens): Promise<ProviderTokens> {
    const server = await this.#server();
    try {
      const response = await oauth.refreshTokenGrantRequest(
        server,
        this.#client,
        this.#clientAuthentication(server),
        refreshToken ?? '',
        { ...this.#requests, additionalParameters: this.#audience() },
      );
      const answered = await oauth.processRefreshTokenResponse(server, this.#client, response);
      const tokens = tokensOf(answered, { refreshToken, ...before });
      if (tokens.idToken !== before.idToken) await this.#assertSameSubject(tokens.idToken, before.idToken);
      return tokens;
    } catch (error) {
      if (error instanceof RefusedSession) throw error;
      if (isRefusal(error)) throw new RefusedSession('grant_ended');
      throw new SignInFailure('unavailable', failureOf(error).reason);
    }
  }

  async #assertSameSubject(idToken: string, before: string): Promise<void> {
    const { issuer, clientId } = this.#options;
    const { subject } = await issuer.verify(idToken, { audience: clientId, use: 'id-token' });
    if (subject !== decodeJwt(before).sub) throw new RefusedSession('grant_ended');
  }

  /**
   * Asks for access tokens that are for the integrity service: `resource` is the standard (RFC 8707), `audience` is read
   * by providers that are older than it. Others ignore what they do not know.
   */
  #audience(): Record<string, string> {
    const { audience } = this.#options;
    if (audience === null) return {};
    return { audience, ...(URL.canParse(audience) && { resource: audience }) };
  }

  async #server(): Promise<oauth.AuthorizationServer> {
    try {
      return await this.#options.issuer.metadata();
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** As the metadata demand; by header if they do not say (RFC 8414, section 2). */
  #clientAuthentication({ token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer) {
    const { clientSecret } = this.#options;
    const byHeader = methods === undefined || methods.includes('client_secret_basic');
    return byHeader ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret);
  }

  /** Some providers send the e-mail only here (OpenID Connect Core 1.0, section 5.4). */
  async #userInfo(server: oauth.AuthorizationServer, accessToken: string, subject: string) {
    if (!server.userinfo_endpoint) return {};
    try {
      const response = await oauth.userInfoRequest(server, this.#client, accessToken, this.#requests);
      return await oauth.processUserInfoResponse(server, this.#client, subject, response);
    } catch (error) {
      // An access token for the integrity service need not open the userinfo endpoint.
      if (error instanceof oauth.WWWAuthenticateChallengeError && this.#options.audience !== null) return {};
      throw error;
    }
  }
}

function tokensOf(answered: oauth.TokenEndpointResponse, before?: ProviderTokens): ProviderTokens {
  return {
    idToken: answered.id_token ?? before?.idToken ?? '',
    accessToken: answered.access_token,
    refreshToken: answered.refresh_token ?? before?.refreshToken ?? null,
  };
}

/** The library's errors contain requests and responses, so only the kind of problem is passed on. */
function failureOf(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error;
  if (error instanceof oauth.AuthorizationResponseError)
    return error.error === 'access_denied'
      ? new SignInFailure('cancelled', 'access_denied')
      : new SignInFailure('failed', `the provider answered with the error ${plain(error.error)}`);
  if (error instanceof oauth.ResponseBodyError)
    return new SignInFailure('failed', `the token endpoint answered with the error ${plain(error.error)}`);
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return new SignInFailure('failed', `the provider answered ${error.status} to the client's credentials`);
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError)
    return new SignInFailure('failed', error.message);
  if (error instanceof ServiceError && error.code !== 'unavailable')
    return new SignInFailure('failed', 'reason' in error ? `ID token: ${error.reason}` : error.message);
  return new SignInFailure('unavailable', messageOf(error));
}

/** Whether a token endpoint refuses the grant, and not this service or this moment (RFC 6749, section 5.2). */
function isRefusal(error: unknown): boolean {
  const passing = ['invalid_client', 'server_error', 'temporarily_unavailable'];
  return error instanceof oauth.ResponseBodyError && error.status === 400 && !passing.includes(error.error);
}

const plain = (text: string) => text.replaceAll(/[^\w.:-]/g, '').slice(0, 100);
