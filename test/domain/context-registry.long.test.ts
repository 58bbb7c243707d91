import { expect, test } from 'vitest';
import { ContextRegistry } from '../../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';

const sources = new Map<string, string>();
const registry = new ContextRegistry(ContextWorld.bundled(), [{ find: async (url) => sources.get(url) }]);

/** A stored context of about a fifth of what a world may hold. */
function largeContext(at: number): string {
  const terms = Array.from({ length: 40_000 }, (_, term) => [`t${at}x${term}`, 'urn:x:y']);
  const text = JSON.stringify({ '@context': Object.fromEntries(terms) });
  const url = `urn:cid:${cidOf(codecs.raw, text).text}`;
  sources.set(url, text);
  return url;
}

test('many large contexts, one after the other, take limited memory', async () => {
  const urls = Array.from({ length: 22 }, (_, at) => largeContext(at));
  for (const url of urls) {
    const [document] = await registry.resolve([url]);
    expect(document?.url).toBe(url);
    expect(registry.world.weight).toBeLessThan(20 << 20);
  }
  expect((await registry.resolve([urls[0] ?? '']))[0]?.url).toBe(urls[0]);
});

test('one resolution may not load more than its share', async () => {
  const urls = Array.from({ length: 10 }, (_, at) => largeContext(at + 100));
  await expect(registry.resolve(urls)).rejects.toMatchObject({ code: 'too_large' });
  const unknown = Array.from({ length: 1_001 }, (_, at) => `urn:x:unknown${at}`);
  await expect(registry.resolve(unknown)).rejects.toMatchObject({ code: 'too_large' });
});
