const digest = /^(?:[a-z0-9-]{3,8}[:-])?([0-9a-f]{32,128})$/i;
const md5Digits = 32;
/** How CIDs of content and statements start, and the rest of one, which people shorten. */
const partOfCid = /^(?:ipfs:\/\/|urn:cid:)?ba(?:f[ky]r|ga[6a]|gb6)([a-z2-7…]*)$/i;
const leastRest = 50;

/** What to do if a search finds nothing; empty if nothing helps. */
export function searchAdvice(text: string): string {
  const [, hex] = digest.exec(text.trim()) ?? [];
  if (hex?.length === md5Digits) return 'The service computes MD5 only if CAIRN_BLOB_HASHES names it.';
  const [, rest] = partOfCid.exec(text.trim()) ?? [];
  if (rest !== undefined)
    return rest.length < leastRest
      ? 'A CID is found only as a whole. Copy all of it, or search for a name.'
      : '';
  if (hex !== undefined || /^(?:urn|did):/.test(text.trim())) return '';
  return 'Try a shorter part of the name.';
}
