import { afterAll, describe, expect, it } from 'vitest';
import { ContextRegistry } from '../../src/domain/integrity/contexts/contexts.ts';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { ContextWorld, contextDocument } from '../../src/domain/integrity/contexts/world.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { Identification } from '../../src/domain/integrity/ports.ts';
import { splitEnvelope } from '../../src/domain/json/split-envelope.ts';
import { eachResult } from '../../workers/packing.ts';
import { StatementPool } from '../../workers/statement-pool.ts';

const sources = new Map<string, string>();
const asked: string[] = [];
const registry = new ContextRegistry(ContextWorld.bundled(), [
  {
    async find(url) {
      asked.push(url);
      return sources.get(url);
    },
  },
]);
const pool = new StatementPool({ registry, threads: 1, maxDepth: 64, documentMs: 400, requestMs: 30_000 });
afterAll(() => pool[Symbol.asyncDispose]());

const part = {
  member: 'statements',
  as: 'elements',
  maxElements: 10_000,
  setting: 'CAIRN_MAX_BATCH_STATEMENTS',
} as const;
const options = { generateId: true, strict: true, reportCoverage: false };

function bodyOf(statements: unknown[]) {
  const body = new TextEncoder().encode(JSON.stringify({ statements }));
  return { body, ranges: splitEnvelope(body, part).ranges };
}

async function identify(statements: unknown[], changes = {}): Promise<Identification[]> {
  const { body, ranges } = bodyOf(statements);
  return eachResult(await pool.identify(body, ranges, { ...options, ...changes }));
}

function outcome(result: Identification | undefined): string {
  if (!result) return 'nothing';
  return 'row' in result ? result.row.kind : result.error.code;
}

function statement(second: number) {
  return {
    '@context': ownContextUrl,
    '@type': 'DidRegistration',
    did: 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
    registeredBy: 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
    timestamp: `2026-01-01T00:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}Z`,
  };
}

/** Similar blank nodes: RDFC-1.0 has to try all their orders. */
const hardToCanonicalize = {
  '@context': { p: { '@id': 'urn:example:p', '@type': '@id' } },
  '@graph': Array.from({ length: 40 }, (_, from) => ({
    '@id': `_:b${from}`,
    p: Array.from({ length: 40 }, (_, to) => `_:b${to}`),
  })),
};

describe('the statement pool', () => {
  it('returns results in order, also when the batch is cut into several tasks', async () => {
    const statements = Array.from({ length: 1_200 }, (_, second) => statement(second));
    const results = await identify(statements);
    const ids = results.map((result) =>
      'row' in result ? JSON.parse(Buffer.from(result.row.jcs).toString()).timestamp : '',
    );
    expect(ids).toEqual(statements.map(({ timestamp }) => timestamp));
  });

  it('lists what few statements have by their index in the whole batch', async () => {
    const statements: unknown[] = Array.from({ length: 1_200 }, (_, second) => statement(second));
    const proof = { '@context': { proof: 'urn:example:proof' }, proof: 'x' };
    const dropped = { '@context': { p: 'urn:example:p' }, p: 'x', q: 'dropped' };
    for (const at of [3, 700]) statements[at] = proof;
    for (const at of [5, 900]) statements[at] = dropped;
    for (const at of [7, 1_100]) statements[at] = 'no statement';
    const { body, ranges } = bodyOf(statements);
    const { count, refused, signed, uncovered, contextSets, names, rows } = await pool.identify(
      body,
      ranges,
      options,
    );
    expect(count).toBe(1_200);
    expect(refused.map(({ index, error }) => [index, error.code])).toEqual([
      [7, 'invalid_statement'],
      [1_100, 'invalid_statement'],
    ]);
    expect(signed).toEqual([3, 700]);
    expect(uncovered.map(({ index }) => index)).toEqual([5, 900]);
    const stored = [...rows];
    expect(new Set(contextSets.map(({ cid }) => cid))).toEqual(new Set(stored.map((row) => row.contextSet)));
    expect([...names]).toEqual(
      stored.map(({ jcsCid, rdfcCid }) => ({
        statement_id: cidUrn(rdfcCid),
        jcs_cid: jcsCid.text,
        rdfc_cid: rdfcCid.text,
      })),
    );
    expect(stored).toHaveLength(1_198);
  });

  it('gives the same ids on the main thread and on another thread', async () => {
    const [inline] = await identify([statement(1)]);
    const [threaded] = await identify([
      statement(1),
      ...Array.from({ length: 200 }, (_, second) => statement(second)),
    ]);
    expect(threaded).toEqual(inline);
  });

  it('refuses a document that is hard to canonicalize and processes the others', async () => {
    const results = await identify([statement(1), hardToCanonicalize, statement(2)]);
    expect(results.map(outcome)).toEqual(['DidRegistration', 'too_complex', 'DidRegistration']);
  });
});

describe('contexts', () => {
  const put = (context: unknown) => {
    const text = JSON.stringify({ '@context': context });
    const url = `urn:cid:${cidOf(codecs.raw, text).text}`;
    sources.set(url, text);
    return url;
  };

  it('are fetched when a statement needs them, including nested ones', async () => {
    const inner = put({ inner: 'urn:example:inner' });
    const outer = put([inner, { outer: 'urn:example:outer' }]);
    const [result] = await identify([{ '@context': outer, inner: 'x', outer: 'y' }]);
    expect(result && 'row' in result && result.row.contexts.text).toContain(inner);
    expect(result && 'row' in result && result.row.isCovered).toBe(true);
  });

  it('are fetched once per thread, and used on the main thread after a quick first use', async () => {
    const url = put({ note: 'urn:example:note' });
    for (let at = 0; at < 3; at += 1) await identify([{ '@context': url, note: String(at) }]);
    expect(asked.filter((one) => one === url)).toHaveLength(1);
  });

  it('that no source has are reported, only for the statements that need them', async () => {
    const known = put({ known: 'urn:example:known' });
    const results = await identify([
      statement(1),
      { '@context': ['https://example.org/unknown', known], known: 'x' },
      { '@context': known, known: 'x' },
    ]);
    expect(results.map(outcome)).toEqual(['DidRegistration', 'unknown_context', '']);
    const refused = results[1];
    expect(refused && 'error' in refused && refused.error.message).toContain('https://example.org/unknown');
  });

  it('that are not valid documents refuse the statement that names them', async () => {
    sources.set('https://example.org/broken', '{"@context": ');
    await expect(identify([{ '@context': 'https://example.org/broken', a: 1 }])).rejects.toMatchObject({
      code: 'unknown_context',
    });
  });

  it('of a stored statement stay the same, even if their URL now has another document', async () => {
    const url = 'https://example.org/moved';
    sources.set(url, JSON.stringify({ '@context': { a: 'urn:example:now' } }));
    const statementBytes = new TextEncoder().encode(JSON.stringify({ '@context': url, a: 'x' }));
    const then = contextDocument(url, JSON.stringify({ '@context': { a: 'urn:example:then' } }));
    const quads = () => pool.nquadsUnder(statementBytes, { set: 'one', documents: [then] });
    expect(await quads()).toContain('urn:example:then');
    expect(await pool.nquads(statementBytes, { canonical: true })).toContain('urn:example:now');
    expect(await quads()).toContain('urn:example:then');
  });
});
