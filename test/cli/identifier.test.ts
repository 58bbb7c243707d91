import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { cidOrFile, identifierOrFile } from '../../src/cli/client/identifier-or-file.ts';
import { cutLine, lineWidth, shownIdentifier } from '../../src/cli/terminal/identifier.ts';
import { cairn, temporaryFolder } from './run-cairn.ts';

const abc = 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu';
const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });

test('an identifier is shown with its name, in one line that cannot steer a terminal', () => {
  expect(shownIdentifier(`urn:cid:${abc}`, 'abc.txt')).toBe('abc.txt (bafkr4ide…lpm5qu)');
  expect(shownIdentifier(`urn:cid:${abc}`, 'a\n\u001b[2J\u202e', { isFull: true })).toBe(
    `a\\u000a\\u001b[2J\\u202e (urn:cid:${abc})`,
  );
  expect(shownIdentifier(abc, 'x'.repeat(10_000))).toHaveLength(60 + ' (bafkr4ide…lpm5qu)'.length);
  expect(shownIdentifier('did:web:a', undefined)).toBe('did:web:a');
});

test('lines end at the width of the terminal, and elsewhere after 120 characters', () => {
  expect(lineWidth({ stdout: Object.assign(new Writable(), { isTTY: true, columns: 60 }) })).toBe(60);
  expect(lineWidth({ stdout: Object.assign(new Writable(), { columns: 60 }) })).toBe(120);
  expect(cutLine('abcdef', 6)).toBe('abcdef');
  expect(cutLine('abcdefg', 6)).toBe('abcde…');
  expect(cutLine('模型模型', 6)).toBe('模型…');
});

test('a file or folder stands for its CID, and an identifier for itself', async () => {
  using folder = temporaryFolder();
  const io = { cwd: folder.path, stderr };
  writeFileSync(join(folder.path, 'abc.txt'), 'abc');
  writeFileSync(join(folder.path, abc), 'something else');
  expect(await identifierOrFile(io, 'abc.txt')).toBe(`urn:cid:${abc}`);
  expect(await identifierOrFile(io, abc)).toBe(`urn:cid:${abc}`);
  expect(await identifierOrFile(io, `./${abc}`)).not.toBe(`urn:cid:${abc}`);
  mkdirSync(join(folder.path, 'data'));
  writeFileSync(join(folder.path, 'data', 'abc.txt'), 'abc');
  const { text } = await cidOrFile(io, 'data');
  const run = await cairn(['gov', 'status', 'data', '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4'], {
    cwd: folder.path,
    env: { CAIRN_URL: 'http://127.0.0.1:9' },
  });
  expect([run.code, run.stderr]).toEqual([3, expect.stringMatching(`^data is urn:cid:${text}\n`)]);
  await expect(identifierOrFile(io, 'gone')).rejects.toThrow('nor a DID, nor a file that exists.');
  const sha256 = 'BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD';
  const named = 'urn:cid:bafkreif2pall7dybz7vecqka3zo24irdwabwdi4wc55jznaq75q7eaavvu';
  for (const text of [`sha256:${sha256}`, `ghcr.io/a/b:1@sha256:${sha256.toLowerCase()}`])
    expect(await identifierOrFile(io, text)).toBe(named);
  await expect(identifierOrFile(io, `sha256:${sha256.slice(1)}`)).rejects.toThrow('nor a file that exists');
  const shortened = '"bafkr4ide…lpm5qu" is shortened. Give the whole identifier';
  await expect(identifierOrFile(io, 'bafkr4ide…lpm5qu')).rejects.toThrow(shortened);
  await expect(cidOrFile(io, 'bafkr4ide…lpm5qu')).rejects.toThrow(shortened);
  await expect(identifierOrFile(io, '')).rejects.toThrow('nor a file that exists.');
  await expect(cidOrFile(io, '/dev/zero')).rejects.toThrow('can be read only once');
});
