import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { errorBody } from '../../contract/errors.ts';
import { messageOf } from '../../domain/errors.ts';
import { exitCodes, Failure } from '../terminal/failure.ts';
import type { ClientSettings } from './client-settings.ts';

/** Of Node it includes streams that browsers do not take. */
type Body = NonNullable<RequestInit['body']>;

export interface ApiRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: () => Body | AsyncIterable<Uint8Array>;
  /** Do not retry, because the body can be read only once. */
  readonly once?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface ApiClient {
  readonly url: string;
  /**
   * @param path with query, starting with a slash.
   * @throws ApiRefusal for every status but 2xx; LostConnection if the service cannot be reached; the reason of the signal.
   */
  send(
    method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    request?: ApiRequest,
  ): Promise<Response>;
}

/** A newer service may know more codes. */
const refusalBody = errorBody.pick({ error: true, details: true }).extend({ code: z.string() });
export type RefusedPart = NonNullable<z.output<typeof refusalBody>['details']>[number];

/**
 * A body of JSON. Texts and bytes are JSON already.
 * @typeParam Schema of the contract, with which the compiler compares an object.
 */
export function jsonBody<Schema extends z.ZodType = never>(
  body: z.input<Schema> | string | Uint8Array<ArrayBuffer>,
): ApiRequest {
  const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  return { headers: { 'content-type': 'application/json' }, body: () => sent };
}

/** The service refused a request. The message is its own. */
export class ApiRefusal extends Failure {
  readonly status: number;
  /** The error code of the service; empty if the answer did not come from a Cairn service. */
  readonly code: string;
  readonly details: readonly RefusedPart[];

  constructor(status: number, message: string, code = '', details: readonly RefusedPart[] = []) {
    super(code === '' ? exitCodes.unreachable : exitCodeOfStatus(status), message);
    this.name = 'ApiRefusal';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** The service cannot be reached, or the connection ended early. It may have done what was asked. */
export class LostConnection extends Failure {
  constructor(message: string, options: ErrorOptions) {
    super(exitCodes.unreachable, message, options);
    this.name = 'LostConnection';
  }
}

function exitCodeOfStatus(status: number) {
  if (status === 401) return exitCodes.usage;
  return [502, 503, 504].includes(status) ? exitCodes.unreachable : exitCodes.no;
}

const attempts = 5;
const maxWaitSeconds = 30;

export const logIn = ' Run "cairn login", or set CAIRN_TOKEN to a valid token.';

/**
 * @param hint follows the service's sentence when it refuses the token.
 * @throws Failure if the stored token has expired.
 */
export function openClient(service: Pick<ClientSettings, 'url' | 'bearer'>, hint: string = logIn): ApiClient {
  const { url } = service;
  const token = service.bearer();
  return {
    url,
    async send(method, path, request = {}) {
      const { signal } = request;
      const ask = () =>
        fetch(url + path, {
          method,
          headers: { ...request.headers, ...(token !== null && { authorization: `Bearer ${token}` }) },
          ...(request.body && { body: request.body() as Body, duplex: 'half' }),
          ...(signal && { signal }),
        }).catch((error: unknown) => throwUnreachable(url, error, signal));
      const response = request.once ? await ask() : await askAgainWhileBusy(ask, signal);
      if (!response.ok) throw await refusal(url, response, hint);
      return response;
    },
  };
}

/** Repeats a request for as long as the service says when to try again. Such requests were not begun. */
export async function askAgainWhileBusy(
  ask: () => Promise<Response>,
  signal?: AbortSignal,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await ask();
    const wait = attempt === attempts ? undefined : retryAfter(response);
    if (wait === undefined) return response;
    await response.body?.cancel();
    await delay(wait * 1_000, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
  }
}

/** @throws LostConnection; the reason of the signal if it ended the request. */
export function throwUnreachable(url: string, error: unknown, signal?: AbortSignal): never {
  signal?.throwIfAborted();
  const cause = (error as Error).cause as (Error & { code?: string }) | undefined;
  const reason = cause?.code ?? cause?.message ?? messageOf(error);
  const advice = 'Start it with "cairn serve", or set CAIRN_URL to its address.';
  const message = `The service at ${url} cannot be reached (${reason}). ${advice}`;
  throw new LostConnection(message, { cause: error });
}

function retryAfter(response: Response): number | undefined {
  const header = response.headers.get('retry-after') ?? '';
  // A proxy may send a date (RFC 9110, 10.2.3).
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  if (![429, 503].includes(response.status) || Number.isNaN(seconds)) return undefined;
  return Math.min(Math.max(seconds, 0), maxWaitSeconds);
}

/** What an answer that is not 2xx says. */
export async function refusal(url: string, response: Response, hint: string): Promise<ApiRefusal> {
  const { status, statusText } = response;
  const body = refusalBody.safeParse(await response.json().catch(() => undefined));
  if (!body.success) {
    const answered = `${url} answered ${status} ${statusText}, but not like a Cairn service.`;
    return new ApiRefusal(status, `${answered} Check CAIRN_URL.`);
  }
  const { error, code, details } = body.data;
  return new ApiRefusal(status, status === 401 ? error + hint : error, code, details);
}

/** Reads the text of an answer. @throws LostConnection if the connection ends early. */
export async function answerText(response: Response): Promise<string> {
  return Buffer.concat(await Array.fromAsync(answerBytes(response))).toString();
}

/** Reads the JSON of an answer. @throws LostConnection; Failure if the JSON has another shape. */
export async function answerJson<Schema extends z.ZodType>(
  response: Response,
  schema: Schema,
): Promise<z.output<Schema>> {
  const text = await answerText(response);
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw notLikeCairn(response.url, cause);
  }
}

function notLikeCairn(url: string, cause: unknown): Failure {
  return new Failure(exitCodes.unreachable, `${url} did not answer like a Cairn service. Check CAIRN_URL.`, {
    cause,
  });
}

/** Streams the bytes of an answer. @throws LostConnection if the connection ends early; the reason of the signal. */
export async function* answerBytes(response: Response, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* response.body ?? [];
  } catch (cause) {
    signal?.throwIfAborted();
    const message = `The connection to ${new URL(response.url).origin} ended before the answer was complete. Try again.`;
    throw new LostConnection(message, { cause });
  }
}
