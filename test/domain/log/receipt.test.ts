import { describe, expect, test } from 'vitest';
import { CheckpointChecks } from '../../../src/domain/log/checkpoint-checks.ts';
import {
  noteEntry,
  parseServiceEntry,
  recordEntry,
  type StatementDigests,
  serviceEntry,
  statementEntry,
} from '../../../src/domain/log/entries.ts';
import { emptyRoot, sha256 } from '../../../src/domain/log/merkle/hashing.ts';
import { blindedName, originOf } from '../../../src/domain/log/names.ts';
import { noWitnesses, parsePolicy } from '../../../src/domain/log/notes/policy.ts';
import { formatNote, parseNote } from '../../../src/domain/log/notes/signed-note.ts';
import { formatTlogProof, type LogTrust, parseTlogProof } from '../../../src/domain/log/notes/tlog-proof.ts';
import { formatVkey, keyTypes } from '../../../src/domain/log/notes/vkey.ts';
import { parseReceipt, verifyReceipt } from '../../../src/domain/log/receipt.ts';
import { freshSigner, signedBy } from '../../builders/log-keys.ts';
import { digestsOf, receiptsOf } from '../../builders/service-log.ts';
import { describeTestData, readTestText } from '../../test-data.ts';

const fault = (name: string) => expect.objectContaining({ code: 'invalid_proof', fault: name });
const origin = 'cairn.example/log/v1';
const log = freshSigner(origin);
const ann = freshSigner('ann.example', keyTypes.ed25519Cosigner);
const bob = freshSigner('bob.example', keyTypes.mlDsa44Cosigner);
const policy = parsePolicy(
  `witness ann ${formatVkey(ann.vkey)}\nwitness bob ${formatVkey(bob.vkey)}\ngroup both all ann bob\nquorum both\n`,
);
const trust = { logs: [log.vkey], policy };
const verified = (text: string, digests: StatementDigests, each: LogTrust) =>
  verifyReceipt(text, digests, new CheckpointChecks(each));
const statements = Array.from({ length: 7 }, (_, number) => digestsOf(number));
const [receipt = ''] = (await receiptsOf(origin, statements.slice(3), [log, ann, bob])).values();
const mine = digestsOf(3);

/** The receipt with other members of its extra line. */
function withExtra(change: (extra: Record<string, unknown>) => unknown): string {
  const proof = parseTlogProof(receipt);
  const extra = change(JSON.parse(Buffer.from(proof.extra ?? []).toString()));
  return formatTlogProof({ ...proof, extra: Buffer.from(JSON.stringify(extra)) });
}

describe('a receipt', () => {
  test('proves its statement, and tells log, index, witnesses and time', () => {
    expect(verified(receipt, mine, trust)).toMatchObject({
      log: 'graphs/5bf0a3a6-4a0c-4f5e-9c2e-1f6f1b3f0a11',
      index: 0,
      size: 4,
      checkpoint: {
        ...{ origin, size: 11, isKnown: true },
        seen: { at: 1_700_000_000, witnesses: ['ann.example', 'bob.example'] },
      },
    });
  });

  test('proves each statement of a log of any size', async () => {
    for (const count of [1, 2, 3, 7])
      for (const [index, each] of (await receiptsOf(origin, statements.slice(0, count), [log])).entries())
        expect(verified(each, digestsOf(index), { ...trust, policy: noWitnesses }).index).toBe(index);
  });

  test('proves a statement that was logged before anybody could verify its context', async () => {
    const [early = ''] = await receiptsOf(origin, [{ ...mine, rdfcDigest: null }], [log]);
    expect(verified(early, mine, { ...trust, policy: noWitnesses }).size).toBe(1);
  });

  test('says the time at which the policy was met by the clocks of the witnesses', async () => {
    const { text, signatures } = parseNote(parseTlogProof(receipt).checkpoint);
    const at = async (signer: typeof ann, time: number) => await signer.sign(text, time);
    const lines = [signatures[0]?.line ?? '', await at(bob, 900), await at(ann, 700), await at(ann, 800)];
    const proof = { ...parseTlogProof(receipt), checkpoint: formatNote(text, lines) };
    expect(verified(formatTlogProof(proof), mine, trust)).toMatchObject({
      checkpoint: { seen: { at: 900, witnesses: ['ann.example', 'bob.example'] } },
    });
  });

  test('of another statement is refused', () => {
    expect(() => verified(receipt, digestsOf(4), trust)).toThrow(fault('wrong_entry'));
  });

  test.each([
    ['another index', { index: 1 }, 'wrong_root'],
    ['an index too large', { index: 4 }, 'wrong_index'],
    ['another size', { size: 3 }, 'wrong_root'],
    ['a size with another path', { size: 9 }, 'wrong_path'],
    ['another log', { name: 'statements' }, 'wrong_root'],
    ['another nonce', { nonce: Buffer.alloc(32).toString('base64') }, 'wrong_root'],
    ['no path', { path: [] }, 'wrong_path'],
    ['an index beyond 2^53', { index: 2 ** 53 }, 'malformed'],
    ['half an index', { index: 0.5 }, 'malformed'],
    ['a negative size', { size: -1 }, 'malformed'],
    ['a short nonce', { nonce: 'AAAA' }, 'malformed'],
    ['a long name', { name: 'n'.repeat(501) }, 'malformed'],
    ['one more member', { z: 1 }, 'malformed'],
    [
      '54 hashes',
      { path: Array.from({ length: 54 }, () => Buffer.alloc(32).toString('base64')) },
      'malformed',
    ],
  ])('with %s is refused', (_, change, name) => {
    const changed = withExtra((extra) => ({ ...extra, ...change }));
    expect(() => verified(changed, mine, trust)).toThrow(fault(name));
  });

  test('whose extra line is not in its canonical form is refused', () => {
    const reversed = withExtra((extra) => Object.fromEntries(Object.entries(extra).toReversed()));
    expect(() => verified(reversed, mine, trust)).toThrow(fault('malformed'));
    expect(() =>
      verified(
        withExtra(() => null),
        mine,
        trust,
      ),
    ).toThrow(fault('malformed'));
  });

  test('without an extra line is a proof, but no receipt', () => {
    const proof = formatTlogProof({ ...parseTlogProof(receipt), extra: null });
    expect(() => parseReceipt(proof)).toThrow(fault('malformed'));
  });

  test.each([
    ['of an unknown log', { ...trust, logs: [freshSigner('other.example').vkey] }, 'unknown_log'],
    ['of a log with another key', { ...trust, logs: [freshSigner(origin).vkey] }, 'unknown_key'],
  ])('%s is refused', (_, each, name) => {
    expect(() => verified(receipt, mine, each)).toThrow(fault(name));
  });

  test('without a known log holds, and nobody can tell whose it is', () => {
    expect(verified(receipt, mine, { ...trust, logs: [] }).checkpoint).toMatchObject({
      ...{ origin, isKnown: false },
      seen: null,
    });
  });

  test('that too few witnesses have signed is refused', async () => {
    const [few = ''] = await receiptsOf(origin, [mine], [log, ann]);
    expect(() => verified(few, mine, trust)).toThrow(fault('policy_not_met'));
    expect(() => verified(few, mine, trust)).toThrow('cosigned by ann.example');
  });

  test('that only witnesses have signed is refused', async () => {
    const [unsigned = ''] = await receiptsOf(origin, [mine], [ann, bob]);
    expect(() => verified(unsigned, mine, trust)).toThrow(fault('unknown_key'));
  });

  test('with a false second line of a witness is refused', async () => {
    const { text } = parseNote(parseTlogProof(receipt).checkpoint);
    const other = parseNote(await signedBy(text.replace('\n11\n', '\n12\n'), [ann])).signatures[0]?.line;
    expect(() => verified(`${receipt}${other}\n`, mine, trust)).toThrow(fault('wrong_signature'));
  });

  test('is refused after a change of any of its characters', () => {
    // A newline may end a line of the path earlier, so other characters take the place of each.
    for (let at = 0; at < receipt.indexOf('\n— bob'); at += 3) {
      const changed = receipt.slice(0, at) + (receipt[at] === 'A' ? 'B' : 'A') + receipt.slice(at + 1);
      expect(() => verified(changed, mine, trust), `character ${at}`).toThrow(
        expect.objectContaining({ code: 'invalid_proof' }),
      );
    }
  });
});

describeTestData('the example of tlog-proof', () => {
  test('is read, apart from what it leaves out', () => {
    const [, example = ''] =
      /^```\n(c2sp\.org.*?)^```$/ms.exec(readTestText('conformance', 'tlog', 'c2sp', 'tlog-proof.md')) ?? [];
    // The base64 of its extra line has no padding and lacks a character.
    const text = example.replace(/^extra .*$/m, 'extra YWdl');
    const proof = parseTlogProof(text);
    expect(proof).toMatchObject({ extra: Buffer.from('age'), index: 73_894 });
    expect(proof.path).toHaveLength(5);
    expect(formatTlogProof(proof)).toBe(text);
  });
});

describe('a .tlog-proof', () => {
  const start = 'c2sp.org/tlog-proof@v1\n';
  const rest = `\n${parseTlogProof(receipt).checkpoint}`;
  const hash = `${Buffer.from(emptyRoot).toString('base64')}\n`;
  test.each([
    ['nothing', '', 'malformed'],
    ['another version', `c2sp.org/tlog-proof@v2\nindex 0\n${rest}`, 'malformed'],
    ['no index', `${start}${rest}`, 'malformed'],
    ['the index before the extra line', `${start}index 0\nextra YWdl\n${rest}`, 'malformed'],
    ['two extra lines', `${start}extra YWdl\nextra YWdl\nindex 0\n${rest}`, 'malformed'],
    ['an index with leading zeros', `${start}index 00\n${rest}`, 'malformed'],
    ['an index beyond 2^53', `${start}index 9007199254740993\n${rest}`, 'wrong_size'],
    ['an index of 1,000 digits', `${start}index ${'9'.repeat(1_000)}\n${rest}`, 'wrong_size'],
    ['a short hash', `${start}index 0\nAAAA\n${rest}`, 'malformed'],
    ['54 hashes', `${start}index 0\n${hash.repeat(54)}${rest}`, 'too_large'],
    ['no checkpoint', `${start}index 0\n`, 'malformed'],
    ['an extra line of 1 MB', `${start}extra ${'A'.repeat(1_000_000)}\nindex 0\n${rest}`, 'too_large'],
    ['an extra line of 40 KB', `${start}extra ${'A'.repeat(53_336)}\nindex 0\n${rest}`, 'too_large'],
    ['100,000 signatures', `${start}index 0\n${rest}${'— a AAAAAAA=\n'.repeat(100_000)}`, 'too_large'],
    ['Windows line ends', `${start}index 0\n${rest}`.replaceAll('\n', '\r\n'), 'malformed'],
  ])('with %s is refused', (_, text, name) => {
    expect(() => parseTlogProof(text)).toThrow(fault(name));
  });
});

describe('the entries of logs', () => {
  test('of a statement have its digests as multihashes, of 69 or 35 bytes', () => {
    const { rdfcDigest, jcsDigest } = mine;
    expect(Buffer.from(statementEntry(mine)).toString('hex')).toBe(
      `011e20${Buffer.from(rdfcDigest ?? []).toString('hex')}1e20${Buffer.from(jcsDigest).toString('hex')}`,
    );
    expect(Buffer.from(statementEntry({ rdfcDigest: null, jcsDigest })).toString('hex')).toBe(
      `021e20${Buffer.from(jcsDigest).toString('hex')}`,
    );
  });

  test('of a record are the same for any order of its members', () => {
    expect(recordEntry({ a: 1, b: 2 })).toEqual(recordEntry({ b: 2, a: 1 }));
    expect(recordEntry({ a: 1 })).toEqual(Buffer.concat([Buffer.of(3), sha256('{"a":1}')]));
  });

  test('of the service log are read as they were written', () => {
    const head = { blindedName: sha256('name'), size: 2 ** 53 - 1, root: emptyRoot };
    expect(parseServiceEntry(serviceEntry(head))).toEqual(head);
    expect(parseServiceEntry(noteEntry('Made from an earlier store.', new Date(0)))).toBeUndefined();
    const tooLarge = Buffer.from(serviceEntry(head));
    tooLarge.writeBigUInt64BE(2n ** 53n, 33);
    for (const entry of [
      tooLarge,
      Buffer.alloc(0),
      Buffer.of(1),
      Buffer.concat([serviceEntry(head), Buffer.of(0)]),
    ])
      expect(() => parseServiceEntry(entry)).toThrow(fault('wrong_entry'));
  });

  test('name a log by a hash that needs its nonce', () => {
    const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    expect(blindedName('audit', one)).toEqual(
      sha256(Buffer.concat([Buffer.from('cairn log v1'), one, Buffer.from('audit')])),
    );
    expect(blindedName('audit', one)).not.toEqual(blindedName('audit', two));
  });
});

test.each([
  ['https://cairn.example', undefined, 'cairn.example/log/v1'],
  ['https://cairn.example/', undefined, 'cairn.example/log/v1'],
  ['http://localhost:3000/base/', undefined, 'localhost:3000/base/log/v1'],
  ['https://cairn.example', 'graphs/1', 'cairn.example/log/v1/graphs/1'],
])('the origin of %s %s is %s', (url, name, expected) => {
  expect(originOf(url, name)).toBe(expected);
});
