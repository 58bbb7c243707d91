import * as oauth from 'oauth4webapi';
import { messageOf } from '../../../domain/errors.ts';
import { isSafeUrl } from '../../../platform/http/addresses.ts';
import { exitCodes, Failure, failNo } from '../../terminal/failure.ts';

/** The login configuration for tools: the issuer that the service trusts, the client and the scopes. */
export interface DeviceConfig {
  readonly issuer: URL;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** What the access token shall be for. */
  readonly audience?: string | undefined;
}

export interface UserCode {
  readonly code: string;
  readonly address: string;
  /** The address with the code included, if the issuer offers one. */
  readonly completeAddress: string | undefined;
  readonly expiresInSeconds: number;
}

export interface LoginPorts {
  readonly show: (code: UserCode) => void;
  readonly wait: (milliseconds: number, stop: AbortSignal) => Promise<void>;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
  readonly stop: AbortSignal;
}

export interface IssuedTokens {
  readonly idToken: string;
  readonly accessToken: string;
  readonly claims: oauth.IDToken;
}

/** The default polling interval, and the increment of `slow_down`, in seconds (RFC 8628, 3.2 and 3.5). */
const defaultInterval = 5;
const minInterval = 1;
/** Ends the login even if the issuer allows more time. */
const maxSeconds = 3_600;
const requestTimeoutMs = 30_000;

/**
 * The device authorization grant (RFC 8628): shows a code and polls until the user has entered it. Verifies the issuer,
 * audience, times and signature of the ID token (OpenID Connect Core 1.0, section 3.1.3.7).
 * @throws Failure if the issuer does not support the grant, fails or answers wrongly, or if the login is denied, expires
 * or is stopped.
 */
export async function deviceLogin(config: DeviceConfig, ports: LoginPorts): Promise<IssuedTokens> {
  return await logIn(config, ports).catch((error: unknown) => explain(error, config, ports));
}

async function logIn(config: DeviceConfig, { show, wait, clock, stop }: LoginPorts): Promise<IssuedTokens> {
  const { issuer, clientId, scopes, audience } = config;
  const client = { client_id: clientId, [oauth.clockTolerance]: 30 };
  const options = {
    signal: () => AbortSignal.any([stop, AbortSignal.timeout(requestTimeoutMs)]),
    // `readDeviceConfig` allows plain HTTP only for this machine.
    [oauth.allowInsecureRequests]: issuer.protocol === 'http:',
  };
  const discovery = await oauth.discoveryRequest(issuer, options);
  const server = await oauth.processDiscoveryResponse(issuer, discovery);
  if (server.device_authorization_endpoint === undefined)
    failNo(`The issuer ${issuer.href} does not support device login (RFC 8628). Set CAIRN_TOKEN instead.`);
  const parameters = {
    scope: scopes.join(' '),
    // RFC 8707, and what providers read that are older than it. As in a sign-in by browser.
    ...(audience !== undefined && { audience, ...(URL.canParse(audience) && { resource: audience }) }),
  };
  const answer = await oauth.deviceAuthorizationRequest(server, client, oauth.None(), parameters, options);
  const device = await oauth.processDeviceAuthorizationResponse(server, client, answer);
  const polling = pollingOf(device);
  show({
    code: device.user_code,
    address: webAddress(device.verification_uri),
    completeAddress: device.verification_uri_complete && webAddress(device.verification_uri_complete),
    expiresInSeconds: polling.seconds,
  });
  const end = clock() + polling.seconds * 1_000;
  for (let seconds = polling.interval; clock() + seconds * 1_000 < end; ) {
    await wait(seconds * 1_000, stop);
    try {
      return await redeem(server, client, device.device_code, options);
    } catch (error) {
      seconds += extraSeconds(error, seconds);
    }
  }
  failExpired();
}

/** @throws Unanswered if the poll may be repeated; oauth.ResponseBodyError if the code is pending or refused. */
async function redeem(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  deviceCode: string,
  options: oauth.TokenEndpointRequestOptions & oauth.ValidateSignatureOptions,
): Promise<IssuedTokens> {
  const response = await oauth
    .deviceCodeGrantRequest(server, client, oauth.None(), deviceCode, options)
    .catch((cause: unknown) => {
      throw new Unanswered('The issuer did not answer.', { cause });
    });
  if (response.status === 429 || response.status >= 500) {
    await response.body?.cancel();
    throw new Unanswered(`The issuer answered ${response.status}.`);
  }
  const tokens = await oauth.processDeviceCodeResponse(server, client, response);
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (!claims || tokens.id_token === undefined)
    failNo(
      'The issuer sent no ID token. Add "openid" to the scopes of the control plane (-auth-bearer-scopes).',
    );
  await oauth.validateApplicationLevelSignature(server, response, options);
  return { idToken: tokens.id_token, accessToken: tokens.access_token, claims };
}

/** @throws Failure if the code would expire before the first poll. */
function pollingOf({ expires_in, interval = defaultInterval }: oauth.DeviceAuthorizationResponse) {
  const seconds = Math.min(expires_in, maxSeconds);
  if (interval < seconds) return { interval: Math.max(interval, minInterval), seconds };
  failNo(
    `The code of the issuer expires after ${seconds} s, but it may be polled only every ${interval} s, so no login can succeed in time. Ask the operator of the issuer to change this.`,
  );
}

/** The poll got no usable answer and may be repeated (RFC 8628, section 3.5). */
class Unanswered extends Error {}

/** How much longer to wait before the next poll. @throws errors that a retry does not cure. */
function extraSeconds(error: unknown, seconds: number): number {
  if (error instanceof Unanswered) return seconds;
  if (!(error instanceof oauth.ResponseBodyError)) throw error;
  if (error.error === 'authorization_pending') return 0;
  if (error.error === 'slow_down') return defaultInterval;
  throw error;
}

function webAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && isSafeUrl(url)) return url.href;
  failNo('The issuer sent an address without https, which no browser should open.');
}

function failExpired(): never {
  failNo('The code was not entered in time. Run "cairn login" again.');
}

function explain(error: unknown, { issuer, clientId }: DeviceConfig, { stop }: LoginPorts): never {
  if (stop.aborted) throw new Failure(exitCodes.interrupted, 'The login was stopped. Nothing was stored.');
  if (error instanceof Failure) throw error;
  const { href } = issuer;
  if (error instanceof oauth.ResponseBodyError) {
    const { error: code, error_description: description } = error;
    if (code === 'expired_token') failExpired();
    if (code === 'access_denied') failNo('The login was denied in the browser.');
    const words = description ? `${code}: ${description}` : code;
    const sentence = `The issuer ${href} refused the login of client "${clientId}" (${words}).`;
    failNo(sentence, { cause: error });
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    const sentence = `The issuer ${href} sent an answer that cannot be trusted (${error.message}).`;
    failNo(sentence, { cause: error });
  }
  const { cause } = error as Error;
  const reason = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : '';
  const sentence = `The issuer ${href} cannot be reached (${reason || messageOf(error)}). Try again later.`;
  throw new Failure(exitCodes.unreachable, sentence, { cause: error });
}
