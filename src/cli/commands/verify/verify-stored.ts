import { type Cid, cidIn, codecs } from '../../../domain/integrity/identifiers/cid.ts';
import type { ContextSource } from '../../../domain/integrity/ports.ts';
import { type ApiClient, ApiRefusal, answerBytes } from '../../client/api-client.ts';
import type { LocalIdentifier } from '../../client/local-identifier.ts';
import { failNo } from '../../terminal/failure.ts';
import { ExpectedCids } from './expected-cids.ts';
import { statementLimit } from './file-form.ts';
import { verifyBlob } from './verify-file.ts';
import { verifyStatement } from './verify-statement.ts';

/** Fetches the content of a CID and recomputes the CID. @throws ApiRefusal if the service does not have it. */
export async function verifyStored(client: ApiClient, cid: Cid, identifier: LocalIdentifier) {
  const expected = new ExpectedCids([{ cid, source: 'in the request' }]);
  const bytes = await fetchStatement(client, cid);
  if (!bytes) {
    const response = await client.send('GET', `/store/v1/blob/${cid.text}`);
    return await verifyBlob(cid.text, answerBytes(response), expected);
  }
  return expected.comparedIn(await verifyStatement({ name: cid.text, bytes }, identifier, expected));
}

/** Fetches a statement by either of its CIDs; undefined if the CID belongs to other content. */
async function fetchStatement(client: ApiClient, cid: Cid): Promise<Uint8Array | undefined> {
  if (cid.codec !== codecs.rdfc && cid.codec !== codecs.jcs) return undefined;
  try {
    return await wholeAnswer(await client.send('GET', `/statements/v1/id/${cid.text}`), statementLimit);
  } catch (error) {
    if (isNotFound(error) && cid.codec === codecs.jcs) return undefined;
    throw error;
  }
}

const contextLimit = 1 << 20;

/** Fetches contexts with a `urn:cid:` URL from the service and verifies their CID. */
export function fetchedContexts(client: ApiClient): ContextSource {
  return {
    async find(url) {
      const cid = url.startsWith('urn:cid:') ? cidIn(url) : undefined;
      if (!cid) return undefined;
      try {
        const bytes = await wholeAnswer(await client.send('GET', `/store/v1/blob/${cid.text}`), contextLimit);
        const expected = new ExpectedCids([{ cid, source: 'of the context' }]);
        await verifyBlob(url, [bytes], expected);
        return expected.unmatched.length === 0 ? Buffer.from(bytes).toString() : undefined;
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
  };
}

async function wholeAnswer(response: Response, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answerBytes(response)) {
    size += chunk.length;
    if (size > limit) failNo(`${response.url} answered more than ${limit} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiRefusal && error.status === 404;
}
