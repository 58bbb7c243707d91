import { describe, expect, test } from 'vitest';
import { bareId } from '../../src/contract/words/text.ts';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { parseIdentifier } from '../../src/domain/integrity/identifiers/identifiers.ts';

const cid = cidOf(codecs.raw, 'x').text;
const uuid = '1b4e28ba-2fa1-41d2-883f-0016d3cca427';

describe('identifiers from callers', () => {
  test.each([
    [cid, `urn:cid:${cid}`],
    [`urn:cid:${cid}`, `urn:cid:${cid}`],
    [uuid, `urn:uuid:${uuid}`],
    [uuid.toUpperCase(), `urn:uuid:${uuid}`],
    [`urn:uuid:${uuid.toUpperCase()}`, `urn:uuid:${uuid}`],
    ['did:web:example.org', 'did:web:example.org'],
    ['did:web:example.org/a?b#c', 'did:web:example.org/a?b#c'],
  ])('%s', (given, identifier) => {
    expect(parseIdentifier(given)).toBe(identifier);
    expect(parseIdentifier(bareId(identifier))).toBe(identifier);
  });

  test.each([
    '',
    'x',
    'urn:cid:',
    `urn:cid:${cid.toUpperCase()}`,
    `urn:cid:urn:cid:${cid}`,
    'did:web',
    'urn:isbn:1',
    ` ${cid}`,
  ])('"%s" is refused', (given) => {
    expect(() => parseIdentifier(given)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
