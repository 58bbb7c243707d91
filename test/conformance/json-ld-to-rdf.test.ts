import { expect, test } from 'vitest';
import { ServiceError } from '../../src/domain/errors.ts';
import { ContextWorld, contextDocument } from '../../src/domain/integrity/contexts/world.ts';
import { MissingContexts, toRdf } from '../../src/domain/integrity/identification/json-ld.ts';
import { canonicalNQuads } from '../../src/domain/integrity/identification/rdfc.ts';
import { parseNQuads } from '../builders/nquads.ts';
import { describeTestData, listTestData, readTestJson, readTestText } from '../test-data.ts';
import { cannotPass } from './cannot-pass.ts';

interface Case {
  readonly '@id': string;
  readonly '@type': readonly string[];
  readonly name: string;
  readonly input: string;
  readonly expect?: string;
  readonly expectErrorCode?: string;
}

const limits = { workFactor: 3, timeoutMs: 5_000 };

describeTestData('JSON-LD 1.1 to RDF, without a base IRI and without the network', () => {
  const folder = ['conformance', 'json-ld-toRdf'] as const;
  const { sequence } = readTestJson<{ sequence: Case[] }>(...folder, 'toRdf-manifest.jsonld');
  const cases = sequence.map((entry) => ({ ...entry, id: entry['@id'] }));
  const documents = listTestData(...folder, 'toRdf')
    .filter((name) => name.endsWith('.jsonld'))
    .map((name) => ({ name, text: readTestText(...folder, 'toRdf', name) }))
    .filter(({ text }) => !Array.isArray(JSON.parse(text)));

  /** Contexts that a case names by a relative URL are known under just that. */
  const world = () => {
    const bundled = ContextWorld.bundled();
    for (const { name, text } of documents) bundled.add(contextDocument(name, text));
    return bundled;
  };

  async function canonical({ input }: Case): Promise<string> {
    const { quads } = await toRdf(readTestJson<object>(...folder, input), world());
    return await canonicalNQuads(quads, limits);
  }

  async function demandRefusal(entry: Case): Promise<void> {
    const error = await canonical(entry).catch((thrown: unknown) => thrown);
    const isUnreachable = entry.expectErrorCode === 'loading remote context failed';
    expect(error).toBeInstanceOf(isUnreachable ? MissingContexts : ServiceError);
  }

  async function check(entry: Case): Promise<void> {
    const [kind] = entry['@type'];
    if (kind === 'jld:NegativeEvaluationTest') {
      await demandRefusal(entry);
    } else if (kind === 'jld:PositiveSyntaxTest') {
      await canonical(entry);
    } else {
      const expected = parseNQuads(readTestText(...folder, entry.expect ?? ''));
      expect(await canonical(entry)).toBe(await canonicalNQuads(expected, limits));
    }
  }

  test.each(cases.filter(({ id }) => !cannotPass.has(id)))('$id, $name', check);

  test.each(cases.filter(({ id }) => cannotPass.has(id)))(
    '$id, $name: cannot pass, as the table says',
    async (entry) => {
      const outcome = await check(entry).then(
        () => 'passes: take it out of the table',
        () => 'fails',
      );
      expect(outcome, cannotPass.get(entry.id)).toBe('fails');
    },
  );

  test('the table names cases of the manifest only', () => {
    const ids = new Set(cases.map(({ id }) => id));
    expect([...cannotPass.keys()].filter((id) => !ids.has(id))).toEqual([]);
  });
});
