import '../domain/older-runtimes.ts';
import createClient, { type Client as Api } from 'openapi-fetch';
import pRetry from 'p-retry';
import {
  type ApiClient,
  answerBytes,
  askAgainWhileBusy,
  LostConnection,
  logIn,
  openClient,
  refusal,
  throwUnreachable,
} from '../cli/client/api-client.ts';
import { readClientSettings } from '../cli/client/client-settings.ts';
import { contentOf } from '../cli/client/download.ts';
import { blobInMemory, storeKnown, storeStream } from '../cli/client/upload-blob.ts';
import { recordIn } from '../cli/record/record.ts';
import type { Recorded, RecordOptions } from '../cli/record/record-types.d.ts';
import { exitCodes, Failure, failNo } from '../cli/terminal/failure.ts';
import { codecs, makeCid, parseCid } from '../domain/integrity/identifiers/cid.ts';
import { hasher } from '../domain/integrity/identifiers/hashing.ts';
import type { paths } from './api.d.ts';
import type {
  Abortable,
  Answer,
  CairnOptions,
  Call,
  Client,
  Init,
  InitOf,
  Method,
  PagedPath,
  UploadOptions,
} from './client-types.d.ts';

export { ApiRefusal, LostConnection } from '../cli/client/api-client.ts';
export { Failure } from '../cli/terminal/failure.ts';
export { ownContextUrl as context } from '../domain/integrity/contexts/own.ts';

/** After a lost connection. */
const retries = 3;
const firstWaitMs = 200;

/** See `Client`. */
export class Cairn implements Client {
  readonly url: string;
  readonly #token: () => Promise<string | null>;
  readonly #api: Api<paths>;
  readonly get = this.#calls('get');
  readonly put = this.#calls('put');
  readonly post = this.#calls('post');
  readonly patch = this.#calls('patch');
  readonly delete = this.#calls('delete');

  /** @throws SettingsError or Failure for an address or a token that cannot be one. */
  constructor({ url, token }: CairnOptions = {}) {
    const { env, stderr } = process;
    const given = {
      ...(url !== undefined && { CAIRN_URL: url }),
      ...(typeof token === 'string' && { CAIRN_TOKEN: token }),
    };
    const settings = readClientSettings({ env: { ...env, ...given }, cwd: process.cwd(), stderr });
    this.url = settings.url;
    this.#token = async () => (typeof token === 'function' ? await token() : settings.bearer());
    this.#api = createClient<paths>({ baseUrl: this.url, fetch: (request) => this.#fetch(request) });
  }

  #calls<M extends Method>(method: M): Call<M> {
    return async (path, ...[init]) => {
      try {
        return (await this.#api.request(method as never, path as never, init as never)).data as never;
      } catch (error) {
        throw error instanceof SyntaxError ? notJson(this.url + path, error) : error;
      }
    };
  }

  /** Requests that the service did not begin are repeated, and those that may be repeated after a lost connection. */
  async #fetch(request: Request): Promise<Response> {
    const token = await this.#token();
    if (token !== null) request.headers.set('authorization', `Bearer ${token}`);
    const { signal } = request;
    // Node may lose the signal of a clone.
    const ask = () =>
      fetch(request.clone(), { signal }).catch((error: unknown) => throwUnreachable(this.url, error, signal));
    const askPatiently = () => askAgainWhileBusy(ask, signal);
    const mayRepeat = !['POST', 'PATCH'].includes(request.method);
    const response = mayRepeat ? await repeated(askPatiently, signal) : await askPatiently();
    if (!response.ok) throw await refusal(this.url, response, logIn);
    if (!response.body) return response;
    return new Response(ReadableStream.from(answerBytes(response, signal)), response);
  }

  async *pages<P extends PagedPath, I extends InitOf<P, 'get'>>(
    path: P,
    ...[init]: Init<I>
  ): AsyncGenerator<Answer<P, 'get', I>> {
    const { params, ...rest } = (init ?? {}) as { params?: { query?: object } };
    for (let cursor: string | undefined; ; ) {
      const query = { ...params?.query, ...(cursor !== undefined && { cursor }) };
      const page = await this.get(path, { ...rest, params: { ...params, query } } as never);
      yield page as never;
      cursor = (page as { next_cursor?: string }).next_cursor;
      if (cursor === undefined) return;
    }
  }

  async upload(
    bytes: string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    { codec = codecs.raw, multihash = 'blake3', signal }: UploadOptions = {},
  ): Promise<string> {
    const client = await this.#client();
    if (typeof bytes !== 'string' && !(bytes instanceof Uint8Array))
      return (await storeStream(client, chunksOf(bytes), { codec, multihash, signal })).text;
    const whole = Buffer.from(bytes);
    const hash = hasher(multihash);
    hash.update(whole);
    const cid = makeCid(codec, hash.digest(), multihash);
    await repeated(() => storeKnown(client, blobInMemory(cid, whole), { signal }), signal);
    return cid.text;
  }

  async *download(cid: string, { signal }: Abortable = {}): AsyncGenerator<Uint8Array> {
    const expected = parseCid(cid);
    const { path } = contentOf(expected);
    const hash = hasher(expected.multihash);
    const client = await this.#client();
    const response = await repeated(() => client.send('GET', path, { signal }), signal);
    for await (const chunk of answerBytes(response, signal)) {
      hash.update(chunk);
      yield chunk;
    }
    if (Buffer.compare(hash.digest(), expected.digest) !== 0)
      failNo(`${this.url} sent bytes that do not match ${expected.text}.`);
  }

  async record(options: RecordOptions): Promise<Recorded> {
    const token = await this.#token();
    const own = { CAIRN_URL: this.url, ...(token !== null && { CAIRN_TOKEN: token }) };
    return await recordIn({ ...process.env, ...own }, options);
  }

  async #client(): Promise<ApiClient> {
    const token = await this.#token();
    return openClient({ url: this.url, bearer: () => token });
  }
}

/** Tries again after a lost connection, for what changes nothing the second time. */
async function repeated<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return await pRetry(ask, {
    retries,
    minTimeout: firstWaitMs,
    shouldRetry: ({ error }) => error instanceof LostConnection,
    ...(signal && { signal }),
  });
}

/** @throws TypeError, also for what only the types exclude, such as a file that is read as text. */
async function* chunksOf(bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) {
  const given = Object(bytes);
  if (!(Symbol.asyncIterator in given || Symbol.iterator in given)) failType(bytes);
  for await (const chunk of bytes) yield chunk instanceof Uint8Array ? chunk : failType(chunk);
}

function failType(found: unknown): never {
  const kind = found instanceof Object ? found.constructor.name : typeof found;
  throw new TypeError(
    `upload() takes a text, a Uint8Array or a stream of Uint8Arrays, but found a value of the type ${kind}. Read files without an encoding, and pass the stream() of a Blob.`,
  );
}

function notJson(url: string, cause: unknown): Failure {
  const message = `${url} did not answer with JSON. If that is right, say with parseAs how to read it, such as "text". If not, check CAIRN_URL.`;
  return new Failure(exitCodes.unreachable, message, { cause });
}
