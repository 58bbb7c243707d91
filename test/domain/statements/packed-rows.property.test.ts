import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestHex } from '../../../src/domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../src/domain/integrity/ports.ts';
import {
  jcsText,
  PackedRows,
  packReferences,
  positionedBytes,
  unpackReferences,
  unpackSlice,
} from '../../../src/domain/integrity/statements/packed-rows.ts';
import { anyCharacter } from '../../builders/any-text.ts';
import { row, samples } from '../../builders/rows.ts';
import { runs } from '../../property-runs.ts';

const identifier = fc.oneof(
  fc.constantFrom(
    'urn:cid:bafkr4ia',
    'did:web:example',
    'did:web:example.org',
    'did:x:ü#"a","b"',
    'did:x:y#\\',
  ),
  fc.string({ unit: anyCharacter }),
);
const role = fc.constantFrom('data', 'registeredBy', 'input', 'metadata', 'schema:about', '1');
const kind = fc.constantFrom('DataRegistration', 'ComputationRegistration', 'https://example.org/Other');
const statement = fc.record({
  kind,
  references: fc.array(fc.record({ role, identifier }), { maxLength: 6 }),
  others: fc.array(fc.string({ unit: anyCharacter }), { maxLength: 3 }),
});

/** The JCS of a statement that has its references in some order, or lacks them. */
function rowOf({
  kind,
  references,
  others,
}: typeof statement extends fc.Arbitrary<infer Value> ? Value : never) {
  const text = JSON.stringify({ others, values: references.map(({ identifier }) => identifier).sort() });
  return row(text, { kind, references, time: others.length, isTrusted: others.length === 0 });
}

test('references are the same after packing, wherever the statement has them', () => {
  fc.assert(
    fc.property(statement, (given) => {
      const { references, jcs } = rowOf(given);
      const packed = packReferences(references, { kind: given.kind, jcs: jcsText(jcs) });
      const sent = JSON.parse(JSON.stringify(packed));
      expect(unpackReferences(sent, jcsText(jcs))).toEqual(references);
    }),
    { numRuns: runs(500) },
  );
});

test('an identifier that the statement has takes only its position', () => {
  const references = [{ role: 'data', identifier: 'urn:cid:bafkr4ia' }];
  const jcs = '{"a":"ü","data":"urn:cid:bafkr4ia"}';
  const packed = packReferences(references, { kind: 'DataRegistration', jcs });
  expect(packed).toEqual([expect.any(Number), jcs.indexOf('urn:cid')]);
});

test('references of a large statement can be read without it', () => {
  const references = [{ role: 'data', identifier: 'urn:cid:bafkr4ia' }];
  const jcs = JSON.stringify({ data: 'urn:cid:bafkr4ia', more: 'ü'.repeat(positionedBytes / 2) });
  const packed = packReferences(references, { kind: 'DataRegistration', jcs });
  expect(unpackReferences(packed, '')).toEqual(references);
});

test('references that do not fit their bytes are refused', () => {
  for (const packed of [[1, 99_999], [999, 'did:x:y'], [1]])
    expect(() => unpackReferences(packed, '{}')).toThrow(RangeError);
});

test('rows are the same after packing, also those of one kind', () => {
  fc.assert(
    fc.property(fc.array(statement, { maxLength: 5 }), (given) => {
      const rows: StatementRow[] = given.map(rowOf);
      const packed = PackedRows.of(rows);
      expect(Array.from(packed, plain)).toEqual(rows.map(plain));
      const data = packed.slices.flatMap((slice) => [...unpackSlice(slice, 'DataRegistration')]);
      const wanted = rows.filter((each) => each.kind === 'DataRegistration');
      expect(data.map(({ jcs }) => Buffer.from(jcs))).toEqual(wanted.map(({ jcs }) => Buffer.from(jcs)));
    }),
    { numRuns: runs(200) },
  );
});

function plain({ jcs, jcsCid, rdfcCid, ...others }: StatementRow) {
  return { ...others, jcs: Buffer.from(jcs).toString('hex'), jcsCid: jcsCid.text, rdfcCid: rdfcCid.text };
}

test('the packed form is the published one, byte by byte', () => {
  const [slice] = PackedRows.of(samples).slices;
  const digests = samples.map(({ jcsCid, rdfcCid }) => [jcsCid, rdfcCid].map(digestHex).join(''));
  const [one, other] = samples.map(({ jcs }) => Buffer.from(jcs).toString('hex'));
  expect(Buffer.from(slice?.bytes ?? []).toString('hex')).toBe(`${digests[0]}${one}${digests[1]}${other}`);
  expect(slice?.rest).toBe(
    '{"terms":["DataRegistration","baga6yaq6ebnoc2fflmlr2rqqf244yx5udzcv2qhtwoklrrsz5ohdqynk6odno",' +
      '"https://example.org/Other"],"rows":[[53,0,1,1769860800000,1,[5,35,"schema:about",10,29,"did:x:\\""]],[2,2,1,null,0,[]]]}',
  );
});
