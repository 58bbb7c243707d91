import { everythingVisible } from '../../access/visibility.ts';
import { ServiceError } from '../../errors.ts';
import type { RandomAccess } from '../../json/random-access.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { storeBlob, storeBytes } from '../blobs/blobs.ts';
import { ContextKeeper } from '../contexts/contexts.ts';
import { cidOf, codecs, parseCid } from '../identifiers/cid.ts';
import type { BlobStore, Graph, GraphStore, PutOutcome, StatementRow, WriteLimit } from '../ports.ts';
import { carriedAnchors } from './anchors.ts';
import type { CarriedBlob } from './blobs.ts';
import { type ManifestCarrier, type ManifestForm, openCarrier } from './carrier.ts';
import type { GraphAttachments, GraphContents, GraphImports } from './ports.ts';
import { type ManifestVerifying, type VerifiedManifest, verifyForImport } from './verified.ts';

export interface ManifestImporting extends ManifestVerifying {
  readonly graphs: Pick<GraphStore, 'get'>;
  readonly graphContents: Pick<GraphContents, 'count' | 'attachments'>;
  readonly graphImports: GraphImports;
  /** Without a limit of its own: an import holds one write permit as a whole. */
  readonly unlimitedBlobs: BlobStore;
  readonly writes: WriteLimit;
}

export interface Counts {
  readonly stored: number;
  readonly known: number;
}

export interface ImportedManifest {
  readonly graphId: string;
  /** False when the graph was there and has everything that the manifest has. */
  readonly isNew: boolean;
  readonly statements: Counts;
  readonly blobs: Counts;
  readonly contexts: number;
  /** URLs of context documents for which nothing but the manifest vouches. */
  readonly unverifiedContexts: readonly string[];
}

/**
 * Registers everything of a manifest in a new graph. The first pass recomputes every id and hash and writes nothing;
 * the second stores, and the graph appears with all of it at its end. To be repeated without harm.
 * @throws ServiceError naming the place of the first problem; `conflict` when the graph is there with other content.
 */
export async function importManifest(
  ports: ManifestImporting,
  file: RandomAccess,
  form: ManifestForm,
  graph: Graph,
): Promise<ImportedManifest> {
  return await ports.writes.run(async () => {
    const carrier = await openCarrier(file, form);
    await using verified = await verifyForImport(ports, carrier);
    const known = await ports.graphs.get(graph.graphId);
    if (known) await demandSame(ports, known, verified);
    const { contexts } = verified;
    const documents = new ContextKeeper(ports.unlimitedBlobs, contexts.documents);
    for (const { text, cid } of contexts.world.documents) await keep(ports, Buffer.from(text), cid);
    for (const set of verified.contextSets.values()) await documents.keep(set);
    const blobs = await storeBlobs(ports, carrier, verified);
    const attachments = await storeAttachments(ports, carrier, verified);
    const statements = known ? undefined : await storeStatements(ports, graph, verified, attachments);
    if (!known && !statements) await demandTwin(ports, graph, verified);
    return {
      graphId: graph.graphId,
      isNew: statements !== undefined,
      statements: statements ?? { stored: 0, known: verified.statements },
      blobs,
      contexts: contexts.world.documents.length,
      unverifiedContexts: [...contexts.unverified],
    };
  });
}

const blobsAtOnce = 8;

/** The context documents that a CAR has among its blocks are stored already, and count as contexts. */
async function storeBlobs(
  { unlimitedBlobs }: ManifestImporting,
  carrier: ManifestCarrier,
  { contexts }: VerifiedManifest,
): Promise<Counts> {
  const counts = { stored: 0, known: 0 };
  const documents = new Set(carrier.form === 'car' ? contexts.world.documents.map(({ cid }) => cid) : []);
  const store = async (blob: CarriedBlob) => {
    const expected = blob.cid();
    if (documents.has(expected.text)) return 'document';
    if ((await unlimitedBlobs.size(expected)) !== undefined) return 'known';
    const limit = { bytes: blob.size, setting: 'CAIRN_MAX_MANIFEST_BYTES' };
    return (await storeBlob(unlimitedBlobs, blob.bytes(), { expected }, limit)).outcome;
  };
  for await (const outcome of mapConcurrent(carrier.blobs(), blobsAtOnce, store)) {
    if (outcome !== 'document') counts[outcome] += 1;
  }
  return counts;
}

async function storeAttachments(
  ports: ManifestImporting,
  { manifest }: ManifestCarrier,
  { contexts, anchoredContexts }: VerifiedManifest,
): Promise<GraphAttachments> {
  const isAttached = ({ url }: { url: string }) => contexts.unverified.has(url) || anchoredContexts.has(url);
  const attached = contexts.world.documents.filter(isAttached);
  const anchors: string[] = [];
  for await (const { bytes } of carriedAnchors(manifest)) {
    const cid = cidOf(codecs.raw, bytes).text;
    await keep(ports, bytes, cid);
    anchors.push(cid);
  }
  return { contexts: attached.map(({ url, cid }) => ({ url, cid })), anchors };
}

/** Looks first: most documents are there. */
async function keep({ unlimitedBlobs }: ManifestImporting, bytes: Uint8Array, name: string): Promise<void> {
  const cid = parseCid(name);
  if ((await unlimitedBlobs.size(cid)) === undefined) await storeBytes(unlimitedBlobs, bytes, cid);
}

const groupsAtOnce = 3;

/** @returns undefined when the graph has been registered meanwhile: nothing of this import appears in it then. */
async function storeStatements(
  { graphImports }: ManifestImporting,
  graph: Graph,
  { rows, forms }: VerifiedManifest,
  attachments: GraphAttachments,
): Promise<Counts | undefined> {
  const coming = await graphImports.begin(graph.projectId);
  try {
    const counts = { stored: 0, known: 0 };
    const put = (group: Iterable<StatementRow>) => coming.put(group);
    for await (const outcomes of mapConcurrent(rows.groups(), groupsAtOnce, put)) count(outcomes, counts);
    // Forms of an id are told in the order in which they were stored.
    for await (const outcomes of mapConcurrent(forms.groups(), 1, put)) count(outcomes, counts);
    if ((await coming.publish(graph, attachments)) === 'added') return counts;
    await coming.abandon();
    return undefined;
  } catch (error) {
    // What cannot be forgotten now is forgotten at the next start.
    await coming.abandon().catch(() => undefined);
    throw error;
  }
}

function count(outcomes: readonly PutOutcome[], counts: { stored: number; known: number }): void {
  for (const outcome of outcomes) counts[outcome === 'stored' ? 'stored' : 'known'] += 1;
}

/** The graph that came first can be of the same import, sent twice. @throws ServiceError `conflict` otherwise. */
async function demandTwin(
  ports: ManifestImporting,
  { graphId, parentId, projectId }: Graph,
  verified: VerifiedManifest,
): Promise<void> {
  const twin = await ports.graphs.get(graphId);
  if (twin?.parentId !== parentId || twin.projectId !== projectId)
    throw new ServiceError('conflict', `The graph ${graphId} was registered in the meantime.`);
  await demandSame(ports, twin, verified);
}

/** @throws ServiceError `conflict` unless the graph has all statements, anchors and unverified contexts. */
async function demandSame(
  { graphContents }: ManifestImporting,
  { graphId }: Graph,
  { rows, forms, anchors, contexts }: VerifiedManifest,
): Promise<void> {
  const attached = await graphContents.attachments([graphId], everythingVisible);
  const has = new Set([...attached.anchors, ...attached.contexts.map(({ url, cid }) => `${url} ${cid}`)]);
  const unverified = contexts.world.documents.filter(({ url }) => contexts.unverified.has(url));
  const wanted = [...anchors, ...unverified.map(({ url, cid }) => `${url} ${cid}`)];
  if (wanted.some((one) => !has.has(one))) refuseOther(graphId);
  for (const spool of [rows, forms]) {
    for await (const group of spool.groups()) {
      const cids = Array.from(group, ({ jcsCid }) => jcsCid);
      if ((await graphContents.count(graphId, cids)) < cids.length) refuseOther(graphId);
    }
  }
}

function refuseOther(graphId: string): never {
  throw new ServiceError(
    'conflict',
    `The graph ${graphId} is registered already, without some of this manifest. Choose another graph_id.`,
  );
}
