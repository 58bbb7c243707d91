import canonicalize from 'canonicalize';

/** RFC 8785 JSON Canonicalization Scheme. @throws Error for `undefined`, NaN, infinities and lone surrogates. */
export function jcs(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('undefined has no JSON form.');
  return text;
}
