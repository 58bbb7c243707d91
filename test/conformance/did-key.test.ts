import { base58btc } from 'multiformats/bases/base58';
import { describe, expect, test } from 'vitest';
import { type KeyType, makeDidKey, parseDidKey } from '../../src/domain/integrity/identifiers/did-key.ts';
import { describeTestData, listTestData, readTestJson } from '../test-data.ts';

interface Jwk {
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
}

interface Vector {
  readonly verificationKeyPair?: { readonly type: string; readonly publicKeyBase58?: string };
  readonly verificationMethod?: { readonly publicKeyJwk?: Jwk; readonly publicKeyBase58?: string };
}

const keyTypes: readonly (readonly [prefix: string, keyType: KeyType])[] = [
  ['did:key:z6Mk', 'Ed25519'],
  ['did:key:zDn', 'P-256'],
  ['did:key:zQ3s', 'secp256k1'],
  ['did:key:z82', 'P-384'],
];

const otherTypes: readonly (readonly [prefix: string, name: string])[] = [
  ['did:key:z6LS', 'X25519'],
  ['did:key:z2J9', 'P-521'],
  ['did:key:zUC7', 'BLS12-381 G2'],
  ['did:key:z5Tc', 'BLS12-381 G1 and G2'],
  ['did:key:z4MX', 'RSA'],
  ['did:key:zgg', 'RSA'],
];

/** The raw key in a vector: as it stands in base58, or the compressed point of a JWK. */
function rawKey({ verificationKeyPair, verificationMethod }: Vector): Buffer {
  const base58 = verificationKeyPair?.publicKeyBase58 ?? verificationMethod?.publicKeyBase58;
  if (base58) return Buffer.from(base58btc.decode(`z${base58}`));
  const jwk =
    verificationMethod?.publicKeyJwk ?? (verificationKeyPair as { publicKeyJwk?: Jwk })?.publicKeyJwk;
  const x = Buffer.from(jwk?.x ?? '', 'base64url');
  const y = Buffer.from(jwk?.y ?? '', 'base64url');
  if (y.length === 0) return x;
  return Buffer.concat([Buffer.of((y.at(-1) ?? 0) % 2 === 0 ? 2 : 3), x]);
}

describeTestData('did:key', () => {
  const files = listTestData('conformance', 'did-key');
  const vectors = files.flatMap((file) => {
    const content = readTestJson<Record<string, Vector | Record<string, object>>>(
      'conformance',
      'did-key',
      file,
    );
    const members = 'didDocument' in content ? Object.keys(content.didDocument ?? {}) : Object.keys(content);
    return members.map((did) => ({ file, did, vector: (content[did] ?? {}) as Vector }));
  });
  const typeOf = (table: typeof otherTypes, did: string) =>
    table.find(([prefix]) => did.startsWith(prefix))?.[1];
  const supported = vectors.filter(({ did }) => typeOf(keyTypes, did));
  const others = vectors.filter(({ did }) => !typeOf(keyTypes, did));

  test.each(supported)('$file: $did is the key that the vector says', ({ did, vector }) => {
    const parsed = parseDidKey(did);
    expect(parsed.did).toBe(did);
    expect(parsed.keyType).toBe(typeOf(keyTypes, did));
    expect(Buffer.from(parsed.publicKey).toString('hex')).toBe(rawKey(vector).toString('hex'));
    expect(makeDidKey(parsed.keyType, parsed.publicKey)).toBe(did);
  });

  test.each(others)('$file: $did is refused by the name of its type', ({ did }) => {
    expect(() => parseDidKey(did)).toThrow(`its key type is ${typeOf(otherTypes, did)};`);
  });

  test('every kind of key is among the vectors', () => {
    expect(new Set(supported.map(({ did }) => typeOf(keyTypes, did)))).toHaveLength(keyTypes.length);
    expect(files).toHaveLength(6);
  });
});

const ed25519 = makeDidKey('Ed25519', new Uint8Array(32).fill(7));
const encoded = (...bytes: number[]) => `did:key:${base58btc.encode(Uint8Array.from(bytes))}`;

describe('texts that are no did:key', () => {
  test.each([
    ['another method', 'did:web:example.com', 'does not start with "did:key:"'],
    ['no key', 'did:key:', 'not in base58btc'],
    ['another base', 'did:key:uAAA', 'not in base58btc'],
    ['a character that base58 lacks', `${ed25519.slice(0, -1)}0`, 'not base58btc'],
    ['a fragment', `${ed25519}#key`, 'not base58btc'],
    ['white space', `${ed25519} `, 'base58btc'],
    ['no bytes', 'did:key:z', 'base58btc'],
    ['a key that is too short', encoded(0xed, 0x01, ...Array(31).fill(1)), '31 bytes instead of 32'],
    ['a key that is too long', encoded(0xed, 0x01, ...Array(33).fill(1)), '33 bytes instead of 32'],
    ['a multicodec in a longer form', encoded(0xed, 0x81, 0x00, ...Array(32).fill(1)), 'multicodec'],
    ['a multicodec that is cut off', encoded(0xed), 'multicodec'],
    ['an unknown key type', encoded(0x55, ...Array(32).fill(1)), 'unknown (multicodec 0x55)'],
    ['an uncompressed point', encoded(0x80, 0x24, 4, ...Array(32).fill(1)), 'not a compressed point'],
    ['endless text', `did:key:z${'1'.repeat(100_000)}`, 'longer than any key'],
  ])('%s', (_name, text, reason) => {
    const attempt = () => parseDidKey(text);
    expect(attempt).toThrow(reason);
    expect(attempt).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  test('a key of the wrong length cannot become one', () => {
    expect(() => makeDidKey('P-384', new Uint8Array(48).fill(2))).toThrow('48 bytes instead of 49');
  });
});
