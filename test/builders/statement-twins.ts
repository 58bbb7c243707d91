import fc from 'fast-check';
import { anyCharacter } from './any-text.ts';
import { blobUrn, did, type Json } from './statements.ts';

export type FlatValue = string | readonly string[];
type Twins<Value = unknown> = fc.Arbitrary<readonly [Value, Value]>;

const iri = fc.constantFrom(
  'urn:cid:data_cid',
  'urn:x:y',
  'urn:a',
  'did:key:z6Mk',
  'did:web:a.example%3A80:b',
  'urn:cairn-probe-0-0',
  'did:cairn-probe-1-1',
  'urn:cid:x',
  'urn:uuid:1b4e28ba-2fa1-41d2-883f-0016d3cca427',
  blobUrn('a'),
  did,
);
const nasty = fc.constantFrom(
  '',
  ' ',
  '"',
  '\\',
  'a\nb\r\t',
  '\u0000\u0007\u000b\u007f\u0085\u2028',
  '😀',
  '\uff01\ue000',
  'é\u0301',
  '@foo',
  '@id',
  '@type',
  '_:b0',
  '_:',
  'relative',
  '../up',
  '#fragment',
  '?query',
  '//host/path',
  ':',
  'a:',
  'ex:thing',
  'ex:',
  'urn:',
  'did:',
  'urn:a b',
  'urn:a<b>',
  'urn:a"b',
  'urn:a#b',
  'urn:é',
  'URN:x:y',
  'http://example.com/',
  'https://example.com/a?b=c#d',
  'http://example.com/{x}|^`\\',
  'term',
  'a',
  'Type',
  'true',
  '5',
  '1.5E0',
  'NaN',
  'null',
  '{"a":1}',
  'cairn probe 0 0',
  'cairn probe 1 1',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#type',
  '2026-01-31T12:00:00Z',
);
const text = fc.oneof(
  { weight: 5, arbitrary: nasty },
  {
    weight: 2,
    arbitrary: fc.string({ unit: anyCharacter, maxLength: 8 }),
  },
  { weight: 1, arbitrary: fc.webUrl() },
);

const integer = fc.oneof(fc.constantFrom(0, 1, -1, 900_719, Number.MAX_SAFE_INTEGER), fc.maxSafeInteger());
const fraction = fc
  .oneof(fc.constantFrom(0.5, -1.25, 1.5e-7, 123_456.789), fc.double({ noNaN: true }))
  .filter((value) => Number.isFinite(value) && !Number.isInteger(value));
const oddNumber = fc.constantFrom(-0, 1e-7, 5e-324, 1e20, 1e21, -1e21, 1.7e308, 2 ** 53);

/** Two values of the same form: a template learned from one applies to the other. */
const scalarTwins: Twins<string | number | boolean | null> = fc.oneof(
  ...[iri, text, fc.oneof(iri, text)].map((item) => ({ weight: 4, arbitrary: fc.tuple(item, item) })),
  ...[integer, fraction, oddNumber].map((number) => ({ weight: 1, arbitrary: fc.tuple(number, number) })),
  fc.constantFrom(true, false, null).map((value) => [value, value] as const),
);

const twins: Twins = fc.oneof(
  { weight: 4, arbitrary: scalarTwins },
  {
    weight: 4,
    arbitrary: fc.constantFrom(iri, text, fc.oneof(iri, text)).chain((item) => {
      const list = fc.array(item, { minLength: 1, maxLength: 4 });
      return fc.tuple(list, list);
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom([], {}).map((value) => [value, value] as const) },
);

/** Two lists with alike items in the same places. */
function listTwins(item: Twins): Twins {
  return fc
    .array(item, { maxLength: 3 })
    .map((pairs) => [pairs.map(([one]) => one), pairs.map(([, other]) => other)] as const);
}

/** Two objects with the same members, of which some are objects, or lists of objects, again. */
function nestedTwins(name: fc.Arbitrary<string>, contexts: FlatValue): Twins {
  const keywords = fc.record(
    {
      '@context': fc.constantFrom<unknown>(
        contexts,
        [contexts, { c: 'urn:x:scoped', ex: null }].flat(),
        null,
      ),
      '@type': fc.constantFrom<FlatValue>('DataRegistration', 'VerifiableCredential', ['Type', 'urn:cid:x']),
      '@language': fc.constantFrom('en', 'DE', 'not a tag'),
    },
    { requiredKeys: [] },
  );
  const nestedName = fc.oneof(
    { weight: 6, arbitrary: name },
    fc.constantFrom('@id', '@value', '@list', '@set', '@graph', 'en', 'de-AT'),
  );
  const objects = (depth: number): Twins<Json> => {
    const value =
      depth === 0
        ? twins
        : fc.oneof(
            { weight: 4, arbitrary: twins },
            objects(depth - 1),
            listTwins(fc.oneof(scalarTwins, objects(depth - 1))),
          );
    const members = fc.dictionary(nestedName, value, { minKeys: 1, maxKeys: 3 });
    return fc.tuple(fc.option(keywords, { nil: {}, freq: 2 }), members).map(([more, pairs]) => {
      const form = (at: 0 | 1): Json => ({
        ...more,
        ...Object.fromEntries(Object.entries(pairs).map(([key, pair]) => [key, pair[at]])),
      });
      return [form(0), form(1)] as const;
    });
  };
  return fc.oneof({ weight: 3, arbitrary: objects(1) }, listTwins(fc.oneof(scalarTwins, objects(1))));
}

/** Two statements with alike members under one context: a template learned from one applies to the other. */
export function statementTwins(
  contexts: FlatValue,
  types: fc.Arbitrary<FlatValue | undefined>,
  names: readonly string[],
) {
  const name = fc.constantFrom(...names);
  const members = fc.dictionary(
    name,
    fc.oneof({ weight: 3, arbitrary: twins }, nestedTwins(name, contexts)),
    {
      maxKeys: 6,
    },
  );
  return fc.tuple(types, members).map(([type, values]) =>
    ([0, 1] as const).map(
      (form): Json => ({
        '@context': contexts,
        ...(type !== undefined && { '@type': type }),
        ...Object.fromEntries(Object.entries(values).map(([name, pair]) => [name, pair[form]])),
      }),
    ),
  );
}

export const oddNames = [
  'a',
  'b',
  'c',
  'id',
  'type',
  'value',
  'ex:a',
  'ex',
  'urn',
  'did',
  'cairn',
  'Type',
  'term',
  'did:key:z6Mk',
  'urn:cid:x',
  'urn:x:y',
  'http://example.com/p',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#type',
  'unknown',
  'constructor',
  'toString',
  'hasOwnProperty',
  '__proto__',
  '',
  ' ',
  '_:p',
  '@foo',
  '@index',
  '@type',
  'cairn probe 0 0',
];
