import { ServiceError } from '../../errors.ts';
import { decodeUtf8, parseStrictJson } from '../../json/strict-json.ts';
import { type ContextRegistry, contextLimit } from '../contexts/contexts.ts';
import { type ContextDocument, ContextWorld, contextDocument } from '../contexts/world.ts';
import { jcs } from '../identification/jcs.ts';
import { type Cid, cidIn, cidOf, codecs, makeCid } from '../identifiers/cid.ts';
import { hasher } from '../identifiers/hashing.ts';
import type { ClosedWorld } from '../ports.ts';
import type { ManifestFile } from './file.ts';
import { at, failAt, placeIn } from './problem.ts';

export interface ManifestContexts {
  /** One document per URL: that of the manifest, or an equal trusted one. */
  readonly world: ClosedWorld;
  readonly documents: Pick<ContextWorld, 'document'>;
  /** URLs of documents that only the manifest vouches for. */
  readonly unverified: ReadonlySet<string>;
  /** URLs of unverified documents that are provably false, because the document of the CID in the URL is known. */
  readonly disproved: ReadonlySet<string>;
  /** CIDs of the documents as they are carried. Tools rewrite documents, so these may differ from those of `world`. */
  readonly carried: ReadonlySet<string>;
}

type Trusted = Pick<ContextRegistry, 'resolve' | 'world'>;

const documentsLimit = 1_000;
const totalLimit = 16 << 20;
const contextDepth = 64;

/**
 * Reads and verifies the contexts of a manifest. A context is verified if it equals the trusted document of its URL
 * (compared as JSON, because tools rewrite documents), or, if there is none, if its bytes hash to the CID in its URL.
 * Unverified contexts apply to this manifest only.
 * @throws ServiceError `unknown_context` if it is not a context document, `invalid_json`, `too_large`,
 *   `invalid_request`.
 */
export async function readContexts(manifest: ManifestFile, trusted: Trusted): Promise<ManifestContexts> {
  const documents: ContextDocument[] = [];
  const world = new ContextWorld();
  const unverified = new Set<string>();
  const disproved = new Set<string>();
  const carried = new Set<string>();
  let total = 0;
  for await (const { url, exact } of contextTexts(manifest)) {
    const place = placeIn('contexts', url);
    if (world.has(url)) failAt(place, 'invalid_request', 'The manifest contains the context twice.');
    total += exact.length;
    if (documents.length === documentsLimit || total > totalLimit) throwTooMany();
    const text = at(place, () => decodeUtf8(exact));
    const verified = await verifiedDocument(url, { text, exact }, trusted);
    if (!verified) {
      unverified.add(url);
      if (isCertified(trusted.world.document(url))) disproved.add(url);
    }
    const document = verified ?? contextDocument(url, text);
    at(place, () => world.add(document));
    documents.push(document);
    for (const bytes of [exact, trimmed(exact)]) carried.add(cidOf(codecs.raw, bytes).text);
  }
  return {
    world: { id: cidOf(codecs.jcs, jcs(documents.map(({ url, cid }) => [url, cid]))).text, documents },
    documents: { document: (url) => world.document(url) ?? trusted.world.document(url) },
    unverified,
    disproved,
    carried,
  };
}

/** Documents with the white space around them, because a document can begin or end with white space. */
async function* contextTexts({ json, contexts }: ManifestFile) {
  if (!contexts) return;
  for await (const { key: url, outer } of json.members(contexts)) {
    if (outer.end - outer.start > contextLimit)
      failAt(
        placeIn('contexts', url),
        'too_large',
        `A context document may have at most ${contextLimit} bytes.`,
      );
    yield { url, exact: await json.bytes(outer) };
  }
}

/** @throws ServiceError `invalid_json` for ambiguous JSON, unless the CID in the URL certifies it. */
async function verifiedDocument(
  url: string,
  { text, exact }: { text: string; exact: Uint8Array },
  trusted: Trusted,
): Promise<ContextDocument | undefined> {
  await trusted.resolve([url]);
  const known = trusted.world.document(url);
  if (known?.text === text) return known;
  const certified = known ? undefined : certifiedText(url, exact);
  if (certified !== undefined) return contextDocument(url, certified);
  const options = { maxDepth: contextDepth, exactNumbers: false };
  const given = at(placeIn('contexts', url), () => parseStrictJson(exact, options));
  return known && jcs(JSON.parse(known.text)) === jcs(given) ? known : undefined;
}

/** The text if its bytes hash to the CID in the URL. */
function certifiedText(url: string, exact: Uint8Array): string | undefined {
  const cid = url.startsWith('urn:cid:') ? cidIn(url) : undefined;
  const bytes = cid && [exact, trimmed(exact)].find((text) => hasCid(text, cid));
  return bytes && decodeUtf8(bytes);
}

function isCertified(document: ContextDocument | undefined): boolean {
  return document !== undefined && certifiedText(document.url, Buffer.from(document.text)) !== undefined;
}

function hasCid(bytes: Uint8Array, { codec, multihash, text }: Cid): boolean {
  const hash = hasher(multihash);
  hash.update(bytes);
  return makeCid(codec, hash.digest(), multihash).text === text;
}

function trimmed(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString().trim());
}

function throwTooMany(): never {
  const message = `A manifest may have at most ${documentsLimit} contexts with ${totalLimit} bytes in total.`;
  throw new ServiceError('too_large', message);
}
