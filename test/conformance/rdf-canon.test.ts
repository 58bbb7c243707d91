import { expect, test } from 'vitest';
import { ServiceError } from '../../src/domain/errors.ts';
import { canonicalNQuads } from '../../src/domain/integrity/identification/rdfc.ts';
import { parseNQuads } from '../builders/nquads.ts';
import { describeTestData, readTestJson, readTestText } from '../test-data.ts';

interface Entry {
  readonly id: string;
  readonly type: 'rdfc:RDFC10EvalTest' | 'rdfc:RDFC10MapTest' | 'rdfc:RDFC10NegativeEvalTest';
  readonly name: string;
  readonly hashAlgorithm?: 'SHA384';
  readonly action: string;
  readonly result?: string;
}

const workFactor = 3;
const timeoutMs = 3_000;

describeTestData('RDF Dataset Canonicalization RDFC-1.0', () => {
  const { entries } = readTestJson<{ entries: Entry[] }>('conformance', 'rdf-canon', 'manifest.jsonld');
  const input = ({ action }: Entry) => parseNQuads(readTestText('conformance', 'rdf-canon', action));
  const optionsOf = ({ hashAlgorithm }: Entry) =>
    ({ workFactor, timeoutMs, hash: hashAlgorithm === 'SHA384' ? 'sha384' : 'sha256' }) as const;
  const ofType = (type: Entry['type']) => entries.filter((entry) => entry.type === type);

  test.each(ofType('rdfc:RDFC10EvalTest'))('$id, $name: canonical N-Quads', async (entry) => {
    const expected = readTestText('conformance', 'rdf-canon', entry.result ?? '');
    expect(await canonicalNQuads(input(entry), optionsOf(entry))).toBe(expected);
  });

  test.each(ofType('rdfc:RDFC10MapTest'))('$id, $name: canonical labels', async (entry) => {
    const issued = new Map<string, string>();
    await canonicalNQuads(input(entry), { ...optionsOf(entry), issued });
    const expected = readTestJson('conformance', 'rdf-canon', entry.result ?? '');
    expect(Object.fromEntries(issued)).toEqual(expected);
  });

  test.each(ofType('rdfc:RDFC10NegativeEvalTest'))('$id, $name: given up', async (entry) => {
    const error = await canonicalNQuads(input(entry), optionsOf(entry)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toHaveProperty('code', 'too_complex');
  });

  test('no entry of the manifest is left out', () => {
    const types = ['rdfc:RDFC10EvalTest', 'rdfc:RDFC10MapTest', 'rdfc:RDFC10NegativeEvalTest'] as const;
    expect(entries).toHaveLength(types.flatMap(ofType).length);
  });
});
