import { blobExistence, storedBlob } from '../../contract/integrity/blobs.ts';
import { type Cid, makeCid } from '../../domain/integrity/identifiers/cid.ts';
import { hasher, type MultihashName } from '../../domain/integrity/identifiers/hashing.ts';
import { exitCodes, Failure, failNo } from '../terminal/failure.ts';
import { type ApiClient, answerJson } from './api-client.ts';

export interface Naming {
  readonly codec: number;
  readonly multihash: MultihashName;
}

const octets = { 'content-type': 'application/octet-stream' };

export interface KnownBlob {
  readonly cid: Cid;
  readonly size: number;
  /** Each call starts a new stream. */
  readonly bytes: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

export function blobInMemory(cid: Cid, bytes: Uint8Array): KnownBlob {
  return { cid, size: bytes.length, bytes: () => [bytes] };
}

/**
 * Uploads a blob with a known CID unless the service has it.
 * @throws Failure if the bytes do not have the CID, for example because the file changed.
 */
export async function ensureStored(client: ApiClient, blob: KnownBlob): Promise<void> {
  if (!(await isStored(client, blob.cid))) await storeKnown(client, blob);
}

export async function isStored(client: ApiClient, cid: Cid): Promise<boolean> {
  const path = `/store/v1/exists/${cid.text}`;
  return (await answerJson(await client.send('GET', path), blobExistence)).exists;
}

/** Uploads a blob with a known CID. @throws Failure as `ensureStored`. */
export async function storeKnown(client: ApiClient, { cid, size, bytes }: KnownBlob): Promise<void> {
  const headers = { ...octets, 'content-length': String(size) };
  const source = withReadFailure(bytes);
  const response = await client
    .send('PUT', `/store/v1/blob?expected_cid=${cid.text}`, { headers, body: source.open })
    .catch((error: unknown) => {
      throw source.failure() ?? changedWhileRead(error) ?? error;
    });
  assertSame(cid, (await answerJson(response, storedBlob)).cid);
}

/** Uploads a stream and compares the CID from the service with one computed here. */
export async function storeStream(
  client: ApiClient,
  bytes: AsyncIterable<Uint8Array>,
  { codec, multihash }: Naming,
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
    .send('PUT', path, { headers: octets, body: source.open, once: true })
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

function changedWhileRead(error: unknown): Failure | undefined {
  const fetchError = (error as Error).cause as { cause?: { code?: string } } | undefined;
  if (fetchError?.cause?.code !== 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') return undefined;
  return new Failure(exitCodes.no, 'The file changed while it was sent. Nothing was stored. Try again.');
}

function assertSame(computed: Cid, answered: string): void {
  if (computed.text === answered) return;
  failNo(
    `The service answered the CID ${answered}, but the CID of the bytes is ${computed.text}. Do not trust this service.`,
  );
}
