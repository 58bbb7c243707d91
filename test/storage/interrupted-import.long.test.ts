import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { everythingVisible } from '../../src/domain/access/visibility.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { attachedBlobs } from '../../src/domain/integrity/manifest/attached-blobs.ts';
import { importManifest, type ManifestImporting } from '../../src/domain/integrity/manifest/import.ts';
import type { GraphImport } from '../../src/domain/integrity/manifest/ports.ts';
import type { Graph, StagedBlob } from '../../src/domain/integrity/ports.ts';
import { retractions } from '../../src/domain/integrity/retractions/retraction-records.ts';
import { signatures } from '../../src/domain/integrity/signatures/signatures.ts';
import { inMemory } from '../../src/domain/json/random-access.ts';
import { openEmbedded } from '../../src/storage/open.ts';
import type { PlannedStore } from '../../src/storage/store.ts';
import { signatureChecks } from '../builders/signatures.ts';
import { usePool } from '../builders/statement-pool.ts';
import { blobUrn, identifyOptions, ownStatement } from '../builders/statements.ts';
import { openTemporary, temporaryFolder } from './temporary-folder.ts';

const { registry, identifier } = usePool();
const verifying = await signatureChecks(identifier);

function portsOf(store: PlannedStore, more: Partial<ManifestImporting> = {}): ManifestImporting {
  const { graphs, graphContents, graphImports, blobs, spools } = store;
  const writes = { run: <Result>(work: () => Promise<Result>) => work() };
  const own = { graphs, graphContents, graphImports, unlimitedBlobs: blobs, spools, writes };
  const kept = {
    attachedBlobs: store.of(attachedBlobs),
    signatures: store.of(signatures),
    retractions: store.of(retractions),
  };
  return {
    ...own,
    registry,
    identifier,
    verifying,
    ...kept,
    hashedByNow: async () => undefined,
    now: () => new Date(),
    maxStatementBytes: 1 << 20,
    ...more,
  };
}

const graph: Graph = { graphId: randomUUID(), name: 'imported', parentId: null, projectId: 'project' };
const blobNames = ['one', 'two', 'three'];

/** A manifest of several groups of statements, and blobs. */
async function manifest() {
  const texts = Array.from({ length: 2_050 }, (_, index) =>
    JSON.stringify(ownStatement('DataRegistration', { data: blobUrn(`${blobNames[index % 3]} ${index}`) })),
  );
  const ranges: number[] = [];
  for (const text of texts) ranges.push(ranges.at(-1) ?? 0, (ranges.at(-1) ?? 0) + text.length);
  const { rows } = await identifier.identify(Buffer.from(texts.join('')), ranges, identifyOptions);
  const statements = Array.from(rows, ({ rdfcCid, jcs }) => [
    cidUrn(rdfcCid),
    JSON.parse(Buffer.from(jcs).toString()),
  ]);
  const blobs = blobNames.map((text) => [cidOf(codecs.raw, text).text, Buffer.from(text).toString('base64')]);
  const value = {
    version: '3',
    statements: Object.fromEntries(statements),
    blobs: Object.fromEntries(blobs),
  };
  return inMemory(Buffer.from(JSON.stringify(value)));
}

/** Imports of which a step fails. */
function failing(store: PlannedStore, step: 'put' | 'publish', atCall: number, isKill: boolean) {
  let calls = 0;
  return {
    async begin(): Promise<GraphImport> {
      const coming = await store.graphImports.begin('g');
      const attempt = <Result>(name: string, work: () => Promise<Result>) => {
        if (name === step && ++calls === atCall) throw new Error('interrupted');
        return work();
      };
      return {
        put: async (rows) => attempt('put', () => coming.put(rows)),
        publish: async (given, attachments) => attempt('publish', () => coming.publish(given, attachments)),
        abandon: async () => (isKill ? undefined : coming.abandon()),
      };
    },
  };
}

async function visible(store: PlannedStore) {
  const rows = (
    await Array.fromAsync(store.graphContents.statements([graph.graphId], everythingVisible))
  ).flat();
  const page = await store.graphs.children(null, { after: null, limit: 10 }, everythingVisible);
  const graphIds = page.graphs.map(({ graphId }) => graphId);
  return { statements: rows.length, graphs: await store.graphs.statementCounts(graphIds, 1_000_000) };
}

describe('an interrupted import', async () => {
  const file = await manifest();

  test.each([
    ['at its first statements', 'put', 1],
    ['in the middle of its statements', 'put', 2],
    ['before the graph appears', 'publish', 1],
  ] as const)('%s shows nothing, and a repeat brings all of it', async (_name, step, atCall) => {
    await using store = await openTemporary();
    const broken = portsOf(store, { graphImports: failing(store, step, atCall, false) });
    await expect(importManifest(broken, file, 'json', graph)).rejects.toThrow('interrupted');
    expect(await visible(store)).toEqual({ statements: 0, graphs: [] });
    const { statements, blobs } = await importManifest(portsOf(store), file, 'json', graph);
    expect(statements.stored + statements.known).toBe(2_050);
    expect(blobs).toEqual({ stored: 0, known: 3 });
    expect(await visible(store)).toEqual({ statements: 2_050, graphs: [2_050] });
  });

  test('by the end of its process is removed, and a repeat imports everything', async () => {
    const folder = await temporaryFolder();
    {
      await using store = await openEmbedded(folder);
      const broken = portsOf(store, { graphImports: failing(store, 'put', 3, true) });
      await expect(importManifest(broken, file, 'json', graph)).rejects.toThrow('interrupted');
    }
    await using store = await openEmbedded(folder);
    expect(await visible(store)).toEqual({ statements: 0, graphs: [] });
    const { statements } = await importManifest(portsOf(store), file, 'json', graph);
    expect(statements.known).toBeGreaterThan(0);
    expect(await visible(store)).toEqual({ statements: 2_050, graphs: [2_050] });
  });

  test('while a blob is stored shows nothing, and a repeat stores the rest', async () => {
    await using store = await openTemporary();
    let staged = 0;
    const stage = async (): Promise<StagedBlob> => {
      const blob = await store.blobs.stage();
      if (++staged < 3) return blob;
      const commit = async () => {
        await blob.discard();
        throw new Error('interrupted');
      };
      return { ...blob, commit };
    };
    const blobs = { ...store.blobs, stage };
    await expect(
      importManifest(portsOf(store, { unlimitedBlobs: blobs }), file, 'json', graph),
    ).rejects.toThrow();
    expect(await visible(store)).toEqual({ statements: 0, graphs: [] });
    await importManifest(portsOf(store), file, 'json', graph);
    for (const text of blobNames) expect(await store.blobs.size(cidOf(codecs.raw, text))).toBe(text.length);
  });

  test('concurrent imports of one graph create it once', async () => {
    await using store = await openTemporary();
    const ports = portsOf(store);
    const outcomes = await Promise.all([1, 2, 3].map(() => importManifest(ports, file, 'json', graph)));
    expect(outcomes.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(await visible(store)).toEqual({ statements: 2_050, graphs: [2_050] });
    expect((await importManifest(ports, file, 'json', graph)).isNew).toBe(false);
  });
});
