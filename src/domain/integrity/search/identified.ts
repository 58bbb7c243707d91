import { ServiceError } from '../../errors.ts';
import {
  type BlobHash,
  type BlobHashRecords,
  blobsWithDigest,
  cidsOfHashes,
  digestBytes,
} from '../blobs/blob-hashes.ts';
import { referencesTo } from '../blobs/digest-references.ts';
import { namesOf } from '../blobs/same-bytes.ts';
import { type Cid, cidIn, cidOfDigest, cidUrn, parseCid } from '../identifiers/cid.ts';
import { identifierIn } from '../identifiers/identifiers.ts';

const prefixes: Readonly<Record<string, BlobHash>> = {
  sha256: 'sha256',
  'sha2-256': 'sha256',
  blake3: 'blake3',
  sha512: 'sha512',
  'sha2-512': 'sha512',
  md5: 'md5',
  git: 'git',
  sha1: 'git',
};

/**
 * What a text identifies, in the form of references: an identifier, or the bytes with a digest in hex, alone or after the
 * name of its function, also behind the name of an image (`registry/name@sha256:…`). Empty for other texts. Of a
 * digest, those of stored bytes come first.
 * @param mayLearn whether the reader may learn that stored bytes with another hash have this CID.
 * @throws ServiceError `invalid_request` for a part of a digest after the name of its function.
 */
export async function identifiedBy(
  text: string,
  hashes: Pick<BlobHashRecords, 'among'>,
  mayLearn: (cid: Cid) => Promise<boolean>,
): Promise<string[]> {
  const known = identifierIn(text) ?? foreignCid(text);
  const { written, others } =
    known === undefined ? await ofDigest(text, hashes) : await ofIdentifier(known, hashes);
  const learnt: string[] = [];
  for (const one of new Set(others))
    if (written.includes(one) || (await mayLearn(parseCid(one)))) learnt.push(one);
  return [...new Set(known === undefined ? [...learnt, ...written] : [...written, ...learnt])];
}

interface Identifiers {
  /** What the text itself says. */
  readonly written: readonly string[];
  /** Of stored bytes. */
  readonly others: readonly string[];
}

async function ofIdentifier(known: string, hashes: Pick<BlobHashRecords, 'among'>): Promise<Identifiers> {
  return { written: [known], others: (await namesOf(hashes, [known])).get(known)?.names ?? [] };
}

async function ofDigest(text: string, hashes: Pick<BlobHashRecords, 'among'>): Promise<Identifiers> {
  const digest = text.replace(/^[^@\s]+@(?=[a-z0-9]{3,8}:)/i, '');
  const [, prefix, hex = ''] = /^(?:([a-z0-9-]{3,8})[:-])?([0-9a-f]{2,256})$/i.exec(digest) ?? [];
  if (prefix !== undefined && !Object.hasOwn(prefixes, prefix.toLowerCase()))
    return { written: [], others: [] };
  const functions = prefix === undefined ? functionsOf(hex) : [prefixes[prefix.toLowerCase()] ?? 'sha256'];
  const found = await Promise.all(functions.map((hash) => withDigest(hashes, hash, hex)));
  return {
    written: found.flatMap(({ written }) => written),
    others: found.flatMap(({ others }) => others),
  };
}

/** A CID as other tools may write it: in capitals, or after `ipfs://`. */
function foreignCid(text: string): string | undefined {
  const cid = cidIn(text.toLowerCase().replace(/^ipfs:\/\//, ''));
  return cid && cidUrn(cid);
}

/** The length does not tell the function. */
function functionsOf(hex: string): BlobHash[] {
  const all = Object.keys(digestBytes) as BlobHash[];
  return all.filter((hash) => hex.length === 2 * digestBytes[hash]);
}

/** The CIDs of the bytes. A statement may speak of bytes that are not stored, by any digest. */
async function withDigest(
  hashes: Pick<BlobHashRecords, 'among'>,
  hash: BlobHash,
  hex: string,
): Promise<Identifiers> {
  const digits = 2 * digestBytes[hash];
  if (hex.length !== digits)
    throw new ServiceError(
      'invalid_request',
      `"${hex.slice(0, 120)}" is no whole digest: ${names[hash]} has ${digits} hexadecimal digits, and this has ${hex.length}.`,
    );
  const records = await blobsWithDigest(hashes, hash, hex);
  const written =
    hash === 'blake3' || hash === 'sha256'
      ? [cidUrn(cidOfDigest(hash, Buffer.from(hex, 'hex')))]
      : referencesTo(hash, hex);
  return { written, others: records.flatMap(cidsOfHashes).map(cidUrn) };
}

const names = { blake3: 'BLAKE3', sha256: 'SHA-256', sha512: 'SHA-512', git: 'the SHA-1 of git', md5: 'MD5' };
