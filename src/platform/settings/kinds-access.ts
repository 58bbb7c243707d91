import type { SettingKind } from './kinds.ts';

/** @param minBytes minimum length in UTF-8. */
export function secret(minBytes: number): SettingKind<string> {
  const problem = minBytes === 1 ? 'must not be empty' : `must be at least ${minBytes} bytes long`;
  return {
    name: 'secret',
    parse(value) {
      if (value.trim() !== '' && Buffer.byteLength(value) >= minBytes) return value;
      throw new Error(problem);
    },
  };
}

function listOf(value: string): string[] {
  return value.split(/[\s,]+/).filter((item) => item !== '');
}

/** Scopes of OAuth 2.0 (RFC 6749, section 3.3), separated by commas or spaces. */
export const scopes: SettingKind<readonly string[]> = {
  name: 'scopes, separated by commas',
  parse(value) {
    const names = listOf(value);
    if (names.every((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name))) return [...new Set(names)];
    throw new Error('must be scopes separated by commas, such as openid,profile,email');
  },
};

/** Reads an empty text, which Helm charts pass for an unset value, as `meaning`. */
export function emptyMeans<Value>(meaning: string, kind: SettingKind<Value>): SettingKind<Value> {
  return { name: kind.name, parse: (value) => kind.parse(value === '' ? meaning : value) };
}

function isDomain(name: string): boolean {
  return (
    name.length <= 253 &&
    /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/.test(name)
  );
}

/** In lower case. */
export const emailDomains: SettingKind<readonly string[]> = {
  name: 'domains, separated by commas',
  parse(value) {
    const domains = listOf(value.toLowerCase());
    if (domains.length > 0 && domains.every(isDomain)) return domains;
    throw new Error('must be domains separated by commas, such as example.com,example.org');
  },
};

/** In lower case. */
export const emailAddress: SettingKind<string> = {
  name: 'e-mail address',
  parse(value) {
    const [, domain] = /^[^\s@,;<>"]{1,64}@([^@]+)$/.exec(value) ?? [];
    if (domain !== undefined && isDomain(domain.toLowerCase())) return value.toLowerCase();
    throw new Error('must be one e-mail address, such as ada@example.com');
  },
};

/** Drops the leading dot that RFC 2109 asked for. */
export const cookieDomain: SettingKind<string> = {
  name: 'domain',
  parse(value) {
    const domain = value.toLowerCase().replace(/^\./, '');
    if (isDomain(domain) && !/^[\d.]+$/.test(domain)) return domain;
    throw new Error('must be a domain alone, such as example.com');
  },
};
