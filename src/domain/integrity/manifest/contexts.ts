import { ServiceError } from '../../errors.ts';
import { decodeUtf8, parseStrictJson } from '../../json/strict-json.ts';
import { type ContextRegistry, contextLimit } from '../contexts/contexts.ts';
import { type ContextDocument, ContextWorld, contextDocument } from '../contexts/world.ts';
import { jcs } from '../identification/jcs.ts';
import { type Cid, cidIn, cidOf, codecs, makeCid } from '../identifiers/cid.ts';
import { hasher } from '../identifiers/hashing.ts';
import type { ClosedWorld } from '../ports.ts';
import type { ManifestFile } from './file.ts';
import { at, placeIn, refuseAt } from './problem.ts';

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
const contextDepth = 64;

/**
 * Reads the contexts of a manifest and judges each. One is verified when it says what the trusted document of its URL
 * says (tools write documents anew), or, where none is known, when its bytes hash to the CID in its URL. All others
 * hold inside of this manifest alone.
 * @throws ServiceError `unknown_context` for what is no context document, `invalid_json`, `too_large`,
 *   `invalid_request`.
 */
export async function readContexts(manifest: ManifestFile, trusted: Trusted): Promise<ManifestContexts> {
  const documents: ContextDocument[] = [];
  const world = new ContextWorld();
  const unverified = new Set<string>();
  const disproved = new Set<string>();
  let total = 0;
  for await (const { url, exact } of contextTexts(manifest)) {
    const place = placeIn('contexts', url);
    if (world.has(url)) refuseAt(place, 'invalid_request', 'The context stands twice in the manifest.');
    total += exact.length;
    if (documents.length === documentsLimit || total > totalLimit) refuseTooMany();
    const text = at(place, () => decodeUtf8(exact));
    const verified = await verifiedDocument(url, { text, exact }, trusted);
    if (!verified) {
      unverified.add(url);
      if (isCertified(trusted.world.document(url))) disproved.add(url);
    }
    const document = verified ?? contextDocument(url, text);
    at(place, () => world.add(document));
    documents.push(document);
  }
  return {
    world: { id: cidOf(codecs.jcs, jcs(documents.map(({ url, cid }) => [url, cid]))).text, documents },
    documents: { document: (url) => world.document(url) ?? trusted.world.document(url) },
    unverified,
    disproved,
  };
}

/** Documents as they stand, with the space around them: a document can begin or end with some. */
async function* contextTexts({ json, contexts }: ManifestFile) {
  if (!contexts) return;
  for await (const { key: url, outer } of json.members(contexts)) {
    if (outer.end - outer.start > contextLimit)
      refuseAt(
        placeIn('contexts', url),
        'too_large',
        `More than ${contextLimit} bytes are no context document.`,
      );
    yield { url, exact: await json.bytes(outer) };
  }
}

/** @throws ServiceError `invalid_json` for a text that tools read in more than one way, unless its CID vouches for it. */
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

/** The text whose bytes hash to the CID in the URL. */
function certifiedText(url: string, exact: Uint8Array): string | undefined {
  const cid = url.startsWith('urn:cid:') ? cidIn(url) : undefined;
  const bytes = cid && [exact, trimmed(exact)].find((text) => hasCid(text, cid));
  return bytes && decodeUtf8(bytes);
}

/** Whether the bytes of a document hash to the CID in its URL. */
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

function refuseTooMany(): never {
  throw new ServiceError(
    'too_large',
    `A manifest may have ${documentsLimit} contexts, of ${totalLimit} bytes together.`,
  );
}
