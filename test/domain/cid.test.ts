import { base16 } from 'multiformats/bases/base16';
import { base32, base32pad, base32upper } from 'multiformats/bases/base32';
import { CID } from 'multiformats/cid';
import * as digests from 'multiformats/hashes/digest';
import { describe, expect, test } from 'vitest';
import {
  cidIn,
  cidOf,
  cidUrn,
  codecs,
  digestHex,
  makeCid,
  parseCid,
} from '../../src/domain/integrity/identifiers/cid.ts';
import {
  isDid,
  isUrn,
  isUuidUrn,
  parseUuid,
  referenceIdentifier,
} from '../../src/domain/integrity/identifiers/identifiers.ts';

const digest = new Uint8Array(32).map((_, at) => at);
const good = makeCid(codecs.raw, digest).text;
const cidWith = (code: number, hash: Uint8Array, codec: number = codecs.raw) =>
  CID.createV1(codec, digests.create(code, hash));

describe('accepted CIDs', () => {
  test.each([
    ['bare', good],
    ['with urn:cid:', `urn:cid:${good}`],
  ])('%s', (_name, text) => {
    expect(parseCid(text)).toMatchObject({ text: good, codec: codecs.raw, multihash: 'blake3' });
    expect(cidIn(text)?.text).toBe(good);
    expect(digestHex(parseCid(text))).toBe(Buffer.from(digest).toString('hex'));
  });

  test.each([
    [codecs.raw, 'bafkr4i'],
    [codecs.rdfc, 'bagb6qaq6e'],
    [codecs.jcs, 'baga6yaq6e'],
    [codecs.hashSequence, 'bagaachra'],
  ])('codec %i starts with %s', (codec, start) => {
    const { text } = cidOf(codec, 'any bytes');
    expect(text.startsWith(start)).toBe(true);
    expect(parseCid(text).codec).toBe(codec);
  });

  test('a CID can use SHA-256', () => {
    const cid = parseCid(makeCid(codecs.raw, digest, 'sha2-256').text);
    expect(cid.multihash).toBe('sha2-256');
    expect(cid.text.startsWith('bafkrei')).toBe(true);
  });

  test('a text and its UTF-8 bytes have the same CID', () => {
    expect(cidOf(codecs.raw, 'é😀')).toEqual(cidOf(codecs.raw, Buffer.from('é😀')));
  });
});

test('the text of a CID is the base32 of its bytes', () => {
  for (let length = 0; length < 100; length += 1) {
    const digest = Uint8Array.from({ length }, (_, at) => at * 37 + length * 11);
    const { text } = makeCid(codecs.raw, digest);
    expect(text).toBe(base32.encode(Uint8Array.of(1, codecs.raw, 0x1e, 32, ...digest)));
  }
});

describe('refused CIDs', () => {
  const sha512 = cidWith(0x13, new Uint8Array(64));
  test.each([
    ['the empty text', '', 'is not a CID'],
    ['a word', 'data_cid', 'is not a CID'],
    ['a word after urn:cid:', 'urn:cid:data_cid', 'is not a CID'],
    ['the prefix alone', 'urn:cid:', 'is not a CID'],
    ['a hash of 31 bytes', cidWith(0x1e, digest.slice(1)).toString(), '31 bytes instead of 32'],
    ['a hash of 33 bytes', cidWith(0x1e, Uint8Array.of(...digest, 1)).toString(), '33 bytes instead of 32'],
    ['a hash of no bytes', cidWith(0x1e, new Uint8Array()).toString(), '0 bytes instead of 32'],
    ['SHA-512', sha512.toString(), 'neither BLAKE3 nor SHA2-256'],
    ['the identity hash', cidWith(0x00, digest).toString(), 'neither BLAKE3 nor SHA2-256'],
    ['CIDv0', CID.createV0(digests.create(0x12, digest) as never).toString(), 'CIDv1'],
    ['upper case', good.toUpperCase(), ''],
    ['upper case after the b', `b${good.slice(1).toUpperCase()}`, ''],
    ['one upper-case letter', good.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase()), ''],
    ['base32upper', cidWith(0x1e, digest).toString(base32upper), ''],
    ['padding', cidWith(0x1e, digest).toString(base32pad as never), ''],
    ['padding after unpadded base32', `${good}=`, ''],
    ['hexadecimal', cidWith(0x1e, digest).toString(base16), ''],
    ['an unknown multibase', `!${good.slice(1)}`, 'is not a CID'],
    ['surplus characters', `${good}a`, ''],
    ['white space before', ` ${good}`, ''],
    ['white space after', `${good} `, ''],
    ['a line feed after', `${good}\n`, ''],
    ['urn:cid: twice', `urn:cid:urn:cid:${good}`, ''],
    ['URN:CID:', `URN:CID:${good}`, ''],
    ['a fragment', `${good}#x`, ''],
    ['a path', `/ipfs/${good}`, ''],
    ['surplus bits in the last character', `${good.slice(0, -1)}${nextCharacter(good)}`, ''],
    ['endless text', `b${'a'.repeat(100_000)}`, ''],
  ])('%s', (_name, text, reason) => {
    expect(() => parseCid(text)).toThrow(reason);
    expect(() => parseCid(text)).toThrow(expect.objectContaining({ code: 'invalid_cid' }));
    expect(cidIn(text)).toBeUndefined();
  });
});

/** The last base32 character of 36 bytes carries two bits. The next character of the alphabet sets a padding bit. */
function nextCharacter(text: string): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  return alphabet[alphabet.indexOf(text.at(-1) ?? '') + 1] ?? 'b';
}

test('base32 uses the alphabet of RFC 4648', () => {
  expect(base32.encode(CID.parse(good).bytes)).toBe(good);
});

describe('identifiers inside statements', () => {
  const uuid = '1b4e28ba-2fa1-41d2-883f-0016d3cca427';

  test.each([
    [`urn:cid:${good}`, `urn:cid:${good}`],
    [`urn:uuid:${uuid.toUpperCase()}`, `urn:uuid:${uuid}`],
    ['did:web:example.com', 'did:web:example.com'],
    ['urn:cid:data_cid', undefined],
    [good, undefined],
    ['urn:uuid:entity_uuid', undefined],
    ['did:', undefined],
    ['https://example.com/', undefined],
    ['', undefined],
  ])('%s is indexed as %s', (text, expected) => {
    expect(referenceIdentifier(text)).toBe(expected);
  });

  test.each(['did:key:z6Mk', 'did:web:a.example:b%20c', 'did:x:a#key-1', 'did:x:a/path?query'])(
    '%s is a DID',
    (text) => {
      expect(isDid(text)).toBe(true);
    },
  );

  test.each([
    'did:',
    'did:x',
    'did:x:',
    'did:X:a',
    'DID:x:a',
    'did:x:a b',
    'did:x:a:',
    'xdid:x:a',
    'did:x:a\n',
  ])('%j is not a DID', (text) => {
    expect(isDid(text)).toBe(false);
  });

  test.each([
    [`urn:cid:${good}`, true],
    ['urn:cid:data_cid', false],
    [`urn:uuid:${uuid}`, true],
    ['urn:uuid:x', false],
    ['urn:isbn:0451450523', true],
    ['urn:', false],
    ['urn:x:', false],
    ['https://example.com', false],
  ])('%s as a URN: %s', (text, expected) => {
    expect(isUrn(text)).toBe(expected);
  });

  test('a UUID is parsed bare and as a URN, into lower case', () => {
    expect(parseUuid(`urn:uuid:${uuid.toUpperCase()}`, 'graph_id')).toBe(uuid);
    expect(parseUuid(uuid, 'graph_id')).toBe(uuid);
    expect(isUuidUrn(uuid)).toBe(false);
    expect(() => parseUuid('no', 'graph_id')).toThrow('graph_id "no" is not a UUID.');
  });

  test('a CID is written with urn:cid:', () => {
    expect(cidUrn(good)).toBe(`urn:cid:${good}`);
    expect(cidUrn(parseCid(good))).toBe(`urn:cid:${good}`);
  });
});
