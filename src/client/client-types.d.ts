// What programs see of the client. Declarations alone, so that their compilers need not read our sources.
import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import type { HttpMethod, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
import type { Recorded, RecordOptions } from '../cli/record/record-types.d.ts';
import type { paths } from './api.d.ts';

export interface CairnOptions {
  /** The address of the service. Default: `CAIRN_URL`, the service in `cairn.json`, or `http://127.0.0.1:3050`. */
  readonly url?: string | undefined;
  /** A bearer token, or what fetches one before each request. Default: `CAIRN_TOKEN`, or the token of `cairn login`. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
}

export interface Abortable {
  /** Ends the call with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface UploadOptions extends Abortable {
  /** The codec in the CID. Default: 0x55, raw. */
  readonly codec?: number;
  /** Default: BLAKE3. */
  readonly multihash?: 'blake3' | 'sha2-256';
}

export type Method = Extract<HttpMethod, 'get' | 'put' | 'post' | 'patch' | 'delete'>;
type PathOf<M extends Method> = PathsWithMethod<paths, M>;
export type InitOf<P extends PathOf<M>, M extends Method> = MaybeOptionalInit<paths[P], M>;
/** A call without required parameters needs none. */
export type Init<I> = RequiredKeysOf<I> extends never ? [init?: I] : [init: I];
/** The body of an answer. */
export type Answer<P extends PathOf<M>, M extends Method, I = unknown> =
  paths[P][M] extends Record<string | number, unknown>
    ? NonNullable<FetchResponse<paths[P][M], I, 'application/json'>['data']>
    : never;

/** Calls an operation of the API, and answers its body. @throws ApiRefusal, LostConnection. */
export type Call<M extends Method> = <P extends PathOf<M>, I extends InitOf<P, M>>(
  path: P,
  ...init: Init<I>
) => Promise<Answer<P, M, I>>;

/** The lists that are read page by page. */
export type PagedPath = {
  [P in PathOf<'get'>]: 'next_cursor' extends keyof Answer<P, 'get'> ? P : never;
}[PathOf<'get'>];

/** A client of a Cairn service, typed from its API description. Any number of calls may run at once. */
export interface Client {
  readonly url: string;
  readonly get: Call<'get'>;
  readonly put: Call<'put'>;
  readonly post: Call<'post'>;
  readonly patch: Call<'patch'>;
  readonly delete: Call<'delete'>;
  /** The pages of a list, from the first to the last, each read when it is asked for. */
  pages<P extends PagedPath, I extends InitOf<P, 'get'>>(
    path: P,
    ...init: Init<I>
  ): AsyncGenerator<Answer<P, 'get', I>>;
  /**
   * Stores bytes of any size as a blob.
   * @param bytes such as the stream of a file. A stream is sent once; what is in memory is sent again if the service is busy, or
   * if the connection is lost.
   * @returns its CID, which is computed on the way, and compared with that of the service.
   */
  upload(
    bytes: string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    options?: UploadOptions,
  ): Promise<string>;
  /** The bytes of a blob, as they arrive. @throws Failure at the end if they do not have this CID. */
  download(cid: string, options?: Abortable): AsyncGenerator<Uint8Array>;
  /** As the function `record`, with the service of this client. */
  record(options: RecordOptions): Promise<Recorded>;
}
