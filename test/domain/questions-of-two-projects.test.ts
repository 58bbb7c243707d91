import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Principal } from '../../src/domain/access/access.ts';
import { reachEverything } from '../../src/domain/integrity/access/content-reach.ts';
import { scopeFor } from '../../src/domain/integrity/access/statement-scope.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { traceLineage } from '../../src/domain/integrity/lineage/lineage.ts';
import type { StatementScope } from '../../src/domain/integrity/ports.ts';
import { findIdentifier } from '../../src/domain/integrity/statements/find.ts';
import type { Reference } from '../../src/domain/integrity/statements/references.ts';
import { newGraph } from '../builders/graphs.ts';
import { row } from '../builders/rows.ts';
import { openTemporary } from '../storage/temporary-folder.ts';
import { principalWith } from './principals.ts';

let store: Awaited<ReturnType<typeof openTemporary>>;
const urn = (text: string) => cidUrn(cidOf(codecs.raw, text));
const [alpha, beta, forged] = ['alpha graph', 'beta graph', 'forged graph'];

function reader(...projects: string[]): Principal {
  const grants = Object.fromEntries(projects.map((project) => [project, ['view_project_data'] as const]));
  return principalWith(grants, {}, projects.join());
}
const ofAlpha = reader('alpha');
const ofBeta = reader('beta');
const writerOfAlpha = principalWith({ alpha: ['create_declarations'] });

function computation(name: string, input: string, output: string, fields: { isTrusted?: boolean } = {}) {
  const references: Reference[] = [
    { role: 'registeredBy', identifier: 'did:web:shared' },
    { role: 'input', identifier: urn(input) },
    { role: 'output', identifier: urn(output) },
  ];
  return row(JSON.stringify([name]), { kind: 'ComputationRegistration', references, ...fields });
}

/** alpha: data → model. beta: model → product, and another form of alpha's id. forged: secret → model, untrusted. */
const training = computation('training', 'data', 'model');
const variant = { ...computation('variant', 'data', 'model'), rdfcCid: training.rdfcCid };
const building = computation('building', 'model', 'product');
const forgery = computation('forgery', 'secret', 'model', { isTrusted: false });

beforeAll(async () => {
  store = await openTemporary();
  const graphs: [string, string][] = [
    [alpha, 'alpha'],
    [beta, 'beta'],
    [forged, 'beta'],
  ];
  for (const [graphId, projectId] of graphs) await store.graphs.add(newGraph({ graphId, projectId }));
  await store.statements.putMany([training], alpha);
  await store.statements.putMany([building, variant], beta);
  await store.statements.putMany([forgery], forged);
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
});

const scopeOf = (principal: Principal, graphId: string | null = null) =>
  scopeFor(store.graphs, principal, graphId);

async function lineage(scope: StatementScope, start = urn('model')) {
  const query = { start, flows: ['upstream', 'downstream'] as const, depth: 10, limit: 500, kinds: null };
  const { edges } = await traceLineage({ ...store, reach: reachEverything }, query, scope);
  const flow = edges.filter(({ role }) => role === 'input' || role === 'output');
  return new Set(flow.map(({ statement }) => statement));
}

async function found(scope: StatementScope, identifier = urn('model')) {
  const { statements, variants } = await findIdentifier(
    { ...store, reach: reachEverything },
    identifier,
    { after: null, limit: 99 },
    scope,
  );
  return {
    statements: new Set(statements.map(({ statement }) => cidUrn(statement.rdfcCid))),
    graphs: new Set(statements.flatMap(({ statement }) => statement.graphIds)),
    variants: variants.map(({ text }) => text),
  };
}

async function searched(scope: StatementScope) {
  const filter = { kind: null, subject: null, registeredBy: 'did:web:shared', from: null, until: null };
  const { statements } = await store.statementIndex.search(filter, { after: null, limit: 99 }, scope);
  return statements.map(({ jcsCid }) => jcsCid.text);
}

const ids = (...rows: { rdfcCid: typeof training.rdfcCid }[]) =>
  new Set(rows.map(({ rdfcCid }) => cidUrn(rdfcCid)));
const forms = (...rows: { jcsCid: typeof training.jcsCid }[]) => rows.map(({ jcsCid }) => jcsCid.text);

describe('readers of two projects', () => {
  test('see the lineage of their projects', async () => {
    expect(await lineage(await scopeOf(ofAlpha))).toEqual(ids(training));
    expect(await lineage(await scopeOf(ofBeta))).toEqual(ids(training, building));
    expect(await lineage(await scopeOf(reader('alpha', 'beta')))).toEqual(ids(training, building));
  });

  test('find content of their projects, and no graph of others', async () => {
    const own = await found(await scopeOf(ofAlpha));
    expect(own).toEqual({ statements: ids(training), graphs: new Set([alpha]), variants: [] });
    expect((await found(await scopeOf(ofBeta))).graphs).toEqual(new Set([beta]));
    const self = cidUrn(training.rdfcCid);
    expect((await found(await scopeOf(ofAlpha), self)).variants).toEqual(forms(training));
    expect((await found(await scopeOf(ofBeta), self)).variants).toEqual(forms(variant));
    expect((await found(await scopeOf(reader('*')), self)).variants).toEqual(forms(training, variant));
  });

  test('search in their projects', async () => {
    expect(await searched(await scopeOf(ofAlpha))).toEqual(forms(training));
    expect(await searched(await scopeOf(ofBeta))).toEqual(forms(variant, building));
    expect(await searched(await scopeOf(reader('alpha', 'beta')))).toEqual(
      forms(variant, building, training),
    );
  });

  test('see nothing without view_project_data', async () => {
    const scope = await scopeOf(writerOfAlpha);
    expect(await searched(scope)).toEqual([]);
    await expect(lineage(scope)).rejects.toMatchObject({ code: 'not_found' });
    await expect(found(scope)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('see blobs if they may view any project', async () => {
    const bytes = Buffer.from('a blob that nobody speaks of');
    const cid = cidOf(codecs.raw, bytes);
    const blob = await store.blobs.stage();
    await blob.write(bytes);
    await blob.commit(cid);
    const page = { after: null, limit: 9 };
    const { blob: seen } = await findIdentifier(
      { ...store, reach: reachEverything },
      cidUrn(cid),
      page,
      await scopeOf(ofAlpha),
    );
    expect(seen).toEqual({ size: bytes.length, codec: 'raw' });
    const unseen = findIdentifier(
      { ...store, reach: reachEverything },
      cidUrn(cid),
      page,
      await scopeOf(writerOfAlpha),
    );
    await expect(unseen).rejects.toMatchObject({ code: 'not_found' });
    await expect(lineage(await scopeOf(writerOfAlpha), cidUrn(cid))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('cannot tell content of others from missing content', async () => {
    for (const identifier of [urn('product'), cidUrn(building.rdfcCid), urn('nothing')]) {
      const scope = await scopeOf(ofAlpha);
      const message = `${identifier}.`;
      await expect(lineage(scope, identifier)).rejects.toThrow(
        `Nothing that you may see speaks of ${message}`,
      );
      await expect(found(scope, identifier)).rejects.toThrow(
        `Nothing that you may see is known of ${message}`,
      );
    }
    for (const graphId of [beta, 'no graph'])
      await expect(scopeOf(ofAlpha, graphId)).rejects.toMatchObject({
        code: 'not_found',
        message: `There is no graph ${graphId}.`,
      });
  });
});

describe('statements with unverified contexts', () => {
  test('are not found and add no lineage outside their graph', async () => {
    for (const scope of [await scopeOf(ofBeta), await scopeOf(ofBeta, beta), await scopeOf(reader('*'))]) {
      const forgeries = ids(forgery);
      expect((await lineage(scope)).intersection(forgeries).size).toBe(0);
      expect((await found(scope)).statements.intersection(forgeries).size).toBe(0);
      expect(await searched(scope)).not.toContain(forgery.jcsCid.text);
      await expect(lineage(scope, urn('secret'))).rejects.toMatchObject({ code: 'not_found' });
      await expect(found(scope, cidUrn(forgery.rdfcCid))).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  test('are found and add lineage within it', async () => {
    const scope = await scopeOf(ofBeta, forged);
    expect(await lineage(scope)).toEqual(ids(forgery));
    expect(await lineage(scope, cidUrn(forgery.rdfcCid))).toEqual(ids(forgery));
    expect((await found(scope)).statements).toEqual(ids(forgery));
    expect((await found(scope, cidUrn(forgery.jcsCid))).variants).toEqual(forms(forgery));
    expect(await searched(scope)).toEqual(forms(forgery));
  });
});
