import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeCollection } from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { sectionHead } from '../../src/domain/integrity/car/writing.ts';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { ManifestForm } from '../../src/domain/integrity/manifest/carrier.ts';
import { manifest } from '../builders/manifests.ts';
import { usePool } from '../builders/statement-pool.ts';
import {
  blobUrn,
  bytesOf,
  dataStatement,
  did,
  identifierWith,
  identifyOptions,
  ownStatement,
} from '../builders/statements.ts';
import { verifiedManifest } from '../builders/verified-manifest.ts';
import { isThorough, runs } from '../property-runs.ts';
import {
  carType,
  everything,
  exportBytes,
  importBytes,
  newGraph,
  putStatements,
} from './manifest-samples.ts';
import { putBlob, useService } from './service.ts';

const service = useService();
const pool = usePool();

const verified = (bytes: Uint8Array, form?: ManifestForm) => verifiedManifest(pool, bytes, form);

async function exported(type?: string): Promise<Buffer> {
  const graph = await newGraph(service);
  const collection = encodeCollection([
    { name: 'file', digest: cidOf(codecs.raw, 'in a collection').digest },
  ]);
  for (const bytes of ['one', 'in a collection', collection.metadata])
    await putBlob(service, Buffer.from(bytes));
  await putBlob(service, Buffer.from(collection.root), `?multicodec_code=${codecs.hashSequence}`);
  const root = cidUrn(cidOf(codecs.hashSequence, collection.root));
  const [first] = await putStatements(service, graph, [
    dataStatement([blobUrn('one'), root]),
    dataStatement([root, blobUrn('one')]),
  ]);
  await putStatements(service, graph, [
    ownStatement('AssociationRegistration', { subject: String(first), association: did, type: 'includes' }),
  ]);
  return await exportBytes(service, `graph_ids=${graph}&${everything}`, type);
}

describe('a manifest that Cairn has exported', () => {
  it('is verified without problems, and lacks nothing', async () => {
    const json = await verified(await exported());
    expect(json.findings).toEqual([]);
    expect(json.summary).toEqual({
      statements: 2,
      claimed: 2,
      signed: 0,
      invalid: 0,
      revoked: 0,
      known: 0,
      ids: 2,
      signers: [],
      isAsked: false,
      credentials: { none: 0, good: 0, unknown: 0, suspended: 0, revoked: 0, reasons: [] },
      uncovered: 0,
      blobs: 4,
      contexts: 1,
      unverifiedContexts: [],
      anchors: 0,
      faults: 0,
      missing: 0,
      retracted: 0,
      logs: [],
      unlogged: 0,
    });
    const car = await verified(await exported(carType), 'car');
    expect(car.findings).toEqual([]);
    expect(car.summary).toEqual({ ...json.summary, statements: 3 });
  });

  it('fails after a change of any byte that an id covers', async () => {
    const bytes = await exported();
    const text = bytes.toString();
    const positions = covered(text);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...positions),
        fc.integer({ min: 1, max: 255 }),
        async (at, change) => {
          const { summary } = await verified(changed(bytes, at, change));
          expect(summary.faults, `byte ${at}`).toBeGreaterThan(0);
        },
      ),
      { numRuns: runs(400) },
    );
  });

  it('fails as a CAR after a change of any byte', async () => {
    const bytes = await exported(carType);
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: bytes.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, change) => {
          const { summary } = await verified(changed(bytes, at, change), 'car');
          expect(summary.faults, `byte ${at}`).toBeGreaterThan(0);
        },
      ),
      { numRuns: runs(400) },
    );
  });

  it('fails as a CAR after a change of any byte outside the content', async () => {
    const bytes = await exported(carType);
    const heads = Array.from({ length: bytes.length }, (_, at) => at).filter(
      (at) => at < 60 || bytes.subarray(Math.max(0, at - 4), at + 8).includes(Buffer.from([0x1e, 0x20])),
    );
    const changes = [1, 2, 0x10, 0x80];
    for (const at of heads) {
      for (const change of isThorough ? changes : [changes[at % changes.length] ?? 1]) {
        const { summary } = await verified(changed(bytes, at, change), 'car');
        expect(summary.faults, `byte ${at}`).toBeGreaterThan(0);
      }
    }
  });

  it('fails if it is truncated anywhere', async () => {
    for (const [type, form] of [
      [undefined, 'json'],
      [carType, 'car'],
    ] as const) {
      const bytes = await exported(type);
      for (const share of [0, 0.1, 0.5, 0.9]) {
        const { summary } = await verified(bytes.subarray(0, Math.floor(bytes.length * share)), form);
        expect(summary.faults, `${form} ${share}`).toBe(1);
      }
    }
  });
});

describe('verification', () => {
  it('reports every problem and its exact place', async () => {
    const manifest = JSON.parse((await exported()).toString());
    const ids = Object.keys(manifest.statements);
    manifest.statements[String(ids[0])].timestamp = '2020-01-01T00:00:00Z';
    manifest.statements[String(ids[1])].registeredBy = 'did:key:other';
    const blob = cidOf(codecs.raw, 'one').text;
    manifest.blobs[blob] = Buffer.from('other').toString('base64');
    const { findings, summary } = await verified(Buffer.from(JSON.stringify(manifest)));
    expect(findings.flatMap((finding) => (finding.kind === 'fault' ? finding.place : []))).toEqual([
      `/statements/${ids[0]}/@id`,
      `/statements/${ids[1]}/@id`,
      `/blobs/${blob}`,
    ]);
    expect(summary.faults).toBe(3);
  });

  it('lists each missing reference once, with its referrers', async () => {
    const graph = await newGraph(service);
    const absent = [blobUrn(randomUUID()), blobUrn(randomUUID())];
    const [first, second] = await putStatements(service, graph, [
      dataStatement(absent),
      dataStatement(absent[0] ?? ''),
    ]);
    const ours = await exportBytes(service, `graph_ids=${graph}&${everything}`);
    const { findings, summary } = await verified(ours);
    expect(findings.map((finding) => finding.kind === 'missing' && finding.identifier).toSorted()).toEqual(
      absent.toSorted(),
    );
    for (const finding of findings)
      expect([`/statements/${first}`, `/statements/${second}`]).toContain(
        finding.kind === 'missing' && finding.place,
      );
    expect(summary).toMatchObject({ faults: 0, missing: 2 });
  });

  it('recomputes statements in anchors, and resolves their references', async () => {
    const manifest = JSON.parse((await exported()).toString());
    const [id = '', statement] = Object.entries(manifest.statements)[0] as [string, object];
    const other = cidUrn(cidOf(codecs.rdfc, 'other'));
    const changed = { ...statement, timestamp: '2020-01-01T00:00:00Z' };
    const damaged = id.replace('bagb6', 'bagb0');
    manifest.anchors = [{ statements: [id, statement, other, changed, damaged] }];
    const { findings } = await verified(Buffer.from(JSON.stringify(manifest)));
    expect(findings).toEqual([
      { kind: 'missing', place: '/anchors/0/statements/2', identifier: other },
      { kind: 'missing', place: '/anchors/0/statements/4', identifier: damaged },
      expect.objectContaining({ kind: 'fault', place: '/anchors/0/statements/3', code: 'id_mismatch' }),
    ]);
  });

  it('finds the contexts of statements that are only in anchors, after an import and an export', async () => {
    const context = JSON.stringify({
      '@context': { '@vocab': `https://vocabulary.example/${randomUUID()}/` },
    });
    const url = blobUrn(context);
    const contexts = { [url]: JSON.parse(context) };
    const options = { ...identifyOptions, strict: false };
    const { jcs } = await identifierWith(contexts).identify(bytesOf({ '@context': url, a: 'b' }), options);
    const anchors = [{ statements: [JSON.parse(jcs)], payload: { type: 'Statement' } }];
    const { json } = await importBytes(service, manifest({ contexts, anchors }));
    expect(json.unverified_contexts).toEqual([]);
    for (const [type, form] of [
      ['application/json', 'json'],
      [carType, 'car'],
    ] as const) {
      const again = await exportBytes(service, `graph_ids=${json.graph_id}&${everything}`, type);
      const { findings, summary } = await verified(again, form);
      expect(findings).toEqual([]);
      expect(summary).toMatchObject({ contexts: 1, anchors: 1, unverifiedContexts: [] });
    }
  });

  it('reports unverified contexts, and refuses contexts that are provably false', async () => {
    const url = 'https://contexts.example/mine';
    const manifest = JSON.parse((await exported()).toString());
    const { contexts } = manifest;
    manifest.contexts = { ...contexts, [url]: { '@context': {} } };
    const own = await verified(Buffer.from(JSON.stringify(manifest)));
    expect(own.summary).toMatchObject({ faults: 0, unverifiedContexts: [url] });
    manifest.contexts = {
      [ownContextUrl]: { '@context': { ...contexts[ownContextUrl]['@context'], more: 'urn:x' } },
    };
    const forged = await verified(Buffer.from(JSON.stringify(manifest)));
    expect(forged.findings[0]).toMatchObject({ kind: 'fault', place: `/contexts/${ownContextUrl}` });
  });

  it('reports listed blobs that are missing, and what is no CID', async () => {
    const absent = cidOf(codecs.raw, 'absent').text;
    const listing = (...attachedBlobs: unknown[]) =>
      verified(Buffer.from(JSON.stringify({ ...manifest(), attachedBlobs })));
    const { findings } = await listing(absent, 'nonsense', 3);
    expect(findings).toEqual([
      expect.objectContaining({ kind: 'fault', place: '/attachedBlobs/1', code: 'invalid_cid' }),
      expect.objectContaining({ kind: 'fault', place: '/attachedBlobs/2', code: 'invalid_cid' }),
      { kind: 'missing', place: '/attachedBlobs/0', identifier: cidUrn(cidOf(codecs.raw, 'absent')) },
    ]);
  });

  it('refuses a CAR with an unreferenced block', async () => {
    const car = await exported(carType);
    const text = Buffer.from('a stranger');
    const more = Buffer.concat([car, sectionHead(cidOf(codecs.raw, text), text.length), text]);
    const { findings } = await verified(more, 'car');
    expect(findings).toEqual([expect.objectContaining({ kind: 'fault', code: 'unexpected_content' })]);
    expect((await importBytes(service, more, '', carType)).status).toBe(201);
  });
});

function changed(bytes: Buffer, at: number, change: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ change;
  return copy;
}

/** Positions of the context document, of statements with their keys, and of blobs with the hashes in their names. */
function covered(text: string): number[] {
  const between = (from: string, to: string): number[] => {
    const start = text.indexOf(from) + from.length;
    return Array.from({ length: text.indexOf(to, start) - start }, (_, at) => start + at);
  };
  const blobs = text.indexOf('"blobs":{');
  const names = [...text.slice(blobs).matchAll(/"b[a-z2-7]{58}/g)].flatMap(({ index }) =>
    Array.from({ length: 48 }, (_, at) => blobs + index + 12 + at),
  );
  const values = [...text.slice(blobs).matchAll(/:"([^"]+)"/g)].flatMap(({ index, 1: value = '' }) =>
    Array.from({ length: value.length }, (_, at) => blobs + index + 2 + at),
  );
  return [
    ...between(`"contexts":{"${ownContextUrl}":`, '},"statements"'),
    ...between('"statements":{', '},"blobs"'),
    ...names,
    ...values,
  ];
}
