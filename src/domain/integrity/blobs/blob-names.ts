import { type Cid, codecs, digestHex, makeCid, multihashName } from '../identifiers/cid.ts';
import { multihashes } from '../identifiers/hashing.ts';

/** The name of a blob in its bucket: its multihash without the length. Blobs of one multihash share it. */
export function blobName(cid: Cid): string {
  return `${multihashes[cid.multihash].toString(16)}-${digestHex(cid)}`;
}

/** @returns undefined if it is not the name of a blob. The codec is not part of the name, so the CID is a raw one. */
export function cidOfBlobName(name: string): Cid | undefined {
  const [, code = '', digest = ''] = /^([0-9a-f]{2})-([0-9a-f]{64})$/.exec(name) ?? [];
  const multihash = multihashName(Number.parseInt(code, 16));
  return multihash && makeCid(codecs.raw, Buffer.from(digest, 'hex'), multihash);
}
