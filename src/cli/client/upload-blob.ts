import { storedBlob } from '../../contract/integrity/blobs.ts';
import { type Cid, makeCid } from '../../domain/integrity/identifiers/cid.ts';
import { hasher, type MultihashName } from '../../domain/integrity/identifiers/hashing.ts';
import { failNo } from '../terminal/failure.ts';
import { type ApiClient, ApiRefusal, type ApiRequest, answerJson } from './api-client.ts';

export interface Naming {
  readonly codec: number;
  readonly multihash: MultihashName;
}

type Ending = Pick<ApiRequest, 'signal'>;

const octets = { 'content-type': 'application/octet-stream' };

export interface KnownBlob {
  readonly cid: Cid;
  readonly size: number;
  /** The file that it comes from. */
  readonly path?: string;
  /** Each call starts a new stream. */
  readonly bytes: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

export function blobInMemory(cid: Cid, bytes: Uint8Array): KnownBlob {
  return { cid, size: bytes.length, bytes: () => [bytes] };
}

/** Uploads a blob with a known CID. @throws Failure if the bytes do not have the CID, because the file changed. */
export async function storeKnown(client: ApiClient, blob: KnownBlob, { signal }: Ending = {}): Promise<void> {
  const { cid, size, bytes } = blob;
  const headers = { ...octets, 'content-length': String(size) };
  const source = withReadFailure(bytes);
  const response = await client
    .send('PUT', `/store/v1/blob?expected_cid=${cid.text}`, { headers, body: source.open, signal })
    .catch((error: unknown) => {
      if (error instanceof ApiRefusal && error.code === 'cid_mismatch') failChanged(blob);
      throw source.failure() ?? (isOtherLength(error) ? failChanged(blob) : error);
    });
  assertSame(cid, (await answerJson(response, storedBlob)).cid);
}

/** Uploads a stream and compares the CID from the service with one computed here. */
export async function storeStream(
  client: ApiClient,
  bytes: AsyncIterable<Uint8Array>,
  { codec, multihash, signal }: Naming & Ending,
): Promise<Cid> {
  const hash = hasher(multihash);
  const source = withReadFailure(async function* () {
    for await (const chunk of bytes) {
      hash.update(chunk);
      yield chunk;
    }
  });
  const path = `/store/v1/blob?multicodec_code=${codec}&multihash=${multihash}`;
  const response = await client
    .send('PUT', path, { headers: octets, body: source.open, once: true, signal })
    .catch((error: unknown) => {
      throw source.failure() ?? error;
    });
  const cid = makeCid(codec, hash.digest(), multihash);
  assertSame(cid, (await answerJson(response, storedBlob)).cid);
  return cid;
}

/** Remembers a failure to read the bytes, because `fetch` would report it as a connection problem. */
function withReadFailure(bytes: KnownBlob['bytes']) {
  let failed: unknown;
  async function* open() {
    try {
      yield* bytes();
    } catch (error) {
      failed = error;
      throw error;
    }
  }
  return { open, failure: () => failed };
}

function isOtherLength(error: unknown): boolean {
  const fetchError = (error as Error).cause as { cause?: { code?: string } } | undefined;
  return fetchError?.cause?.code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH';
}

export function failChanged({ path }: KnownBlob): never {
  const file = path === undefined ? 'A file' : `The file ${path}`;
  failNo(`${file} changed after it was hashed. Nothing was recorded. Try again when nothing writes to it.`);
}

function assertSame(computed: Cid, answered: string): void {
  if (computed.text === answered) return;
  failNo(
    `The service answered the CID ${answered}, but the CID of the bytes is ${computed.text}. Do not trust this service.`,
  );
}
