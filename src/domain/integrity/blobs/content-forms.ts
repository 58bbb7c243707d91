import { everythingVisible, type Visibility } from '../../access/visibility.ts';
import { ServiceError } from '../../errors.ts';
import { reachEverything } from '../access/content-reach.ts';
import { type Cid, codecs, makeCid } from '../identifiers/cid.ts';
import type { BlobContent } from '../ports.ts';
import { readAll } from './blob-store.ts';
import { type ContentPorts, openContent } from './content.ts';
import { decodeCollection, decodeCollectionRoot } from './iroh-collection.ts';

/**
 * Content that is valid UTF-8. It is read twice, so that none of it stays in memory.
 * @throws ServiceError `not_found`, `unexpected_content` if the content is not UTF-8, `too_large`.
 */
export async function openText(
  ports: ContentPorts,
  cid: Cid,
  visibility: Visibility,
  limit: number,
): Promise<BlobContent> {
  const open = async () => {
    const content = await openFound(ports, cid, visibility);
    if (content.size <= limit) return content;
    await content[Symbol.asyncDispose]();
    return throwTooLarge(cid, content.size, limit);
  };
  await using checked = await open();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for await (const chunk of checked.bytes) decodePart(decoder, cid, chunk);
  decodePart(decoder, cid);
  return await open();
}

function decodePart(decoder: TextDecoder, cid: Cid, chunk?: Uint8Array): void {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined });
  } catch (cause) {
    throw new ServiceError('unexpected_content', `The bytes of ${cid.text} are not UTF-8 text.`, { cause });
  }
}

/**
 * The CIDs of the files of an iroh collection, by name.
 * @throws ServiceError `not_found` for the collection or its metadata blob, `unexpected_content` if it is malformed.
 */
export async function readIrohCollection(
  ports: ContentPorts,
  cid: Cid,
  visibility: Visibility,
  limit: number,
): Promise<Record<string, string>> {
  const root = await readWhole(ports, cid, visibility, limit);
  // Readers of the collection may read its names, although no statement refers to the metadata.
  const metadataCid = makeCid(codecs.raw, decodeCollectionRoot(root).metadata);
  const allPorts = { ...ports, reach: reachEverything };
  const metadata = await readWhole(allPorts, metadataCid, everythingVisible, limit);
  const entries = decodeCollection({ metadata, root });
  return Object.fromEntries(entries.map(({ name, digest }) => [name, makeCid(codecs.raw, digest).text]));
}

async function readWhole(ports: ContentPorts, cid: Cid, visibility: Visibility, limit: number) {
  const content = await openFound(ports, cid, visibility);
  return await readAll(content, limit, (size) => throwTooLarge(cid, size, limit));
}

async function openFound(ports: ContentPorts, cid: Cid, visibility: Visibility): Promise<BlobContent> {
  const content = await openContent(ports, cid, visibility);
  if (content) return content;
  throw new ServiceError('not_found', `Nothing is stored under ${cid.text}.`);
}

function throwTooLarge(cid: Cid, size: number, limit: number): never {
  throw new ServiceError(
    'too_large',
    `${cid.text} has ${size} bytes, but at most ${limit} are read here (CAIRN_MAX_JSON_BYTES). Read it with GET /store/v1/blob.`,
  );
}
