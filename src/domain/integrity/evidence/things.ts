import { isObject, type JsonObject } from '../../json/is-object.ts';
import { digestDocument } from '../blobs/digest-references.ts';
import { cidIn, cidUrn, codecs, digestHex, makeCid } from '../identifiers/cid.ts';
import type { MultihashName } from '../identifiers/hashing.ts';
import { isCidUrn } from '../identifiers/identifiers.ts';
import { digestLengths, isHex } from './digests.ts';
import { type JcsDocument, jcsDocument } from './documents.ts';
import { EvidenceProblem, type Reference, type Thing } from './evidence.ts';

export interface IdentifiedThing {
  readonly id: string;
  readonly name: string | undefined;
  /** What the id of a reference is made of. */
  readonly reference?: JcsDocument;
}

/** Digests that are CIDs. The first that a thing has names it. */
const contentHashes: readonly (readonly [string, MultihashName])[] = [
  ['sha256', 'sha2-256'],
  ['blake3', 'blake3'],
];
const contentDigest = /^[0-9a-f]{64}$/i;

/** Digests that tell bytes apart, but that a CID here cannot have. The first that a thing has names it. */
const referenceHashes = ['sha512', 'sha384', 'gitCommit', 'gitTree', 'gitBlob', 'gitTag'];

/**
 * The id of a thing: of its bytes if a SHA-256 or BLAKE3 digest is known, or the one that it has. Anything else is named by a
 * document `{namespace, name}` that refers to it. So it never passes for the content itself.
 * @throws EvidenceProblem for a thing without digest, id and reference.
 */
export function identified({ id, digests = {}, name, reference }: Thing): IdentifiedThing {
  for (const [algorithm, multihash] of contentHashes) {
    const hex = digests[algorithm];
    if (hex === undefined) continue;
    if (!contentDigest.test(hex))
      throw new EvidenceProblem(`"${hex.slice(0, 100)}" is no ${algorithm} digest in hex.`);
    const cid = makeCid(codecs.raw, Buffer.from(hex, 'hex'), multihash);
    return { id: cidUrn(cid), name: name ?? reference?.name };
  }
  if (id !== undefined) return { id, name };
  const document = jcsDocument(referenceOf(digests, reference));
  return { id: document.id, name: name ?? reference?.name, reference: document };
}

/**
 * The URN of a folder or a document that has these digests, as exports write it beside them. Digests alone do not tell it,
 * because they would name the bytes of a file.
 */
export function folderUrn(
  text: string | null | undefined,
  digests: Readonly<Record<string, string>>,
): string | undefined {
  const cid = text != null && isCidUrn(text) ? cidIn(text) : undefined;
  if (!cid || cid.codec === codecs.raw) return undefined;
  const isOfDigests = contentHashes.some(
    ([algorithm, multihash]) =>
      multihash === cid.multihash && digests[algorithm]?.toLowerCase() === digestHex(cid),
  );
  return isOfDigests ? cidUrn(cid) : undefined;
}

function referenceOf(
  digests: Readonly<Record<string, string>>,
  reference: Reference | undefined,
): JsonObject {
  const strong = referenceHashes.find((algorithm) => digests[algorithm]);
  if (strong !== undefined) return digestDocument(strong, digests[strong] ?? '');
  const given = Object.entries(digests);
  if (reference) return { ...reference, ...(given.length > 0 && { digests }) };
  const [first] = given;
  if (!first) throw new EvidenceProblem('It names something without a digest or a name.');
  return digestDocument(...first);
}

/** All hashes that a reference may name its thing by. */
const digestNames = new Set([...referenceHashes, 'sha1', 'sha224', 'md5']);
const referenceMembers = new Set(['namespace', 'name', 'version', 'run', 'digests']);

/** The digests of the thing that a document refers to; undefined if the document is no reference. */
export function digestsReferredTo(document: JsonObject): Readonly<Record<string, string>> | undefined {
  const { namespace, name, digests } = document;
  if (typeof namespace !== 'string' || typeof name !== 'string') return undefined;
  if (Object.keys(document).some((member) => !referenceMembers.has(member))) return undefined;
  const given = isObject(digests) ? Object.entries(digests) : [];
  const texts = given.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const all = digestNames.has(namespace) ? [[namespace, name] as const, ...texts] : texts;
  // DVC names a folder by the MD5 of its list of files, with an ending.
  return Object.fromEntries(all.filter(([algorithm, value]) => isOfLength(algorithm, value)));
}

function isOfLength(algorithm: string, value: string): boolean {
  const length = digestLengths.get(algorithm);
  return length === undefined || isHex(value, length);
}

const hierarchical = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)\/?(.*)$/is;

/** The reference to a URI: `s3://bucket` and `path`, or `pkg` and the whole package URL. */
export function uriReference(uri: string): Reference {
  const [, namespace, name] = hierarchical.exec(uri) ?? [];
  if (namespace && name) return { namespace, name };
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(uri)?.[0] ?? '';
  return { namespace: scheme.toLowerCase(), name: uri };
}

/** The URI that `uriReference` reads as this document; undefined if there is none. */
export function uriOf(document: JsonObject): string | undefined {
  const { namespace, name, ...others } = document;
  if (Object.keys(others).length > 0) return undefined;
  return [`${namespace}/${name}`, String(name)].find((uri) => {
    const read = uriReference(uri);
    return read.namespace === namespace && read.name === name;
  });
}
