import { create, parse } from 'content-disposition';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentFileName, fileName } from '../../src/contract/words/file-name.ts';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';

test.each([
  ['data/train.csv', 'train.csv'],
  ['parts/', 'parts'],
  ['..\\..\\evil.exe', 'evil.exe'],
  ['../../etc/passwd', 'passwd'],
  ['..', 'fallback'],
  ['/', 'fallback'],
  ['-rf', 'rf'],
  ['.bashrc', 'bashrc'],
  ['a"; filename=b\r\nset-cookie: c', 'a-; filename=bset-cookie- c'],
  ['<b>bold</b>', 'b-'],
  ['invoice\u202egnp.exe', 'invoicegnp.exe'],
  ['con.txt', '_con.txt'],
  ['Modell für Kredite ☃.bin', 'Modell für Kredite ☃.bin'],
  [`${'x'.repeat(10_000)}.tar`, `${'x'.repeat(120)}.tar`],
])('a file is named safely after %j', (name, safe) => {
  expect(fileName(name, 'fallback')).toBe(safe);
});

test('a file without an extension gets that of its content', () => {
  const [document, statement, file] = [codecs.jcs, codecs.rdfc, codecs.raw].map((codec) => cidOf(codec, 'x'));
  if (!document || !statement || !file) expect.fail();
  expect(contentFileName('Approval', document)).toBe('Approval.json');
  expect(contentFileName('report.txt', document)).toBe('report.txt');
  expect(contentFileName(undefined, statement)).toBe(`${statement.text}.nq`);
  expect(contentFileName(undefined, file)).toBe(file.text);
});

test('any name stays in its folder and in its header', () => {
  const names = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: fc.constantFrom(...'./\\"\r\n;=% \0ab€😀\ud800') }),
  );
  fc.assert(
    fc.property(names, (name) => {
      const file = fileName(name, 'fallback', '.json');
      expect(file).not.toMatch(/[/\\"<>:|?*\p{C}]|^[.-]|^\s|[\s.]$/u);
      expect(file.length).toBeGreaterThan(0);
      const header = create(file);
      expect(new Headers({ a: header }).get('a')).toBe(header);
      expect(parse(header)).toMatchObject({ type: 'attachment', parameters: { filename: file } });
    }),
  );
});
