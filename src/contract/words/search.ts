const digest = /^(?:[a-z0-9-]{3,8}[:-])?([0-9a-f]{32,128})$/i;
const md5Digits = 32;

/** What to do if a search finds nothing; empty if nothing helps. */
export function searchAdvice(text: string): string {
  const [, hex] = digest.exec(text.trim()) ?? [];
  if (hex?.length === md5Digits) return 'The service computes MD5 only if CAIRN_BLOB_HASHES names it.';
  if (hex !== undefined || /^(?:urn|did):/.test(text.trim())) return '';
  return 'Try a shorter part of the name.';
}
