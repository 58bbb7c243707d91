import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import { toRdf } from '../../src/domain/integrity/identification/json-ld.ts';
import { canonicalNQuads, sortedNQuads } from '../../src/domain/integrity/identification/rdfc.ts';
import { parseNQuads } from '../builders/nquads.ts';

const limits = { workFactor: 3 };
const bang = '\uff01';
const smile = '😀';

describe('lines are sorted by code points, not by UTF-16 code units', () => {
  test('in the canonical N-Quads', async () => {
    const lines = [bang, smile].map((value) => `_:c14n0 <urn:p> "${value}" .\n`);
    expect(await canonicalNQuads(parseNQuads(lines.toReversed().join('')), limits)).toBe(lines.join(''));
    expect(lines.toSorted()).not.toEqual(lines);
  });

  test('in the hash that determines the label of a blank node', async () => {
    const hash = (lines: string[]) => createHash('sha256').update(lines.join('')).digest('hex');
    const linesOf = (node: string, salt: number) =>
      [bang, smile].map((value) => `${node} <urn:p> "${value}${salt}" .\n`);
    // The rank of one of the two nodes depends on the order of its lines.
    const other = hash([`_:a <urn:q> "x" .\n`]);
    const salt = Array.from({ length: 100 }, (_, at) => at).find(
      (at) => hash(linesOf('_:a', at)) < other !== hash(linesOf('_:a', at).reverse()) < other,
    );
    if (salt === undefined) throw new Error('no such salt');
    const issued = new Map<string, string>();
    const dataset = [...linesOf('_:one', salt), '_:two <urn:q> "x" .\n'].join('');
    await canonicalNQuads(parseNQuads(dataset), { ...limits, issued });
    expect(issued.get('one')).toBe(hash(linesOf('_:a', salt)) < other ? 'c14n0' : 'c14n1');
  });

  test('without surrogates the order is that of JavaScript', () => {
    expect(sortedNQuads(['b', 'a', 'B'])).toEqual(['B', 'a', 'b']);
    expect(sortedNQuads([smile, 'a'])).toEqual(['a', smile]);
    expect(sortedNQuads([smile, bang])).toEqual([bang, smile]);
  });
});

describe('a dataset is a set', () => {
  test.each([
    [
      'a number in two forms',
      { 'urn:p': [1, { '@value': '1', '@type': 'http://www.w3.org/2001/XMLSchema#integer' }] },
    ],
    [
      'a type as a type and as a property',
      { '@type': 'urn:T', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type': { '@id': 'urn:T' } },
    ],
  ])('%s', async (_name, document) => {
    const { quads } = await toRdf(document, new ContextWorld());
    expect(quads).toHaveLength(1);
  });
});

test('a relative IRI in an ordered list is dropped and reported', async () => {
  const document = { 'urn:p': { '@list': [{ '@id': 'relative' }, { '@id': 'urn:x:y' }] } };
  const { quads, dropped } = await toRdf(document, new ContextWorld());
  expect(dropped).toContain('relative object reference');
  expect((await canonicalNQuads(quads, limits)).match(/22-rdf-syntax-ns#first> <urn:x:y>/g)).toHaveLength(1);
  expect(quads).toHaveLength(4);
});
