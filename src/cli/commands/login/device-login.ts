import * as oauth from 'oauth4webapi';
import { messageOf } from '../../../domain/errors.ts';
import { isSafeUrl } from '../../../platform/http/loopback.ts';
import { exitCodes, Failure } from '../../terminal/failure.ts';
import type { DeviceConfig } from './device-config.ts';

/** What somebody has to do in a browser. */
export interface UserCode {
  readonly code: string;
  readonly address: string;
  /** The address with the code in it, where the issuer has one. */
  readonly completeAddress: string | undefined;
  readonly expiresInSeconds: number;
}

export interface LoginPorts {
  readonly show: (code: UserCode) => void;
  readonly wait: (milliseconds: number, stop: AbortSignal) => Promise<void>;
  /** Milliseconds since any moment. */
  readonly clock: () => number;
  readonly stop: AbortSignal;
}

export interface IssuedTokens {
  readonly idToken: string;
  readonly accessToken: string;
  readonly claims: oauth.IDToken;
}

/** Seconds between questions when the issuer names none, and how much each `slow_down` adds (RFC 8628, 3.2 and 3.5). */
const usualInterval = 5;
const leastInterval = 1;
/** Nobody sits at a login for longer, whatever the issuer says. */
const longestSeconds = 3_600;
const longestAnswerMs = 30_000;

/**
 * The device authorization grant (RFC 8628): gets a code to show, and asks until somebody has entered it. The ID token
 * that comes back is verified: issuer, audience, times and signature (OpenID Connect Core 1.0, section 3.1.3.7).
 * @throws Failure when the issuer has no such grant, answers wrongly or not at all, or when the login is denied, comes
 * too late or is stopped.
 */
export async function deviceLogin(config: DeviceConfig, ports: LoginPorts): Promise<IssuedTokens> {
  return await new DeviceLogin(config, ports).run().catch((error: unknown) => explain(error, config, ports));
}

class DeviceLogin {
  readonly #config: DeviceConfig;
  readonly #ports: LoginPorts;
  readonly #client: oauth.Client;

  constructor(config: DeviceConfig, ports: LoginPorts) {
    this.#config = config;
    this.#ports = ports;
    this.#client = { client_id: config.clientId, [oauth.clockTolerance]: 30 };
  }

  async run(): Promise<IssuedTokens> {
    const { issuer, scopes } = this.#config;
    const discovery = await oauth.discoveryRequest(issuer, this.#request());
    const server = await oauth.processDiscoveryResponse(issuer, discovery);
    if (server.device_authorization_endpoint === undefined)
      throw new Failure(exitCodes.no, `The issuer ${issuer.href} has no login for devices (RFC 8628).`);
    const device = await oauth.processDeviceAuthorizationResponse(
      server,
      this.#client,
      await oauth.deviceAuthorizationRequest(
        server,
        this.#client,
        oauth.None(),
        { scope: scopes.join(' ') },
        this.#request(),
      ),
    );
    const patience = patienceOf(device);
    this.#ports.show({
      code: device.user_code,
      address: webAddress(device.verification_uri),
      completeAddress: device.verification_uri_complete && webAddress(device.verification_uri_complete),
      expiresInSeconds: patience.seconds,
    });
    return await this.#poll(server, device.device_code, patience);
  }

  async #poll(
    server: oauth.AuthorizationServer,
    deviceCode: string,
    patience: Patience,
  ): Promise<IssuedTokens> {
    const { clock, wait, stop } = this.#ports;
    const end = clock() + patience.seconds * 1_000;
    let seconds = patience.interval;
    while (clock() + seconds * 1_000 < end) {
      await wait(seconds * 1_000, stop);
      try {
        return await this.#redeem(server, deviceCode);
      } catch (error) {
        seconds += moreSeconds(error, seconds);
      }
    }
    return tooLate();
  }

  async #redeem(server: oauth.AuthorizationServer, deviceCode: string): Promise<IssuedTokens> {
    const client = this.#client;
    const response = await oauth
      .deviceCodeGrantRequest(server, client, oauth.None(), deviceCode, this.#request())
      .catch((cause: unknown) => {
        throw new Unanswered('The issuer does not answer.', { cause });
      });
    if (response.status === 429 || response.status >= 500) {
      await response.body?.cancel();
      throw new Unanswered(`The issuer answers ${response.status}.`);
    }
    const tokens = await oauth.processDeviceCodeResponse(server, client, response);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    if (!claims || tokens.id_token === undefined)
      throw new Failure(
        exitCodes.no,
        'The issuer gave no ID token. The scopes of the control plane (-auth-bearer-scopes) must have "openid".',
      );
    await oauth.validateApplicationLevelSignature(server, response, this.#request());
    return { idToken: tokens.id_token, accessToken: tokens.access_token, claims };
  }

  /** Plain HTTP goes to this machine alone, which the configuration was checked for. */
  #request() {
    return {
      signal: () => AbortSignal.any([this.#ports.stop, AbortSignal.timeout(longestAnswerMs)]),
      [oauth.allowInsecureRequests]: this.#config.issuer.protocol === 'http:',
    };
  }
}

/** How often to ask, and for how long; both in seconds. */
interface Patience {
  readonly interval: number;
  readonly seconds: number;
}

/** @throws Failure where the code would be over before the issuer wants to be asked about it. */
function patienceOf({ expires_in, interval = usualInterval }: oauth.DeviceAuthorizationResponse): Patience {
  const seconds = Math.min(expires_in, longestSeconds);
  if (interval < seconds) return { interval: Math.max(interval, leastInterval), seconds };
  throw new Failure(
    exitCodes.no,
    `The issuer gives ${seconds} s to enter the code and wants to be asked every ${interval} s, so that nobody could log in in time. That is for its operator to change.`,
  );
}

/** Nothing of use came back: the same question may be answered later (RFC 8628, section 3.5). */
class Unanswered extends Error {}

/** How much longer to wait before the next question. @throws what is no reason to ask again. */
function moreSeconds(error: unknown, seconds: number): number {
  if (error instanceof Unanswered) return seconds;
  if (!(error instanceof oauth.ResponseBodyError)) throw error;
  if (error.error === 'authorization_pending') return 0;
  if (error.error === 'slow_down') return usualInterval;
  throw error;
}

function webAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && isSafeUrl(url)) return url.href;
  throw new Failure(
    exitCodes.no,
    'The issuer gave an address that no browser should open: one without https.',
  );
}

function tooLate(): never {
  throw new Failure(exitCodes.no, 'Nobody entered the code in time. Run "cairn login" again.');
}

function explain(error: unknown, { issuer, clientId }: DeviceConfig, { stop }: LoginPorts): never {
  if (stop.aborted) throw new Failure(exitCodes.interrupted, 'The login was stopped; nothing was kept.');
  if (error instanceof Failure) throw error;
  const { href } = issuer;
  if (error instanceof oauth.ResponseBodyError) {
    const { error: code, error_description: description } = error;
    if (code === 'expired_token') tooLate();
    if (code === 'access_denied') throw new Failure(exitCodes.no, 'The login was denied in the browser.');
    const words = description ? `${code}: ${description}` : code;
    const sentence = `The issuer ${href} refuses the login of client "${clientId}" (${words}).`;
    throw new Failure(exitCodes.no, sentence, { cause: error });
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    const sentence = `The issuer ${href} gave an answer that cannot be trusted (${error.message}).`;
    throw new Failure(exitCodes.no, sentence, { cause: error });
  }
  const { cause } = error as Error;
  const reason = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : '';
  throw new Failure(
    exitCodes.unreachable,
    `The issuer ${href} cannot be reached (${reason || messageOf(error)}). Try again later.`,
    { cause: error },
  );
}
