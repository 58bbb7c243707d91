import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCollection, encodeCollection } from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { cidOf, codecs, parseCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { type KeyType, makeDidKey, parseDidKey } from '../../src/domain/integrity/identifiers/did-key.ts';
import { parseStrictJson } from '../../src/domain/json/strict-json.ts';
import { anyCharacter } from '../builders/any-text.ts';
import {
  blobUrn,
  bytesOf,
  did,
  identifierWith,
  identifyOptions,
  type Json,
  ownStatement,
} from '../builders/statements.ts';
import { runs } from '../property-runs.ts';

const identifier = identifierWith();
const wellFormed = fc.string({ unit: anyCharacter });
const cids = fc.array(
  fc.nat({ max: 50 }).map((at) => blobUrn(String(at))),
  { minLength: 1, maxLength: 5 },
);

const statement: fc.Arbitrary<Json> = fc.oneof(
  cids.map((data) => ownStatement('DataRegistration', { data })),
  fc
    .tuple(cids, cids)
    .map(([input, output]) => ownStatement('ComputationRegistration', { input, output, operatedBy: did })),
  fc.dictionary(fc.constantFrom('name', 'description'), wellFormed).map((fields) => ({
    '@context': [ownContextUrl, { '@vocab': 'https://example.com/' }],
    inner: { ...fields, list: { '@list': Object.values(fields) } },
  })),
);

test('a generated id is accepted with any formatting of the JSON', async () => {
  await fc.assert(
    fc.asyncProperty(statement, fc.constantFrom(undefined, 1, '\t'), async (document, space) => {
      const options = { ...identifyOptions, strict: false };
      const generated = await identifier.identify(bytesOf(document), options);
      const { '@id': id, ...rest } = JSON.parse(generated.jcs) as Json;
      const respelled = JSON.stringify(
        { ...Object.fromEntries(Object.entries(rest).reverse()), '@id': id },
        undefined,
        space,
      );
      expect(await identifier.identify(bytesOf(respelled), { ...options, generateId: false })).toEqual(
        generated,
      );
      expect(rest).toEqual(document);
      expect(cidOf(codecs.jcs, generated.jcs).text).toBe(generated.jcsCid.text);
      expect(cidOf(codecs.rdfc, generated.nquads).text).toBe(generated.rdfcCid.text);
    }),
    { numRuns: runs(100) },
  );
});

test('the order of an array, and one value instead of a list of one, change only jcs_cid', async () => {
  await fc.assert(
    fc.asyncProperty(cids, async (data) => {
      const forms = [data, data.toReversed(), data.toSorted(), [...new Set(data)]];
      const distinct = new Set(data);
      const all = distinct.size === 1 ? [...forms, data[0]] : forms;
      const identified = await Promise.all(
        all.map((form) =>
          identifier.identify(bytesOf(ownStatement('DataRegistration', { data: form })), identifyOptions),
        ),
      );
      expect(new Set(identified.map(({ rdfcCid }) => rdfcCid.text))).toHaveLength(1);
      const spellings = new Set(all.map((form) => JSON.stringify(form)));
      expect(new Set(identified.map(({ jcsCid }) => jcsCid.text))).toHaveLength(spellings.size);
    }),
    { numRuns: runs(100) },
  );
});

test('valid JSON is parsed like JSON.parse does', () => {
  const json = fc
    .jsonValue({ maxDepth: 5, stringUnit: 'binary' })
    .filter((value) => JSON.stringify(value).isWellFormed());
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 2), (value, space) => {
      const text = JSON.stringify(value, undefined, space);
      fc.pre(!/\\ud[89a-f]/i.test(text));
      expect(parseStrictJson(Buffer.from(text), { maxDepth: 64, exactNumbers: true })).toEqual(
        JSON.parse(text),
      );
    }),
  );
});

test('JCS texts are strict JSON and JCS keeps them', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => !/\\ud[89a-f]/i.test(JSON.stringify(value)));
  fc.assert(
    fc.property(json, (value) => {
      const text = jcs(value);
      expect(jcs(parseStrictJson(Buffer.from(text), { maxDepth: 64, exactNumbers: true }))).toBe(text);
    }),
  );
});

test('every number that JavaScript prints is accepted as exact', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const options = { maxDepth: 0, exactNumbers: true };
      expect(parseStrictJson(Buffer.from(JSON.stringify(value)), options)).toBe(value + 0);
    }),
  );
});

test('the CID of every digest can be parsed', () => {
  const codec = fc.constantFrom(...Object.values(codecs));
  fc.assert(
    fc.property(codec, fc.uint8Array(), (code, bytes) => {
      const cid = cidOf(code, bytes);
      expect(parseCid(`urn:cid:${cid.text}`)).toEqual(cid);
    }),
  );
});

test('an iroh collection can be read back, sorted by the UTF-8 bytes of its names', () => {
  const entry = fc.record({ name: wellFormed, digest: fc.uint8Array({ minLength: 32, maxLength: 32 }) });
  fc.assert(
    fc.property(fc.uniqueArray(entry, { selector: ({ name }) => name, maxLength: 200 }), (entries) => {
      const sorted = entries.toSorted((one, other) =>
        Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)),
      );
      const encoded = encodeCollection(entries);
      expect(decodeCollection(encoded)).toEqual(sorted);
      expect(encodeCollection(sorted.toReversed())).toEqual(encoded);
      expect(encoded.root).toHaveLength(32 * (entries.length + 1));
    }),
    { numRuns: runs(50) },
  );
});

test('decoding any bytes as a collection throws only ServiceError', () => {
  const header = Buffer.from('CollectionV0.');
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      fc.array(fc.constant(new Uint8Array(32)), { maxLength: 4 }),
      (rest, hashes) => {
        const metadata = Buffer.concat([header, rest]);
        const root = Buffer.concat([cidOf(codecs.raw, metadata).digest, ...hashes]);
        try {
          const entries = decodeCollection({ metadata, root });
          expect(entries).toHaveLength(hashes.length);
        } catch (error) {
          expect(error).toHaveProperty('code', 'unexpected_content');
        }
      },
    ),
    { numRuns: runs(500) },
  );
});

test('a did:key can be parsed again', () => {
  const point = (length: number) =>
    fc
      .tuple(fc.constantFrom(2, 3), fc.uint8Array({ minLength: length, maxLength: length }))
      .map(([sign, x]) => Uint8Array.of(sign, ...x));
  const key = fc.oneof(
    fc.tuple(fc.constant<KeyType>('Ed25519'), fc.uint8Array({ minLength: 32, maxLength: 32 })),
    fc.tuple(fc.constantFrom<KeyType>('P-256', 'secp256k1'), point(32)),
    fc.tuple(fc.constant<KeyType>('P-384'), point(48)),
  );
  fc.assert(
    fc.property(key, ([keyType, publicKey]) => {
      const text = makeDidKey(keyType, publicKey);
      expect(parseDidKey(text)).toEqual({ did: text, keyType, publicKey });
    }),
  );
});
