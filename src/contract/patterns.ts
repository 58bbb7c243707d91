/**
 * Patterns of the description, which say as much as an expression can. The domain parses. None has a flag, or a class such
 * as `\s` or `\d`, which engines read differently.
 */
const base32 = 'b[a-z2-7]{58,71}';
const hex = (digits: number) => `[0-9A-Fa-f]{${digits}}`;
const uuid = [8, 4, 4, 4, 12].map(hex).join('-');
const did = 'did:[a-z0-9]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-]';
const didUrl = `${did}([/?#][!-~]*)?`;
const date = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
const minutes = '([01][0-9]|2[0-3]):[0-5][0-9]';
const time = `[Tt]${minutes}:[0-5][0-9](\\.[0-9]{1,9})?([Zz]|[+-]${minutes})`;
const base64Digit = '[A-Za-z0-9+/]';
const controls = '\\x00-\\x1f\\x7f-\\x9f';
/** White space (ECMA-262, 12.2) that is no control character. */
const spaces = ' \\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

export const patterns = {
  cid: `^(urn:cid:)?${base32}$`,
  did: `^${did}$`,
  didUrl: `^${didUrl}$`,
  didKey: '^did:key:z[1-9A-HJ-NP-Za-km-z]{40,72}$',
  identifier: `^((urn:cid:)?${base32}|(urn:uuid:)?${uuid}|${didUrl})$`,
  node: `^((urn:cid:)?${base32}(#${uuid})?|(urn:uuid:)?${uuid}|${didUrl})$`,
  uuidUrn: `^urn:uuid:${uuid}$`,
  dateTime: `^${date}${time}$`,
  dateOrDateTime: `^${date}(${time})?$`,
  /** Canonical (RFC 4648, 3.5). */
  base64: `^(${base64Digit}{4})*(${base64Digit}[AQgw]==|${base64Digit}{2}[AEIMQUYcgkosw048]=)?$`,
  notBlank: `[^\\x09-\\x0d${spaces}]`,
  notBlankWithoutControls: `^[^${controls}]*[^${controls}${spaces}][^${controls}]*$`,
};

/** For `z.string().regex`: a text without control characters. */
export const withoutControls = [new RegExp(`^[^${controls}]*$`), 'must not have control characters'] as const;

/**
 * Describe rules between the members of an object, null being none. They are negations, because generators of clients take
 * `oneOf` for the whole object, and ignore `not`.
 */
const has = (name: string) => ({ required: [name], properties: { [name]: { type: 'string' } } });

export function oneOf(...names: readonly [string, string]) {
  const all = names.map(has);
  return { not: { anyOf: [{ allOf: all }, { not: { anyOf: all } }] } };
}

export function notBoth(...names: readonly [string, string]) {
  return { not: { allOf: names.map(has) } };
}

/** The other member is there exactly if this one has a value. */
export function onlyWith(name: string, value: string, other: string) {
  const isValue = { properties: { [name]: { enum: [value] } } };
  return {
    not: { anyOf: [{ allOf: [isValue, { not: has(other) }] }, { allOf: [{ not: isValue }, has(other)] }] },
  };
}
