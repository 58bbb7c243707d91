import { expect, test } from 'vitest';
import { commonContexts } from '../../src/domain/integrity/contexts/common.ts';
import { governanceContext, ownContext } from '../../src/domain/integrity/contexts/own.ts';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { termsIri } from '../../src/domain/integrity/kinds/kind.ts';
import { statementKinds } from '../../src/domain/integrity/kinds/registry.ts';

/** Only append here. A line that no longer fits means that a published document has changed, and with it the ids. */
const published = {
  vocabulary: [
    'urn:cid:bafkr4iemlqn3ah5kh5mknegeb6w5cekemje3xehtjfm4gypoavh2kucifi',
    'urn:cid:bafkr4icyevhj2mugl7tzpt3ivhs5igpmac3ebjbsdvp4eamd442xeuxaam',
  ],
  governance: ['urn:cid:bafkr4idjj6fkmp257ykbe3clk33xsiivfsh5mhijwfmzkn3momdjv65n3i'],
};

test('published contexts never change', () => {
  expect([...ownContext.versions.keys()]).toEqual(published.vocabulary);
  expect([...governanceContext.versions.keys()]).toEqual(published.governance);
  for (const { versions } of [ownContext, governanceContext])
    for (const [url, text] of versions) {
      expect(url).toBe(`urn:cid:${cidOf(codecs.raw, text).text}`);
      expect(ContextWorld.bundled().document(url)?.text).toBe(text);
    }
});

test('the public common contexts have the bytes that their CIDs name, except one', () => {
  const named = [...commonContexts].filter(
    ([url, text]) => url === `urn:cid:${cidOf(codecs.raw, text()).text}`,
  );
  expect([commonContexts.size, named.length]).toEqual([25, 24]);
  // Its publisher gave it the CID of other bytes, and statements name it.
  const url = 'urn:cid:bafkr4ic7ydwk3rtoltyzx4zn3vvu3r7hpzxtmbzmnksotx7k5nbnwclf6m';
  const text = commonContexts.get(url)?.() ?? '';
  expect(cidOf(codecs.raw, text).text).toBe('bafkr4ib43bszov6qgackujbrcqmlp2llywoyw6tufdklmezmkxjh2cbeqa');
});

type Terms = Readonly<Record<string, { readonly '@id': string; readonly '@context'?: Terms }>>;
const vocabularies = [...ownContext.versions.values()].map((text): Terms => JSON.parse(text)['@context']);

test.each(Object.values(statementKinds))(
  'the newest vocabulary defines the kind $name and each of its fields',
  ({ name, fields }) => {
    const term = vocabularies.at(-1)?.[name];
    expect(term?.['@id']).toBe(termsIri + name);
    for (const field of Object.keys(fields))
      expect(term?.['@context']?.[field]).toMatchObject({ '@id': termsIri + field });
  },
);

test('a later vocabulary keeps the terms of the earlier ones, so that a statement has one id in all of them', () => {
  for (const [at, earlier] of vocabularies.entries())
    for (const later of vocabularies.slice(at + 1)) expect(later).toMatchObject(earlier);
});
