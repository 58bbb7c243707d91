import { expect, test } from 'vitest';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import {
  foldedName,
  nameFor,
  nameInDocument,
  parsedDocument,
  subjectNameIn,
} from '../../src/domain/integrity/names/name.ts';

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

const subjectNamed = (id: string, document: unknown) =>
  nameFor(id, subjectNameIn(Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))));
const documentUrn = cidUrn(cidOf(codecs.jcs, 'a document'));
const fileUrn = cidUrn(cidOf(codecs.raw, 'a file'));

test.each([
  ['SPDX', { spdxVersion: 'SPDX-2.3', SPDXID: 'SPDXRef-DOCUMENT', name: 'sbom' }],
  ['SPDX 3', { '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld', type: 'Sbom', name: 'sbom' }],
  ['SPDX in its tag-value form', 'SPDXVersion: SPDX-2.3\nDocumentName: sbom'],
  ['CycloneDX', { bomFormat: 'CycloneDX', specVersion: '1.6', name: 'sbom' }],
  ['in-toto', { _type: 'https://in-toto.io/Statement/v1', name: 'sbom' }],
  ['a JSON schema', { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'sbom' }],
])('names nothing after %s, which names itself', (_, document) => {
  expect(subjectNamed(documentUrn, document)).toBeUndefined();
  expect(subjectNamed(fileUrn, document)).toBeUndefined();
});

test('names things after documents about them, and after files that say nothing but plain values', () => {
  const nested = { name: 'package', version: '1.0.0', dependencies: { hono: '4' } };
  expect([subjectNamed(documentUrn, nested), subjectNamed(fileUrn, nested)]).toEqual(['package', undefined]);
  const plain = { name: 'model', score: 0.9, tags: ['a', 'b'], isFinal: true, parent: null };
  expect([subjectNamed(documentUrn, plain), subjectNamed(fileUrn, plain)]).toEqual(['model', 'model']);
});

test('names a run, whatever its user says about it', () => {
  const run = { name: 'train', torchVersion: '2.9', started: '2026-01-31T12:00:00Z', duration: 1 };
  expect(subjectNamed(documentUrn, run)).toBe('train');
});

test('reads no document that is nested too deeply to be written again', () => {
  const nested = (depth: number) => Buffer.from(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  expect(parsedDocument(nested(255))).toBeDefined();
  expect(parsedDocument(nested(256))).toBeUndefined();
  expect(parsedDocument(nested(30_000))).toBeUndefined();
});
