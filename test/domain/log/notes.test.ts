import { describe, expect, test } from 'vitest';
import { emptyRoot } from '../../../src/domain/log/merkle/hashing.ts';
import { formatCheckpoint, parseCheckpoint } from '../../../src/domain/log/notes/checkpoint.ts';
import { verifyNote } from '../../../src/domain/log/notes/cosignature.ts';
import { formatNote, parseNote } from '../../../src/domain/log/notes/signed-note.ts';
import { formatVkey, keyTypes, parseVkey } from '../../../src/domain/log/notes/vkey.ts';
import { freshSigner, signedBy } from '../../builders/log-keys.ts';
import { describeTestData, readTestText } from '../../test-data.ts';

const fault = (name: string) => expect.objectContaining({ code: 'invalid_proof', fault: name });
const text = formatCheckpoint({ origin: 'log.example/log/v1', size: 3, root: emptyRoot, extensions: [] });
const log = freshSigner('log.example/log/v1');
const witness = freshSigner('witness.example/w', keyTypes.ed25519Cosigner);
const quantum = freshSigner('witness.example/q', keyTypes.mlDsa44Cosigner);
const all = [log.vkey, witness.vkey, quantum.vkey];

describeTestData('the examples of C2SP', () => {
  const blocks = (file: string) =>
    [...readTestText('conformance', 'tlog', 'c2sp', file).matchAll(/^```\n(.*?)^```$/gms)].map(
      ([, block = '']) => block,
    );

  test('the key of signed-note verifies its note', () => {
    const vkey = parseVkey('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k');
    const note = blocks('signed-note.md').find((block) => block.startsWith('This is an example')) ?? '';
    expect(verifyNote(parseNote(note), [vkey])).toMatchObject([{ vkey, at: null }]);
    expect(() => verifyNote(parseNote(note.replace('an', 'no')), [vkey])).toThrow(fault('wrong_signature'));
    expect(formatVkey(vkey)).toBe('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k');
  });

  test.each(['signed-note.md', 'tlog-checkpoint.md', 'tlog-cosignature.md'])(
    'the notes of %s are read and written the same',
    (file) => {
      const notes = blocks(file).filter((block) => block.includes('\n\n— '));
      expect(notes.length).toBeGreaterThan(0);
      for (const note of notes) {
        const parsed = parseNote(note);
        expect(
          formatNote(
            parsed.text,
            parsed.signatures.map(({ line }) => line),
          ),
        ).toBe(note);
      }
    },
  );

  test('the checkpoint of tlog-cosignature is read', () => {
    const [note = ''] = blocks('tlog-cosignature.md');
    const checkpoint = parseCheckpoint(parseNote(note).text);
    expect(checkpoint).toMatchObject({
      origin: 'example.com/behind-the-sofa',
      size: 20_852_163,
      extensions: [],
    });
  });
});

describe('a note', () => {
  test('is verified by keys of all three types, with the times of witnesses', async () => {
    const note = await signedBy(text, [log, witness, quantum], 1_763_900_000);
    expect(verifyNote(parseNote(note), all).map(({ vkey, at }) => [vkey.name, at])).toEqual([
      ['log.example/log/v1', null],
      ['witness.example/w', 1_763_900_000],
      ['witness.example/q', 1_763_900_000],
    ]);
  });

  test.each([log, witness, quantum])(
    'of which one bit was changed is refused ($vkey.type)',
    async (signer) => {
      const { text: _, signatures } = parseNote(await signedBy(text, [signer]));
      const [{ signature, line } = { signature: new Uint8Array(), line: '' }] = signatures;
      for (const at of [0, 7, 9, signature.length - 1]) {
        const bytes = Buffer.from(line.split(' ')[2] ?? '', 'base64');
        bytes[4 + at] = (bytes[4 + at] ?? 0) ^ 1;
        const changed = formatNote(text, [`— ${signer.vkey.name} ${bytes.toString('base64')}`]);
        expect(() => verifyNote(parseNote(changed), all)).toThrow(fault('wrong_signature'));
      }
      const other = text.replace('\n3\n', '\n4\n');
      expect(() => verifyNote(parseNote(formatNote(other, [line])), all)).toThrow(fault('wrong_signature'));
    },
  );

  test('ignores other keys, of the same name too, but not all of them', async () => {
    const namesake = freshSigner(log.vkey.name);
    const note = parseNote(await signedBy(text, [namesake, log]));
    expect(verifyNote(note, all)).toHaveLength(1);
    expect(() => verifyNote(note, [witness.vkey])).toThrow(fault('unknown_key'));
  });

  test('with a false second line of a known key is refused', async () => {
    const good = await signedBy(text, [log]);
    const [line = ''] = parseNote(await signedBy(`${text}x\n`, [log])).signatures.map((each) => each.line);
    expect(() => verifyNote(parseNote(`${good}${line}\n`), all)).toThrow(fault('wrong_signature'));
  });

  test('may have 100 signatures, and no more', () => {
    const lines = (count: number) => Array.from({ length: count }, () => '— a AAAAAAA=');
    expect(parseNote(formatNote('text\n', lines(100))).signatures).toHaveLength(100);
    expect(() => parseNote(formatNote('text\n', lines(101)))).toThrow(fault('too_large'));
    expect(() => parseNote(formatNote('text\n', lines(100_000)))).toThrow(fault('too_large'));
  });

  test.each([
    ['no empty line', 'text\n— a AAAAAAA=\n', 'malformed'],
    ['no signatures', 'text\n\n', 'malformed'],
    ['no newline at the end', 'text\n\n— a AAAAAAA=', 'malformed'],
    ['an empty text', '', 'malformed'],
    ['a hyphen for the dash', 'text\n\n- a AAAAAAA=\n', 'malformed'],
    ['a key name with a plus', 'text\n\n— a+b AAAAAAA=\n', 'malformed'],
    ['a key name with a Unicode space', 'text\n\n— a\u00a0b AAAAAAA=\n', 'malformed'],
    ['no key name', 'text\n\n—  AAAAAAA=\n', 'malformed'],
    ['a signature of no bytes', 'text\n\n— a AAAAAA==\n', 'malformed'],
    ['base64 that is not canonical', 'text\n\n— a AAAAAAB=\n', 'malformed'],
    ['base64 without padding', 'text\n\n— a AAAAAAA\n', 'malformed'],
    ['a third field', 'text\n\n— a AAAAAAA= b\n', 'malformed'],
    ['a carriage return', 'text\r\n\n— a AAAAAAA=\n', 'malformed'],
    ['a tab', 'te\txt\n\n— a AAAAAAA=\n', 'malformed'],
    ['a lone surrogate', 'te\ud800xt\n\n— a AAAAAAA=\n', 'malformed'],
    ['bytes that are not UTF-8', Buffer.from('te\xfft\n\n- a AAAAAAA=\n', 'latin1'), 'malformed'],
    ['a megabyte', `${'x'.repeat(1_000_001)}\n\n— a AAAAAAA=\n`, 'too_large'],
  ])('with %s is refused', (_, input, name) => {
    expect(() => parseNote(input)).toThrow(fault(name));
  });

  test('keeps a byte order mark and empty lines in its text', () => {
    const { text } = parseNote(Buffer.from('\ufeffone\n\ntwo\n\n— a AAAAAAA=\n'));
    expect(text).toBe('\ufeffone\n\ntwo\n');
  });
});

describe('a verifier key', () => {
  test.each([log, witness, quantum])('is read as it was written ($vkey.type)', ({ vkey }) => {
    expect(parseVkey(formatVkey(vkey))).toEqual({ ...vkey, publicKey: Buffer.from(vkey.publicKey) });
  });

  const [name, id, key] = formatVkey(log.vkey)
    .split('+', 2)
    .concat(formatVkey(log.vkey).split('+').slice(2).join('+'));
  test.each([
    ['nothing', ''],
    ['no name', `+${id}+${key}`],
    ['a space in its name', `a b+${id}+${key}`],
    ['the ID of another key', `${name}+00000000+${key}`],
    ['an ID in capitals', `${name}+ABCDEF01+${key}`],
    ['the name of another key', `other.example+${id}+${key}`],
    [
      'an unknown type',
      `${name}+${id}+${Buffer.concat([Buffer.of(2), Buffer.alloc(32)]).toString('base64')}`,
    ],
    ['a short key', `${name}+${id}+AQID`],
    ['a key of a megabyte', `${name}+${id}+${'A'.repeat(1_000_000)}`],
  ])('with %s is refused', (_, vkey) => {
    expect(() => parseVkey(vkey)).toThrow(fault('malformed'));
  });
});

describe('a checkpoint', () => {
  const root = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=';

  test('is read as it was written, with its extensions', () => {
    const lines = `origin\n0\n${root}\nmore\nlines\n`;
    expect(parseCheckpoint(lines).extensions).toEqual(['more', 'lines']);
    expect(formatCheckpoint(parseCheckpoint(lines))).toBe(lines);
  });

  test.each([
    ['no origin', `\n1\n${root}\n`, 'malformed'],
    ['two lines', 'origin\n1\n', 'malformed'],
    ['no last newline', `origin\n1\n${root}`, 'malformed'],
    ['an empty extension', `origin\n1\n${root}\n\nmore\n`, 'malformed'],
    ['a leading zero', `origin\n01\n${root}\n`, 'malformed'],
    ['a sign', `origin\n+1\n${root}\n`, 'malformed'],
    ['a negative size', `origin\n-1\n${root}\n`, 'malformed'],
    ['a size beyond 2^53', `origin\n9007199254740992\n${root}\n`, 'wrong_size'],
    ['a short root', 'origin\n1\nAAAA\n', 'malformed'],
  ])('with %s is refused', (_, lines, name) => {
    expect(() => parseCheckpoint(lines)).toThrow(fault(name));
  });
});
