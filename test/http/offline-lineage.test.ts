import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeCollection } from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { cidOf, cidUrn, codecs, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { sha256Digest } from '../../src/domain/integrity/identifiers/hashing.ts';
import { traceLineage } from '../../src/domain/integrity/lineage/lineage.ts';
import {
  type IndexedManifest,
  indexManifest,
} from '../../src/domain/integrity/manifest/indexed/indexed-manifest.ts';
import { inMemory } from '../../src/domain/json/random-access.ts';
import { noWitnesses } from '../../src/domain/log/notes/policy.ts';
import { signatureChecks } from '../builders/signatures.ts';
import { usePool } from '../builders/statement-pool.ts';
import { blobUrn, did, ownStatement } from '../builders/statements.ts';
import { carType, everything, exportBytes, newGraph, putStatements } from './manifest-samples.ts';
import { putBlob, send, useService } from './service.ts';

const service = useService({ CAIRN_BLOB_HASHES: 'sha512' });
const pool = usePool();

const texts = ['one', 'two', 'three'];
const files = texts.map((text) => ({ name: `${text}.txt`, digest: cidOf(codecs.raw, text).digest }));
const folder = encodeCollection(files);
const folderUrn = cidUrn(cidOf(codecs.hashSequence, folder.root));
const sha512 = createHash('sha512').update('two').digest('hex');
const documentText = jcs({ namespace: 'sha512', name: sha512 });
const documentUrn = cidUrn(cidOf(codecs.jcs, documentText));
const sha256Cid = (text: string) => makeCid(codecs.raw, sha256Digest(text), 'sha2-256');
const bySha256 = cidUrn(sha256Cid('two'));

function computation(input: string, output: string) {
  const fields = { operatedBy: did, computation: blobUrn('program'), input, output };
  return ownStatement('ComputationRegistration', fields);
}

/** What is known from the service, and from its manifest in both forms. */
describe.each([
  ['JSON', 'json', 'application/json'],
  ['a CAR', 'car', carType],
] as const)('a manifest in %s', (_name, form, type) => {
  let graph: string;
  let manifest: IndexedManifest;
  beforeAll(async () => {
    graph = await newGraph(service);
    for (const bytes of [...texts, folder.metadata]) await putBlob(service, Buffer.from(bytes));
    await putBlob(service, Buffer.from(folder.root), `?multicodec_code=${codecs.hashSequence}`);
    await putBlob(service, Buffer.from(documentText), `?multicodec_code=${codecs.jcs}`);
    await putStatements(service, graph, [
      computation(blobUrn('raw'), folderUrn),
      computation(blobUrn('two'), blobUrn('made of a file')),
      computation(documentUrn, blobUrn('made of what has the SHA-512')),
      computation(bySha256, blobUrn('made of what has the SHA-256')),
    ]);
    const bytes = await exportBytes(service, `graph_ids=${graph}&${everything}`, type);
    const signatures = await signatureChecks(pool.identifier);
    const logs = { logs: [], policy: noWitnesses };
    const ports = { ...pool, maxStatementBytes: 1 << 20, signatures, logs };
    manifest = await indexManifest(ports, inMemory(bytes), form, () => {});
  });

  test.each([
    ['a file of a folder', blobUrn('one')],
    ['a file with statements of its own', blobUrn('two')],
    ['the folder', folderUrn],
    ['bytes by SHA-256', bySha256],
    ['bytes by a document with their SHA-512', documentUrn],
    ['what was made of a file', blobUrn('made of a file')],
  ])('shows the same lineage of %s', async (_what, id) => {
    const { json } = await send(service, 'GET', `/lineage/v1/${id}?graph_id=${graph}`);
    expect(json.edges.length).toBeGreaterThan(3);
    const flows = ['upstream', 'downstream'] as const;
    const query = { start: id, flows, depth: 10, limit: 500, kinds: null };
    const { nodes, edges } = await traceLineage(manifest, query, manifest.scope);
    const ids = (some: readonly { id: string; files?: number | undefined }[]) =>
      some.map((one) => `${one.id} ${one.files}`).sort();
    expect(ids(nodes)).toEqual(ids(json.nodes));
    const told = (some: readonly { from: string; to: string; role: string; path?: string | undefined }[]) =>
      some.map(({ from, to, role, path }) => [from, to, role, path].join(' ')).sort();
    expect(told(edges)).toEqual(told(json.edges));
  });

  test('has its intact blobs by any of their hashes', async () => {
    for (const cid of [cidOf(codecs.raw, 'three'), sha256Cid('three')]) {
      expect(await manifest.blobs.size(cid)).toBe(5);
      const content = await manifest.blobs.read(cid);
      expect(Buffer.concat(await Array.fromAsync(content?.bytes ?? [])).toString()).toBe('three');
    }
    expect(await manifest.blobs.size(cidOf(codecs.raw, 'elsewhere'))).toBeUndefined();
  });
});
