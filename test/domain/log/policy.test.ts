import { describe, expect, test } from 'vitest';
import { isMet, noWitnesses, parsePolicy } from '../../../src/domain/log/notes/policy.ts';
import { formatVkey, keyTypes, makeVkey, type Vkey } from '../../../src/domain/log/notes/vkey.ts';
import { freshSigner } from '../../builders/log-keys.ts';

const keyOf = ({ vkey }: { vkey: Vkey }) => formatVkey(vkey);
const log = freshSigner('log.example/log/v1');
const witnesses = ['X1', 'X2', 'X3', 'Y1', 'Y2', 'Y3'].map((name) =>
  freshSigner(`${name}.example`, keyTypes.ed25519Cosigner),
);
const [x1, x2, x3, y1] = witnesses.map(({ vkey }) => vkey) as [Vkey, Vkey, Vkey, Vkey];
const lines = witnesses.map((each) => `witness ${each.vkey.name.slice(0, 2)} ${keyOf(each)}`);

const example = `
log ${keyOf(log)}  https://log.example/log/v1

${lines.slice(0, 3).join('\n')}
group X-witnesses 2 X1 X2 X3
  # Comments and tabs are allowed: ä
${lines.slice(3).join('\n')} https://y3.example/
group Y-witnesses\tany Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;

describe('a policy', () => {
  test('is met by two levels of groups as tlog-policy says', () => {
    const policy = parsePolicy(example);
    expect(policy.logs).toMatchObject([{ vkey: log.vkey, url: 'https://log.example/log/v1' }]);
    expect(policy.witnesses.map(({ url }) => url)).toEqual([
      null,
      null,
      null,
      null,
      null,
      'https://y3.example/',
    ]);
    expect(isMet(policy, [x1, x3, y1])).toBe(true);
    expect(isMet(policy, [x1, x2, x3])).toBe(false);
    expect(isMet(policy, [x1, x1, y1])).toBe(false);
    expect(isMet(policy, [x1, y1])).toBe(false);
  });

  test('counts a key only under the name that it has in the policy', () => {
    const policy = parsePolicy(`${lines[0]}\nquorum X1\n`);
    expect(isMet(policy, [x1])).toBe(true);
    expect(isMet(policy, [makeVkey('other.example', x1.type, x1.publicKey)])).toBe(false);
  });

  test('may require nobody', () => {
    expect(isMet(parsePolicy('quorum none'), [])).toBe(true);
    expect(isMet(noWitnesses, [])).toBe(true);
  });

  test('keeps names apart that differ only in octets which are no UTF-8', () => {
    const [one = '', two = ''] = lines;
    const bytes = Buffer.concat([
      Buffer.from(`${one.replace('X1', 'é')}\n`),
      Buffer.from(`${two.replace('X2', '\xe9')}\nquorum \xe9\n`, 'latin1'),
    ]);
    expect(isMet(parsePolicy(bytes), [x2])).toBe(true);
    expect(isMet(parsePolicy(bytes), [x1])).toBe(false);
  });

  const same = formatVkey(makeVkey('renamed.example', keyTypes.ed25519Cosigner, x1.publicKey));
  test.each([
    ['no quorum', '', 'no quorum line'],
    ['two quorums', 'quorum none\nquorum none\n', 'Line 2: There is a quorum line already'],
    ['a quorum of two names', 'quorum none none\n', 'Line 1: A quorum line has one name'],
    ['an unknown quorum', 'quorum X1\n', 'Line 1: "X1" is not defined'],
    ['a quorum before its witness', `quorum X1\n${lines[0]}\n`, 'Line 1: "X1" is not defined'],
    ['an unknown line', 'witnesses X1\n', 'Line 1: "witnesses" is unknown'],
    ['a carriage return', 'quorum none\r\n', 'Line 1: It has a control character'],
    [
      'a name used twice',
      `${lines[0]}\n${lines[1]?.replace('X2', 'X1')}\n`,
      'Line 2: The name "X1" is taken',
    ],
    ['a witness named none', `${lines[0]?.replace('X1', 'none')}\n`, 'Line 1: The name "none" is taken'],
    ['a key used twice', `${lines[0]}\nwitness Z ${same}\n`, 'Line 2: The key of renamed.example stands'],
    [
      'the key of a log as witness',
      `witness L ${keyOf(log)}\n`,
      'Line 1: The key of log.example/log/v1 is one of a log',
    ],
    [
      'the key of a witness as log',
      `log ${same}\n`,
      'Line 1: The key of renamed.example is one of a witness',
    ],
    ['a key that is none', 'log key\n', 'Line 1: "key" is no verifier key'],
    ['a witness without a key', 'witness X\n', 'Line 1: "" is no verifier key'],
    ['too many items', `${lines[0]} https://a.example https://b.example\n`, 'Line 1: A witness has'],
    ['a group without members', `${lines[0]}\ngroup G any\n`, 'Line 2: A group has'],
    ['a group with an unknown member', `${lines[0]}\ngroup G any X1 X2\n`, 'Line 2: "X2" is not defined'],
    ['a group with itself', 'group G any G\n', 'Line 1: "G" is not defined'],
    ['a group with nobody', 'group G any none\n', 'Line 1: "none" is not defined'],
    ['a member twice', `${lines[0]}\ngroup G any X1 X1\n`, 'Line 2: "X1" is a member'],
    ['a member of two groups', `${lines[0]}\ngroup G any X1\ngroup H any X1\n`, 'Line 3: "X1" is a member'],
    ['a threshold of 0', `${lines[0]}\ngroup G 0 X1\n`, 'Line 2: "0" must be'],
    ['a threshold above its members', `${lines[0]}\ngroup G 2 X1\n`, 'Line 2: "2" must be'],
    ['a threshold in hexadecimal', `${lines[0]}\ngroup G 0x1 X1\n`, 'Line 2: "0x1" must be'],
    ['100,000 bytes', '#'.repeat(100_000), 'more than 65536 bytes'],
  ])('with %s is refused with the number of the line', (_, text, message) => {
    expect(() => parsePolicy(text)).toThrow(message);
  });

  test('may have 300 groups inside each other', () => {
    const groups = Array.from(
      { length: 300 },
      (_, at) => `group G${at} all ${at === 0 ? 'X1' : `G${at - 1}`}`,
    );
    const policy = parsePolicy([lines[0], ...groups, 'quorum G299', ''].join('\n'));
    expect(isMet(policy, [x1])).toBe(true);
    expect(isMet(policy, [x2])).toBe(false);
  });
});
