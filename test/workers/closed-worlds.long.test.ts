import { afterAll, describe, expect, test } from 'vitest';
import { ContextRegistry } from '../../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld, contextDocument } from '../../src/domain/integrity/contexts/world.ts';
import { cidUrn } from '../../src/domain/integrity/identifiers/cid.ts';
import type { ClosedWorld } from '../../src/domain/integrity/ports.ts';
import { StatementPool } from '../../workers/statement-pool.ts';
import { bytesOf, identifierWith, identifyOptions } from '../builders/statements.ts';

const url = 'https://contexts.example/shared';
const trustedDocument = { '@context': { name: 'https://terms.example/trusted' } };
const registry = new ContextRegistry(ContextWorld.bundled(), [
  { find: async (wanted) => (wanted === url ? JSON.stringify(trustedDocument) : undefined) },
]);
const pool = new StatementPool({ registry, threads: 1, maxDepth: 64, documentMs: 2_000, requestMs: 30_000 });
afterAll(() => pool[Symbol.asyncDispose]());

const statement = { '@context': url, name: 'value' };

async function idUnder(document: object): Promise<string> {
  const identified = await identifierWith({ [url]: document }).identify(
    Buffer.from(JSON.stringify(statement)),
    identifyOptions,
  );
  return cidUrn(identified.rdfcCid);
}

function world(document?: object): ClosedWorld {
  const documents = document ? [contextDocument(url, JSON.stringify(document))] : [];
  return { id: JSON.stringify(document ?? null), documents };
}

async function codeUnder(id: string, closed: ClosedWorld): Promise<string> {
  const body = Buffer.from(JSON.stringify({ ...statement, '@id': id }));
  const [result] = await pool.identifyUnder(body, [0, body.length], closed);
  return result && 'error' in result ? result.error.code : 'identified';
}

async function trustedId(): Promise<string> {
  const body = Buffer.from(JSON.stringify(statement));
  const options = { generateId: true, strict: false, reportCoverage: false };
  const [name] = (await pool.identify(body, [0, body.length], options)).names;
  return name?.statement_id ?? 'refused';
}

describe('one context URL with several documents in one thread', () => {
  const documents = ['one', 'two'].map((name) => ({ '@context': { name: `https://terms.example/${name}` } }));

  test('uses the document of the closed world, and the trusted document elsewhere', async () => {
    const trusted = await idUnder(trustedDocument);
    for (let round = 0; round < 3; round += 1) {
      for (const document of documents) {
        const id = await idUnder(document);
        expect(await codeUnder(id, world(document))).toBe('identified');
        expect(await codeUnder(trusted, world(document))).toBe('id_mismatch');
        expect(await codeUnder(id, world())).toBe('id_mismatch');
      }
      expect(await trustedId()).toBe(trusted);
    }
  });

  test('uses the trusted document in a closed world without one', async () => {
    expect(await codeUnder(await idUnder(trustedDocument), world())).toBe('identified');
  });

  test('is refused when no source has it', async () => {
    const body = Buffer.from(JSON.stringify({ ...statement, '@context': 'urn:x:unknown', '@id': 'urn:x' }));
    const [result] = await pool.identifyUnder(body, [0, body.length], world());
    expect(result && 'error' in result && result.error.code).toBe('unknown_context');
  });
});

describe('a stored statement', () => {
  const term = (at: number) => [`t${at}`, `https://terms.example/${at}`];
  const large = JSON.stringify({
    '@context': Object.fromEntries(Array.from({ length: 50_001 }, (_, at) => term(at))),
  });
  const documents = [contextDocument(url, large)];

  test.each([
    ['a larger context', { '@context': url, t50000: 'value' }],
    [
      'more contexts',
      { '@context': [...Array<string>(60).fill('https://contexts.example/none'), url], t50000: 'value' },
    ],
  ])('with %s than new ones may have is still read', async (_name, stored) => {
    const none = contextDocument('https://contexts.example/none', '{"@context":{}}');
    const all = [...documents, none];
    const nquads = await pool.nquadsUnder(bytesOf({ ...stored, '@id': 'urn:x' }), {
      set: 'large',
      documents: all,
    });
    expect(nquads).toBe('_:c14n0 <https://terms.example/50000> "value" .\n');
    const body = bytesOf({ ...stored, '@id': 'urn:x' });
    const codeOf = async (isStored: boolean) => {
      const world = { id: 'large', documents: all, isStored };
      const results = await pool.identifyUnder(body, [0, body.length], world).catch((error) => [{ error }]);
      return results.map((result) => ('error' in result ? result.error.code : 'identified'));
    };
    expect(await codeOf(false)).toEqual([expect.stringMatching(/too_large|unknown_context/)]);
    expect(await codeOf(true)).toEqual(['id_mismatch']);
  });
});
