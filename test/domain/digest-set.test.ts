import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { codecs, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { CidSet } from '../../src/domain/integrity/identifiers/cid-set.ts';
import { DigestMap } from '../../src/domain/integrity/identifiers/digest-map.ts';
import { DigestSet } from '../../src/domain/integrity/identifiers/digest-set.ts';

const digest = (text: string) => createHash('sha256').update(text).digest();

test('a digest set contains what was added and reports what is new', () => {
  const set = new DigestSet();
  for (let at = 0; at < 5_000; at += 1) {
    expect(set.has(digest(`${at}`))).toBe(false);
    expect(set.add(digest(`${at}`))).toBe(true);
    expect(set.add(digest(`${at >> 1}`))).toBe(false);
  }
  expect([...set]).toHaveLength(5_000);
  expect([...set].slice(0, 2)).toEqual([digest('0'), digest('1')]);
  for (let at = 0; at < 10_000; at += 1) expect(set.has(digest(`${at}`))).toBe(at < 5_000);
});

test('digests that differ only in their last bytes are different', () => {
  const set = new DigestSet();
  const one = digest('one');
  const other = Buffer.from(one);
  other.fill(0, 16);
  expect([set.add(one), set.add(other), set.has(one), set.has(other)]).toEqual([true, true, true, true]);
});

test('a digest map has the first value of each key', () => {
  const map = new DigestMap();
  for (let at = 0; at < 5_000; at += 1) {
    map.add(digest(`${at}`), digest(`value ${at}`));
    map.add(digest(`${at >> 1}`), digest('later'));
  }
  for (let at = 0; at < 5_000; at += 1)
    expect(map.get(digest(`${at}`))).toEqual(new Uint8Array(digest(`value ${at}`)));
  expect([map.get(digest('none')), map.has(digest('none')), map.has(digest('7'))]).toEqual([
    undefined,
    false,
    true,
  ]);
});

test('a set of CIDs tells codecs and hash functions apart', () => {
  const set = new CidSet();
  const one = makeCid(codecs.raw, digest('one'));
  const others = [makeCid(codecs.jcs, digest('one')), makeCid(codecs.raw, digest('one'), 'sha2-256')];
  expect([set.add(one), set.add(one), set.has(one)]).toEqual([true, false, true]);
  expect(others.map((other) => set.has(other))).toEqual([false, false]);
});
