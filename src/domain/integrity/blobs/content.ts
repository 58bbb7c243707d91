import { mapConcurrent } from '../../map-concurrent.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { ContentReach, ContentVisibility } from '../access/content-reach.ts';
import { reachedBlob } from '../access/statement-scope.ts';
import type { ContextKeeper } from '../contexts/contexts.ts';
import { jcs } from '../identification/jcs.ts';
import { type Cid, codecs, makeCid, parseCid } from '../identifiers/cid.ts';
import type { BlobContent, BlobStore, ByteRange, Identifier, StatementStore } from '../ports.ts';
import type { Signatures } from '../signatures/signatures.ts';
import { statementNQuads } from '../statements/statements.ts';
import { contentOf } from './blob-store.ts';
import type { SameBytes } from './same-bytes.ts';

export interface ContentPorts {
  readonly blobs: Pick<BlobStore, 'read' | 'size'>;
  readonly statements: Pick<StatementStore, 'byRdfcCid' | 'byJcsCid'>;
  readonly identifier: Pick<Identifier, 'nquadsUnder'>;
  readonly contexts: Pick<ContextKeeper, 'documents'>;
  readonly signatures: Pick<Signatures, 'page'>;
  readonly reach: ContentReach;
  readonly sameBytes: SameBytes;
}

/** Statements with the same credential. The caller may see only some of them. */
const carriersTried = 20;

/**
 * The bytes of any CID: a blob, the JCS form of a statement or its canonical N-Quads, or the JCS form of a credential in a
 * statement. The codec is ignored.
 */
export async function openContent(
  ports: ContentPorts,
  cid: Cid,
  visibility: ContentVisibility,
  range?: ByteRange,
): Promise<BlobContent | undefined> {
  const blob = (await ports.reach.blob(cid, visibility)) ? await ports.blobs.read(cid, range) : undefined;
  if (blob) return blob;
  const other = await reachedBlob(ports, cid, visibility);
  return (
    (other && (await ports.blobs.read(other.cid, range))) ??
    slice(await statementBytes(ports, cid, visibility), range)
  );
}

export async function contentSize(
  ports: ContentPorts,
  cid: Cid,
  visibility: ContentVisibility,
): Promise<number | undefined> {
  return (await blobSize(ports, cid, visibility)) ?? (await statementBytes(ports, cid, visibility))?.length;
}

/** Like `contentSize !== undefined`, without making N-Quads. */
export async function hasContent(
  ports: ContentPorts,
  cid: Cid,
  visibility: ContentVisibility,
): Promise<boolean> {
  if ((await blobSize(ports, cid, visibility)) !== undefined) return true;
  if ((await findStatement(ports.statements, cid, visibility)) !== undefined) return true;
  return (await credentialBytes(ports, cid, visibility)) !== undefined;
}

const questionsAtOnce = 16;

/** Those of which the caller can read no blob. Statements do not count, and blobs with another hash neither. */
export async function missingBlobsOf(
  ports: ContentPorts,
  cids: readonly Cid[],
  visibility: ContentVisibility,
): Promise<string[]> {
  const distinct = new Map(cids.map((cid) => [cid.text, cid]));
  const ask = async (cid: Cid) => {
    await yieldToEventLoop();
    return (await ports.reach.blob(cid, visibility)) && (await ports.blobs.size(cid)) !== undefined
      ? []
      : [cid.text];
  };
  return (await Array.fromAsync(mapConcurrent(distinct.values(), questionsAtOnce, ask))).flat();
}

/** The small blobs among some that the caller can read, verified. Statements do not count, and other hashes neither. */
export async function smallBlobsOf(
  { blobs, reach }: Pick<ContentPorts, 'reach'> & { readonly blobs: Pick<BlobStore, 'readSmall'> },
  cids: readonly Cid[],
  visibility: ContentVisibility,
  limit: number,
): Promise<{ readonly cid: Cid; readonly bytes: Uint8Array }[]> {
  const distinct = new Map(cids.map((cid) => [cid.text, cid]));
  const ask = async (cid: Cid) => ((await reach.blob(cid, visibility)) ? [cid] : []);
  const readable = (await Array.fromAsync(mapConcurrent(distinct.values(), questionsAtOnce, ask))).flat();
  const found = await blobs.readSmall(readable, limit);
  return readable.flatMap((cid, at) => (found[at] ? [{ cid, bytes: found[at] }] : []));
}

async function blobSize(ports: ContentPorts, cid: Cid, visibility: ContentVisibility) {
  return (await reachedBlob(ports, cid, visibility))?.size;
}

async function findStatement(
  statements: ContentPorts['statements'],
  cid: Cid,
  visibility: ContentVisibility,
) {
  if (cid.multihash !== 'blake3') return undefined;
  return (
    (await statements.byJcsCid(makeCid(codecs.jcs, cid.digest), visibility)) ??
    (await statements.byRdfcCid(makeCid(codecs.rdfc, cid.digest), visibility))
  );
}

async function statementBytes(ports: ContentPorts, cid: Cid, visibility: ContentVisibility) {
  const statement = await findStatement(ports.statements, cid, visibility);
  if (!statement) return await credentialBytes(ports, cid, visibility);
  const isJcs = Buffer.compare(statement.jcsCid.digest, cid.digest) === 0;
  return isJcs
    ? statement.jcs
    : Buffer.from(await statementNQuads(ports.identifier, ports.contexts, statement));
}

/** The JCS form of a credential in a stored statement. */
async function credentialBytes(
  { signatures, statements }: ContentPorts,
  { digest, multihash }: Cid,
  visibility: ContentVisibility,
): Promise<Uint8Array | undefined> {
  if (multihash !== 'blake3') return undefined;
  const { text } = makeCid(codecs.jcs, digest);
  const { records } = await signatures.page('byCredentialCid', [text], { after: null, limit: carriersTried });
  for (const { carrier } of records) {
    const statement = await statements.byJcsCid(parseCid(carrier), visibility);
    // A statement can also register a credential that is a blob.
    const { credential } = statement ? JSON.parse(Buffer.from(statement.jcs).toString()) : {};
    if (credential !== undefined) return Buffer.from(jcs(credential));
  }
  return undefined;
}

function slice(bytes: Uint8Array | undefined, range: ByteRange | undefined): BlobContent | undefined {
  if (!bytes) return undefined;
  return contentOf(range ? bytes.subarray(range.first, range.last + 1) : bytes, bytes.length);
}
