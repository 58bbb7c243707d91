import { describe, expect, test } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import {
  ContextWorld,
  contextDocument,
  mentionedContexts,
} from '../../src/domain/integrity/contexts/world.ts';
import { StatementIdentifier } from '../../src/domain/integrity/identification/identify.ts';
import { MissingContexts, toRdf } from '../../src/domain/integrity/identification/json-ld.ts';
import { serializeNQuads } from '../../src/domain/integrity/identification/rdfc.ts';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { bytesOf, identifyOptions, thrownBy } from '../builders/statements.ts';

type Documents = Readonly<Record<string, unknown>>;

function worldOf(documents: Documents): ContextWorld {
  return new ContextWorld(
    Object.entries(documents).map(([url, context]) =>
      contextDocument(url, JSON.stringify({ '@context': context })),
    ),
  );
}

async function rdf(world: ContextWorld, document: object): Promise<string> {
  return serializeNQuads((await toRdf(document, world)).quads);
}

describe('two worlds with different documents for one URL', () => {
  const url = 'https://example.com/context';
  const meanings = ['https://one.example/', 'https://two.example/'];
  const identifierFor = (meaning: string) =>
    new StatementIdentifier(
      worldOf({ [url]: { name: `${meaning}name`, part: { '@id': `${meaning}part`, '@type': '@id' } } }),
    );
  const flat = { '@context': url, name: 'x', part: 'urn:x:y' };
  const nested = { '@context': url, name: 'x', part: { name: 'y' } };
  const nquads = async (identifier: StatementIdentifier, document: object) =>
    (await identifier.identify(bytesOf(document), identifyOptions)).nquads;

  test.each([
    ['the one first', meanings],
    ['the other first', meanings.toReversed()],
    ['interleaved', [...meanings, ...meanings, ...meanings.toReversed()]],
  ])('do not mix: %s', async (_name, order) => {
    const identifiers = new Map(meanings.map((meaning) => [meaning, identifierFor(meaning)]));
    for (const meaning of order) {
      for (const document of [flat, nested]) {
        const text = await nquads(identifiers.get(meaning) as StatementIdentifier, document);
        expect(text).toContain(`<${meaning}name> "x"`);
        expect(
          text.split('<https://').every((part, at) => at === 0 || meaning.includes(part.slice(0, 3))),
        ).toBe(true);
      }
    }
  });

  test('do not mix when used at the same time', async () => {
    const identifiers = meanings.map((meaning) => ({ meaning, identifier: identifierFor(meaning) }));
    const runs = Array.from({ length: 20 }, () => identifiers).flat();
    const texts = await Promise.all(
      runs.map(async ({ meaning, identifier }) => [meaning, await nquads(identifier, nested)] as const),
    );
    for (const [meaning, text] of texts)
      expect(text.match(/<https:\/\/[^>]*/g)?.every((iri) => iri.startsWith(`<${meaning}`))).toBe(true);
  });

  test('a URL keeps its first document in a world', async () => {
    const world = worldOf({ [url]: { name: 'https://one.example/name' } });
    world.add(contextDocument(url, JSON.stringify({ '@context': { name: 'https://two.example/name' } })));
    expect(await rdf(world, flat)).toContain('https://one.example/name');
  });
});

describe('the meaning of a context does not depend on earlier documents', () => {
  const documents = {
    'urn:x:base': { a: 'https://base.example/a', b: 'https://base.example/b' },
    'urn:x:one': { '@version': 1.1, '@import': 'urn:x:base', b: 'https://one.example/b' },
    'urn:x:two': { '@version': 1.1, '@import': 'urn:x:base', b: 'https://two.example/b' },
  };
  const expected: Readonly<Record<string, string>> = {
    'urn:x:base': 'https://base.example/b',
    'urn:x:one': 'https://one.example/b',
    'urn:x:two': 'https://two.example/b',
  };
  const urls = Object.keys(documents);

  test.each(urls.flatMap((first) => urls.map((second) => [first, second])))(
    '%s, then %s',
    async (...order) => {
      const world = worldOf(documents);
      for (const url of order) {
        const text = await rdf(world, { '@context': url, a: '1', b: '2' });
        expect(text).toContain('<https://base.example/a> "1"');
        expect(text).toContain(`<${expected[url]}> "2"`);
      }
    },
  );

  test('two scoped contexts import one document', async () => {
    const scoped = (meaning: string) => ({
      '@id': `https://${meaning}.example/scope`,
      '@context': { '@import': 'urn:x:base', b: `https://${meaning}.example/b` },
    });
    const world = worldOf({
      ...documents,
      'urn:x:scopes': { '@version': 1.1, p: scoped('one'), q: scoped('two') },
    });
    const text = await rdf(world, { '@context': 'urn:x:scopes', p: { b: 'p' }, q: { b: 'q' } });
    expect(text).toContain('<https://one.example/b> "p"');
    expect(text).toContain('<https://two.example/b> "q"');
  });

  test('an inline context can import a document', async () => {
    const inline = { '@version': 1.1, '@import': 'urn:x:base', b: 'https://inline.example/b' };
    const text = await rdf(worldOf(documents), { '@context': inline, a: '1', b: '2' });
    expect(text).toContain('<https://base.example/a> "1"');
    expect(text).toContain('<https://inline.example/b> "2"');
  });

  test.each([
    ['itself', { 'urn:x:self': { '@import': 'urn:x:self' } }],
    ['one that imports', { ...documents, 'urn:x:self': { '@import': 'urn:x:one' } }],
    ['several contexts', { 'urn:x:several': ['urn:x:self'], 'urn:x:self': { '@import': 'urn:x:several' } }],
    ['a number', { 'urn:x:self': { '@import': 5 } }],
  ])('a context that imports %s is refused', async (_name, world) => {
    const error = await thrownBy(() => rdf(worldOf(world), { '@context': 'urn:x:self', a: '1' }));
    expect(error).toHaveProperty('code', 'invalid_statement');
  });

  test('a URL that looks like an inline context does not find one in the cache', async () => {
    const world = new ContextWorld();
    const context = { a: 'https://example.com/a' };
    expect(await rdf(world, { '@context': context, a: '1' })).toContain('https://example.com/a');
    const error = await thrownBy(() => rdf(world, { '@context': JSON.stringify(context), a: '1' }));
    expect(error).toBeInstanceOf(MissingContexts);
  });
});

describe('contexts missing in a world', () => {
  test.each([
    ['the only one', { '@context': 'urn:x:none', a: 1 }, ['urn:x:none']],
    ['one of several', { '@context': ['urn:x:known', 'urn:x:none'], a: 1 }, ['urn:x:none']],
    [
      'one inside of the document',
      { '@context': 'urn:x:known', a: { '@context': 'urn:x:none', a: 1 } },
      ['urn:x:none'],
    ],
    ['one that a known one mentions', { '@context': 'urn:x:mentions', a: 1 }, ['urn:x:none']],
    ['one that a known one imports', { '@context': 'urn:x:imports', a: 1 }, ['urn:x:none']],
    ['two', { '@context': ['urn:x:none', 'urn:x:nor'], a: 1 }, ['urn:x:none', 'urn:x:nor']],
  ])('%s', async (_name, document, urls) => {
    const world = worldOf({
      'urn:x:known': { '@vocab': 'https://example.com/' },
      'urn:x:mentions': ['urn:x:none', { a: 'https://example.com/a' }],
      'urn:x:imports': { '@version': 1.1, '@import': 'urn:x:none' },
    });
    const error = await thrownBy(() => rdf(world, document));
    expect(error).toBeInstanceOf(MissingContexts);
    expect((error as MissingContexts).urls.toSorted()).toEqual(urls);
    for (const url of urls) world.add(contextDocument(url, '{"@context":{"b":"https://example.com/b"}}'));
    await rdf(world, document);
  });

  test('nothing is fetched from the network', async () => {
    const error = await thrownBy(() =>
      rdf(ContextWorld.bundled(), { '@context': 'https://schema.org/', a: 1 }),
    );
    expect(error).toBeInstanceOf(MissingContexts);
  });
});

describe('context documents', () => {
  test.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"x"'],
    ['deep nesting', `{"@context":${'['.repeat(500)}${']'.repeat(500)}}`],
    ['a member named __proto__', '{"@context":{"__proto__":{"@vocab":"urn:v:"}}}'],
  ])('%s is not a context', (_name, text) => {
    expect(() => new ContextWorld([contextDocument('urn:x:bad', text)])).toThrow(
      expect.objectContaining({ code: 'unknown_context' }),
    );
  });

  test.each([
    'https://www.w3.org/2018/credentials/v1',
    'https://www.w3.org/ns/credentials/v2',
    'https://w3id.org/security/data-integrity/v1',
    'https://w3id.org/security/data-integrity/v2',
    'https://w3id.org/security/v1',
    'https://w3id.org/security/v2',
    'https://www.w3.org/ns/did/v1',
    'https://w3id.org/vc/status-list/2021/v1',
    'https://www.w3.org/ns/credentials/status/v1',
  ])('%s is bundled', async (url) => {
    const document = { '@context': url, 'https://example.com/p': 'x' };
    expect((await toRdf(document, ContextWorld.bundled())).quads).toHaveLength(1);
  });
});

describe('context sets', () => {
  const world = worldOf({
    'https://example.com/a/one': [{ name: 'urn:x:name' }, 'two'],
    'https://example.com/a/two': { part: { '@id': 'urn:x:part', '@context': '../three' } },
    'https://example.com/three': { more: 'urn:x:more' },
    'https://example.com/other': { other: 'urn:x:other' },
  });

  test('contain all documents that a statement reaches, also by relative URLs', async () => {
    const document = { '@context': 'https://example.com/a/one', name: 'x', part: { more: 'y' } };
    expect(await rdf(world, document)).toContain('<urn:x:more> "y"');
    const set = world.contextSet(mentionedContexts(document));
    expect(Object.keys(JSON.parse(set.text))).toEqual([
      'https://example.com/a/one',
      'https://example.com/a/two',
      'https://example.com/three',
    ]);
    const kept = new ContextWorld(
      Object.keys(JSON.parse(set.text)).map((url) => contextDocument(url, world.document(url)?.text ?? '')),
    );
    expect(await rdf(kept, document)).toBe(await rdf(world, document));
  });

  test.each([
    ['./one', 'one'],
    ['a/../one', 'one'],
    ['', './'],
  ])('contain the document that jsonld reads for %j', async (spelling, url) => {
    const world = worldOf({ [url]: { name: 'urn:x:name' } });
    const document = { '@context': spelling, name: 'x' };
    expect(await rdf(world, document)).toContain('<urn:x:name> "x"');
    expect(Object.keys(JSON.parse(world.contextSet(mentionedContexts(document)).text))).toEqual([url]);
  });

  test('contain documents that an imported context mentions without a base', async () => {
    const world = worldOf({
      'https://example.com/imported': { part: { '@id': 'urn:x:part', '@context': 'a/../scoped' } },
      scoped: { name: 'urn:x:name' },
    });
    const context = { '@version': 1.1, '@import': 'https://example.com/imported' };
    const document = { '@context': context, part: { name: 'x' } };
    expect(await rdf(world, document)).toContain('<urn:x:name> "x"');
    const set = world.contextSet(mentionedContexts(document));
    expect(Object.keys(JSON.parse(set.text))).toEqual(['https://example.com/imported', 'scoped']);
  });

  test('have the CID of their content', () => {
    const set = world.contextSet(['https://example.com/three']);
    expect(set.cid).toBe(cidOf(codecs.jcs, set.text).text);
    expect(world.contextSet(['https://example.com/three'])).toEqual(set);
    expect(world.contextSet([]).text).toBe('{}');
  });
});

test('mentioned contexts are found anywhere in a document', () => {
  const document = {
    '@context': ['urn:x:a', { term: { '@context': 'urn:x:b' }, '@import': 'urn:x:c' }],
    nested: [{ '@context': 'urn:x:d' }],
    text: 'urn:x:e',
  };
  expect(mentionedContexts(document).toSorted()).toEqual(['urn:x:a', 'urn:x:b', 'urn:x:c', 'urn:x:d']);
});

test('URLs of over 2,000 characters are neither looked for nor known', () => {
  const long = '/'.repeat(2_001);
  expect(mentionedContexts({ '@context': [long, '/'.repeat(2_000)] })).toEqual(['/'.repeat(2_000)]);
  expect(() => new ContextWorld([contextDocument(long, '{}')])).toThrow(/has 2001 characters/);
});

describe('the contexts of one statement', () => {
  const contextOf = (names: number, at: number | string = 0) =>
    JSON.stringify({
      '@context': Object.fromEntries(
        Array.from({ length: names }, (_, name) => [`t${at}x${name}`, 'urn:x:y']),
      ),
    });
  const worldWith = (texts: readonly string[]) =>
    new ContextWorld(texts.map((text, at) => contextDocument(`urn:x:${at}`, text)));
  const urls = (count: number) => Array.from({ length: count }, (_, at) => `urn:x:${at}`);

  test('are at most 50 in one place, and 1,000 in total', () => {
    const places = (count: number) => Array.from({ length: count }, () => ({ '@context': urls(20) }));
    expect(mentionedContexts({ '@context': urls(50) })).toHaveLength(50);
    expect(() => mentionedContexts({ '@context': urls(51) })).toThrow(/at most 50 contexts in one place/);
    expect(mentionedContexts({ a: places(50) })).toHaveLength(20);
    expect(() => mentionedContexts({ a: places(51) })).toThrow(/1000 in total/);
  });

  test('reach at most 50 documents', () => {
    const chained = Array.from({ length: 51 }, (_, at) =>
      JSON.stringify({ '@context': [`urn:x:${at + 1}`] }),
    );
    expect(() => worldWith(chained.slice(0, 50)).contextSet(['urn:x:0'])).not.toThrow();
    expect(() => worldWith(chained).contextSet(['urn:x:0'])).toThrow(/at most 50 documents/);
  });

  test('take at most 8 MiB in memory', () => {
    const world = worldWith([0, 1, 2].map((at) => contextOf(49_000, at)));
    expect(() => world.contextSet(urls(1))).not.toThrow();
    expect(() => world.contextSet(urls(3))).toThrow(/at most 8388608 bytes/);
  });

  test('have at most 50,000 values each', () => {
    expect(() => worldWith([contextOf(49_000)])).not.toThrow();
    expect(() => worldWith([contextOf(50_001)])).toThrow(/more than 50000 values/);
  });

  test('are checked before the statement is processed, also without an id', async () => {
    const identifier = new StatementIdentifier(worldWith([0, 1, 2].map((at) => contextOf(49_000, at))));
    const document = { '@context': urls(3), t0x0: 'x' };
    expect(await thrownBy(() => identifier.identify(bytesOf(document), identifyOptions))).toMatchObject({
      code: 'too_large',
    });
    expect(await thrownBy(() => identifier.nquads(document, { workFactor: 0 }))).toMatchObject({
      code: 'too_large',
    });
  });
});

describe('a world that grows too large', () => {
  const text = (at: number) => JSON.stringify({ '@context': { [`t${at}`]: `urn:${'x'.repeat(1_000)}` } });
  const byCid = (at: number) => contextDocument(`urn:cid:${cidOf(codecs.raw, text(at)).text}`, text(at));
  const known = (world: ContextWorld, count: number) =>
    Array.from({ length: count }, (_, at) => at).filter((at) => world.has(byCid(at).url));

  test('stays as it is below its limit', () => {
    const world = new ContextWorld([byCid(0), byCid(1)]);
    expect(world.within(world.weight)).toBe(world);
  });

  test('forgets the documents that were not used for longest', () => {
    const world = new ContextWorld(Array.from({ length: 10 }, (_, at) => byCid(at)));
    world.reachable([byCid(1).url]);
    const smaller = world.within((world.weight * 6) / 10);
    expect(known(smaller, 10)).toEqual([1, 8, 9]);
    expect(smaller.weight).toBeLessThanOrEqual((world.weight * 3) / 10);
  });

  test('keeps bundled documents and those that are trusted by name', () => {
    const world = ContextWorld.bundled();
    world.add(contextDocument('https://example.org/named', text(0)));
    world.add(byCid(1));
    const smaller = world.within(1);
    expect(smaller.has(ownContextUrl) && smaller.has('https://example.org/named')).toBe(true);
    expect(known(smaller, 2)).toEqual([]);
  });
});
