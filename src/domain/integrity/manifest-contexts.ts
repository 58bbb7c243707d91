import { ServiceError } from '../errors.ts';
import { decodeUtf8, jsonPointer } from '../strict-json.ts';
import { cidIn, cidOf, codecs, makeCid } from './cid.ts';
import { type ContextDocument, ContextWorld, contextDocument } from './context-world.ts';
import { type ContextRegistry, contextLimit } from './contexts.ts';
import { hasher } from './hashing.ts';
import { jcs } from './jcs.ts';
import type { ManifestFile } from './manifest-file.ts';
import type { ClosedWorld } from './ports.ts';

/** The contexts of a manifest, as its statements are to be read with them. */
export interface ManifestContexts {
  /** One document for each URL of the manifest: the manifest's own, or the trusted one that says the same. */
  readonly world: ClosedWorld;
  readonly documents: Pick<ContextWorld, 'document'>;
  /** URLs of documents for which nothing but the manifest vouches. */
  readonly unverified: ReadonlySet<string>;
  /** Of those, URLs that are the CID of another document, which is known here: these are provably false. */
  readonly disproved: ReadonlySet<string>;
}

type Trusted = Pick<ContextRegistry, 'resolve' | 'world'>;

const documentsLimit = 1_000;
const totalLimit = 16 << 20;

/**
 * Reads the contexts of a manifest and judges each. One is verified when it says what the trusted document of its URL
 * says (tools write documents anew), or, where none is known, when its bytes hash to the CID in its URL. All others
 * hold inside of this manifest alone.
 * @throws ServiceError `unknown_context` for what is no context document, `too_large`, `invalid_request`.
 */
export async function readContexts(manifest: ManifestFile, trusted: Trusted): Promise<ManifestContexts> {
  const documents = new Map<string, ContextDocument>();
  const unverified = new Set<string>();
  const disproved = new Set<string>();
  let total = 0;
  for await (const { url, exact } of contextTexts(manifest)) {
    if (documents.has(url)) refuseTwice(url);
    total += exact.length;
    if (documents.size === documentsLimit || total > totalLimit) refuseTooMany();
    const verified = await verifiedDocument(url, exact, trusted);
    if (!verified) {
      unverified.add(url);
      if (isCertified(trusted.world.document(url))) disproved.add(url);
    }
    documents.set(url, verified ?? contextDocument(url, decodeUtf8(exact)));
  }
  const all = [...documents.values()];
  const world = new ContextWorld(all);
  return {
    world: { id: cidOf(codecs.jcs, jcs(all.map(({ url, cid }) => [url, cid]))).text, documents: all },
    documents: { document: (url) => world.document(url) ?? trusted.world.document(url) },
    unverified,
    disproved,
  };
}

/** Documents as they stand, with the space around them: a document can begin or end with some. */
async function* contextTexts({ json, contexts }: ManifestFile) {
  if (!contexts) return;
  for await (const { key: url, outer } of json.members(contexts)) {
    if (outer.end - outer.start > contextLimit) refuseLarge(url);
    yield { url, exact: await json.bytes(outer) };
  }
}

async function verifiedDocument(
  url: string,
  exact: Uint8Array,
  trusted: Trusted,
): Promise<ContextDocument | undefined> {
  await trusted.resolve([url]);
  const known = trusted.world.document(url);
  if (known) return saysTheSame(known.text, decodeUtf8(exact), url) ? known : undefined;
  const cid = url.startsWith('urn:cid:') ? cidIn(url) : undefined;
  const text = cid && [exact, trimmed(exact)].find((bytes) => hasCid(bytes, cid));
  return text && contextDocument(url, decodeUtf8(text));
}

/** Whether the bytes of a document hash to the CID in its URL. */
function isCertified(document: ContextDocument | undefined): boolean {
  const cid = document?.url.startsWith('urn:cid:') ? cidIn(document.url) : undefined;
  return document !== undefined && cid !== undefined && hasCid(Buffer.from(document.text), cid);
}

function saysTheSame(known: string, given: string, url: string): boolean {
  try {
    return known === given || jcs(JSON.parse(known)) === jcs(JSON.parse(given));
  } catch (cause) {
    throw new ServiceError(
      'unknown_context',
      `The document of the context ${url.slice(0, 300)} is not JSON.`,
      {
        cause,
      },
    );
  }
}

function hasCid(bytes: Uint8Array, { codec, multihash, text }: ReturnType<typeof makeCid>): boolean {
  const hash = hasher(multihash);
  hash.update(bytes);
  return makeCid(codec, hash.digest(), multihash).text === text;
}

function trimmed(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString().trim());
}

function pointerOf(url: string): string {
  return jsonPointer(['contexts', url.slice(0, 300)]);
}

function refuseTwice(url: string): never {
  throw new ServiceError(
    'invalid_request',
    `At "${pointerOf(url)}": the context stands twice in the manifest.`,
    { details: [{ pointer: pointerOf(url), reason: 'stands twice' }] },
  );
}

function refuseLarge(url: string): never {
  throw new ServiceError(
    'too_large',
    `At "${pointerOf(url)}": a context document of more than ${contextLimit} bytes is not accepted.`,
  );
}

function refuseTooMany(): never {
  throw new ServiceError(
    'too_large',
    `A manifest may have ${documentsLimit} contexts, of ${totalLimit} bytes together.`,
  );
}
