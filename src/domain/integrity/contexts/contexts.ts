import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../errors.ts';
import { decodeUtf8 } from '../../json/strict-json.ts';
import { isIntact, readSmallBlob } from '../blobs/blob-store.ts';
import { storeBytes } from '../blobs/upload.ts';
import { cidIn, cidOf, codecs, parseCid } from '../identifiers/cid.ts';
import type { BlobStore, ContextSource } from '../ports.ts';
import {
  type ContextDocument,
  type ContextSet,
  type ContextWorld,
  contextDocument,
  worldLimit,
} from './world.ts';

/** Cairn does not use larger context documents. */
export const contextLimit = 1 << 20;

/** How much of a world one request may add. */
const resolutionLimit = 16 << 20;
const triesLimit = 1_000;

/**
 * Finds context documents for a trusted world. The sources are searched in order. A document, once found, stays the same
 * while the process runs.
 */
export class ContextRegistry {
  #world: ContextWorld;
  readonly #sources: readonly ContextSource[];

  constructor(world: ContextWorld, sources: readonly ContextSource[]) {
    this.#world = world;
    this.#sources = sources;
  }

  get world(): ContextWorld {
    return this.#world;
  }

  document(url: string): ContextDocument | undefined {
    return this.#world.document(url);
  }

  /**
   * Adds the contexts, and the contexts that they mention, to the world as far as they can be found.
   * @returns every known document that these URLs reach.
   * @throws ServiceError `unknown_context` for a document that is not a valid context document, `too_large` for more
   *   contexts than one request may need.
   */
  async resolve(urls: readonly string[]): Promise<ContextDocument[]> {
    this.#world = this.#world.within(worldLimit);
    const tried = new Set<string>();
    for (let missing = [...urls]; missing.length > 0; missing = this.#missing(urls, tried)) {
      for (const url of missing) {
        if (tried.size >= triesLimit) throwTooMany(`${triesLimit} contexts`);
        tried.add(url);
        await this.#load(url);
        const reached = this.#world.reachable(urls).values();
        const weight = reached.reduce((sum, document) => sum + document.weight, 0);
        if (weight > resolutionLimit) throwTooMany(`${resolutionLimit} bytes of contexts`);
      }
    }
    return [...this.world.reachable(urls).values()].map(({ url, text, cid }) => ({ url, text, cid }));
  }

  #missing(urls: readonly string[], tried: ReadonlySet<string>): string[] {
    const reached = this.world.reachable(urls).values();
    const mentioned = reached.flatMap(({ mentions }) => mentions);
    return [...mentioned.filter((url) => !this.world.has(url) && !tried.has(url))];
  }

  async #load(url: string): Promise<void> {
    if (this.world.has(url)) return;
    for (const source of this.#sources) {
      const text = await source.find(url);
      if (text !== undefined) return this.world.add(contextDocument(url, text));
    }
  }
}

function throwTooMany(limit: string): never {
  throw new ServiceError('too_large', `The statements of one request may need at most ${limit}.`);
}

/** Finds contexts with a `urn:cid:` URL among the blobs. */
export function blobContexts(blobs: Pick<BlobStore, 'read' | 'size'>): ContextSource {
  return {
    async find(url) {
      const cid = url.startsWith('urn:cid:') ? cidIn(url) : undefined;
      if (!cid) return undefined;
      const bytes = await readSmallBlob(blobs, cid, contextLimit);
      return bytes && decodeUtf8(bytes);
    },
  };
}

/**
 * Stores the context documents of statements as blobs, so that their N-Quads can always be made again. It remembers the
 * sets that it has stored.
 */
export class ContextKeeper {
  readonly #blobs: Pick<BlobStore, 'stage' | 'read'>;
  readonly #world: Pick<ContextWorld, 'document'>;
  readonly #kept = new LRUCache<string, true>({ max: 10_000 });

  constructor(blobs: Pick<BlobStore, 'stage' | 'read'>, world: Pick<ContextWorld, 'document'>) {
    this.#blobs = blobs;
    this.#world = world;
  }

  async keep(set: ContextSet): Promise<void> {
    if (this.#kept.has(set.cid)) return;
    const members: Readonly<Record<string, string>> = JSON.parse(set.text);
    for (const [url, cid] of Object.entries(members)) {
      const document = this.#world.document(url);
      if (document) await storeDocument(this.#blobs, Buffer.from(document.text), document.cid);
      else await this.read(cid);
    }
    await storeDocument(this.#blobs, Buffer.from(set.text), set.cid);
    this.#kept.set(set.cid, true);
  }

  async documents(set: string): Promise<ContextDocument[]> {
    const read = async (url: string, cid: string) => ({ url, cid, text: decodeUtf8(await this.read(cid)) });
    return Promise.all(Object.entries(await this.members(set)).map(([url, cid]) => read(url, cid)));
  }

  /** The CIDs of the documents of a stored set, by URL. */
  async members(set: string): Promise<Readonly<Record<string, string>>> {
    return JSON.parse(decodeUtf8(await this.read(set)));
  }

  async read(cid: string): Promise<Uint8Array> {
    const bytes = await readSmallBlob(this.#blobs, parseCid(cid), contextLimit);
    if (!bytes || cidOf(codecs.raw, bytes).digest.some((byte, at) => byte !== parseCid(cid).digest[at])) {
      const message = `The stored context document ${cid} is missing or damaged. Run cairn fsck.`;
      throw new ServiceError('internal', message);
    }
    return bytes;
  }
}

/** Looks up first, so that a full store can still serve known documents. A damaged document is stored again. */
export async function storeDocument(
  blobs: Pick<BlobStore, 'stage' | 'read'>,
  bytes: Uint8Array,
  name: string,
): Promise<void> {
  const cid = parseCid(name);
  if (!(await isIntact(blobs, cid))) await storeBytes(blobs, bytes, cid);
}
