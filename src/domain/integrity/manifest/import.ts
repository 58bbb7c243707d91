import { everythingVisible } from '../../access/visibility.ts';
import { ServiceError } from '../../errors.ts';
import type { RandomAccess } from '../../json/random-access.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { isIntact } from '../blobs/blob-store.ts';
import { collectionParts, rootLimit } from '../blobs/referenced-blobs.ts';
import { storeBlob } from '../blobs/upload.ts';
import { ContextKeeper, storeDocument } from '../contexts/contexts.ts';
import { type Cid, cidOf, codecs } from '../identifiers/cid.ts';
import { DigestSet } from '../identifiers/digest-set.ts';
import type { BlobStore, Graph, GraphStore, StatementRow, WriteLimit } from '../ports.ts';
import { keepChecked, keepRetractions, type RetractionKeeping } from '../retractions/keep.ts';
import { checkSignatures, mayCarrySignature, type SignatureVerifying } from '../signatures/check.ts';
import type { Signature, Signatures } from '../signatures/signatures.ts';
import { carriedAnchors } from './anchors.ts';
import { type AttachedBlobs, attachBlobs } from './attached-blobs.ts';
import { type CarriedBlob, wholeOf } from './blobs.ts';
import { type ManifestCarrier, type ManifestForm, openCarrier } from './carrier.ts';
import type { GraphAttachments, GraphContents, GraphImports } from './ports.ts';
import { type ManifestVerifying, type VerifiedManifest, verifyForImport } from './verified.ts';

export interface ManifestImporting extends ManifestVerifying {
  readonly graphs: Pick<GraphStore, 'get'>;
  readonly graphContents: Pick<GraphContents, 'count' | 'attachments'>;
  readonly graphImports: GraphImports;
  /** Without its own limit, because the whole import holds one write permit. */
  readonly unlimitedBlobs: BlobStore;
  readonly writes: WriteLimit;
  readonly attachedBlobs: Pick<AttachedBlobs, 'insert'>;
  readonly signatures: Pick<Signatures, 'among' | 'insert' | 'update'>;
  readonly retractions: RetractionKeeping['retractions'];
  readonly now: () => Date;
  /** Checks the signatures that statements carry. */
  readonly verifying: SignatureVerifying;
  /** Waits for a while until all digests of the blobs are known that were stored before. */
  readonly hashedByNow: () => Promise<void>;
}

interface Counts {
  readonly stored: number;
  readonly known: number;
}

export interface ImportedManifest {
  readonly graphId: string;
  /** False if the graph existed and has all content of the manifest. */
  readonly isNew: boolean;
  readonly statements: Counts;
  readonly blobs: Counts;
  readonly contexts: number;
  readonly unverifiedContexts: readonly string[];
}

/**
 * Registers the content of a manifest in a new graph. The first pass recomputes every id and hash and writes nothing.
 * The second pass stores the content, and at its end the graph appears with everything. Idempotent.
 * @throws ServiceError with the place of the first problem; `conflict` if the graph exists with other content.
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
    if (known) await assertSame(ports, known, verified);
    const { contexts } = verified;
    const documents = new ContextKeeper(ports.unlimitedBlobs, contexts.documents);
    for (const { text, cid } of contexts.world.documents)
      await storeDocument(ports.unlimitedBlobs, Buffer.from(text), cid);
    for (const set of verified.contextSets.values()) await documents.keep(set);
    const { counts: blobs, unnamed } = await storeBlobs(ports, carrier, verified);
    const attachments = await storeAttachments(ports, carrier, verified);
    const statements = known ? undefined : await storeStatements(ports, graph, verified, attachments);
    if (!known && !statements) await assertSameImport(ports, graph, verified);
    await attachBlobs(ports.attachedBlobs, graph.graphId, unnamed);
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

/**
 * Context documents among the blocks of a CAR are stored already and count as contexts.
 * @returns also the CIDs of blobs that neither statements nor their collections name.
 */
async function storeBlobs(
  { unlimitedBlobs }: ManifestImporting,
  carrier: ManifestCarrier,
  { contexts, named }: VerifiedManifest,
): Promise<{ counts: Counts; unnamed: string[] }> {
  const counts = { stored: 0, known: 0 };
  const inCollections = new DigestSet();
  const unnamed: Cid[] = [];
  const documents = carrier.form === 'car' ? contexts.carried : new Set<string>();
  const store = async (blob: CarriedBlob) => {
    const expected = blob.cid();
    if (documents.has(expected.text)) return 'document';
    if (!named.has(expected.digest)) unnamed.push(expected);
    else if (expected.codec === codecs.hashSequence && blob.size <= rootLimit)
      for (const { digest } of collectionParts(await wholeOf(blob))) inCollections.add(digest);
    if (await isIntact(unlimitedBlobs, expected)) return 'known';
    const limit = { bytes: blob.size, setting: 'CAIRN_MAX_MANIFEST_BYTES' };
    return (await storeBlob(unlimitedBlobs, blob.bytes(), { expected }, limit)).outcome;
  };
  for await (const outcome of mapConcurrent(carrier.blobs(), blobsAtOnce, store)) {
    if (outcome !== 'document') counts[outcome] += 1;
  }
  const strays = unnamed.filter(({ digest }) => !inCollections.has(digest));
  return { counts, unnamed: strays.map(({ text }) => text) };
}

async function storeAttachments(
  { unlimitedBlobs }: ManifestImporting,
  { manifest }: ManifestCarrier,
  { contexts, anchoredContexts }: VerifiedManifest,
): Promise<GraphAttachments> {
  const isAttached = ({ url }: { url: string }) => contexts.unverified.has(url) || anchoredContexts.has(url);
  const attached = contexts.world.documents.filter(isAttached);
  const anchors: string[] = [];
  for await (const { bytes } of carriedAnchors(manifest)) {
    const cid = cidOf(codecs.raw, bytes).text;
    await storeDocument(unlimitedBlobs, bytes, cid);
    anchors.push(cid);
  }
  return { contexts: attached.map(({ url, cid }) => ({ url, cid })), anchors };
}

/** Checks signatures. Some are about contents, which were just stored. */
function signatureChecking({ verifying, hashedByNow }: ManifestImporting) {
  let hashed: Promise<void> | undefined;
  return async (rows: readonly StatementRow[]): Promise<Signature[]> => {
    const found = await checkSignatures(verifying, rows);
    if (!found.some(({ why }) => why?.code === 'subject_not_stored')) return found;
    hashed ??= hashedByNow();
    await hashed;
    return await checkSignatures(verifying, rows);
  };
}

const groupsAtOnce = 3;

/** @returns undefined if the graph was registered in the meantime. Then nothing of this import appears in it. */
async function storeStatements(
  ports: ManifestImporting,
  graph: Graph,
  { rows }: VerifiedManifest,
  attachments: GraphAttachments,
): Promise<Counts | undefined> {
  const coming = await ports.graphImports.begin(graph.projectId);
  const checked = signatureChecking(ports);
  try {
    const counts = { stored: 0, known: 0 };
    const put = async (group: Iterable<StatementRow>) => {
      const signed = [...Iterator.from(group).filter(mayCarrySignature)];
      await keepChecked(ports, await checked(signed));
      const put = await coming.put(group);
      await keepRetractions(ports, group, null);
      return put;
    };
    for await (const { stored, joined, known } of mapConcurrent(rows.groups(), groupsAtOnce, put)) {
      counts.stored += stored;
      counts.known += joined + known;
    }
    if ((await coming.publish(graph, attachments)) === 'added') return counts;
    await coming.abandon();
    return undefined;
  } catch (error) {
    // If this fails, the next start cleans up.
    await coming.abandon().catch(() => undefined);
    throw error;
  }
}

/** The graph may come from the same import, sent twice. @throws ServiceError `conflict` otherwise. */
async function assertSameImport(
  ports: ManifestImporting,
  { graphId, parentId, projectId }: Graph,
  verified: VerifiedManifest,
): Promise<void> {
  const existing = await ports.graphs.get(graphId);
  if (existing?.parentId !== parentId || existing.projectId !== projectId)
    throw new ServiceError(
      'conflict',
      `The graph ${graphId} was registered by another request in the meantime. Choose another graph_id.`,
    );
  await assertSame(ports, existing, verified);
}

/** @throws ServiceError `conflict` unless the graph has all statements, anchors and unverified contexts. */
async function assertSame(
  { graphContents }: ManifestImporting,
  { graphId }: Graph,
  { rows, anchors, contexts }: VerifiedManifest,
): Promise<void> {
  const attached = await graphContents.attachments([graphId], everythingVisible);
  const has = new Set([...attached.anchors, ...attached.contexts.map(({ url, cid }) => `${url} ${cid}`)]);
  const unverified = contexts.world.documents.filter(({ url }) => contexts.unverified.has(url));
  const wanted = [...anchors, ...unverified.map(({ url, cid }) => `${url} ${cid}`)];
  if (wanted.some((one) => !has.has(one))) throwOtherGraph(graphId);
  for await (const group of rows.groups()) {
    const cids = Array.from(group, ({ jcsCid }) => jcsCid);
    if ((await graphContents.count(graphId, cids)) < cids.length) throwOtherGraph(graphId);
  }
}

function throwOtherGraph(graphId: string): never {
  throw new ServiceError(
    'conflict',
    `The graph ${graphId} exists already and lacks content of this manifest. Choose another graph_id.`,
  );
}
