import { expect, test } from 'vitest';
import { foldedName, nameInDocument, subjectNameIn } from '../../src/domain/integrity/names/name.ts';

const nameIn = (document: unknown) =>
  nameInDocument(Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)));

test('takes the first member that has a text', () => {
  expect(nameIn({ step: 's', title: 't', name: 7 })).toBe('t');
  expect(nameIn({ name: ' ', path: ' data/train.csv ' })).toBe('data/train.csv');
});

test.each(['[]', '"name"', '{"name": 1}', '{"name": "', '{}', '', '\ufeff{"name": "x"}', 'null'])(
  'finds no name in %s',
  (text) => {
    expect(nameIn(text)).toBeUndefined();
  },
);

test('reads only documents of at most 64 KiB', () => {
  const sized = (size: number) => `{"name": "x"${' '.repeat(size - 13)}}`;
  expect(nameIn(sized(1 << 16))).toBe('x');
  expect(nameIn(sized((1 << 16) + 1))).toBeUndefined();
});

test('makes one short line of any name', () => {
  expect(nameIn({ name: 'a\nb\u0000c\u2028d\te' })).toBe('a b c d e');
  expect(nameIn({ name: 'invoice\u202egnp.exe' })).toBe('invoicegnp.exe');
  expect(nameIn({ name: '😀'.repeat(10_000) })).toBe('😀'.repeat(200));
  expect(nameIn('{"name": "\\ud800"}')).toBe('\ufffd');
});

test('folds case, width and forms of one letter', () => {
  expect(foldedName('ＭＯＤＥＬ Å ΟΔΟΣ')).toBe(foldedName('model A\u030a οδοσ'));
  expect(foldedName('\ufdfa'.repeat(200))).toHaveLength(200);
});

test('takes no name of a document in a format of its own, which names itself', () => {
  const spdx = Buffer.from(
    JSON.stringify({ spdxVersion: 'SPDX-2.3', SPDXID: 'SPDXRef-DOCUMENT', name: 'sbom' }),
  );
  expect([subjectNameIn(spdx), nameInDocument(spdx)]).toEqual([undefined, 'sbom']);
  expect(subjectNameIn(Buffer.from('{"name": "model"}'))).toBe('model');
});
