import canonicalize from 'canonicalize';

/**
 * RFC 8785 JSON Canonicalization Scheme.
 * @throws Error for what JSON cannot carry: `undefined` at the top, NaN, infinities, lone surrogates.
 */
export function jcs(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('There is no JSON form of undefined.');
  return text;
}
