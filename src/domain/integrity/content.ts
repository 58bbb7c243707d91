import { everythingVisible } from '../access.ts';
import { type Cid, codecs, makeCid } from './cid.ts';
import type { ContextKeeper } from './contexts.ts';
import type { BlobContent, BlobStore, ByteRange, Identifier, StatementStore } from './ports.ts';
import { statementNQuads } from './statements.ts';

export interface ContentPorts {
  readonly blobs: Pick<BlobStore, 'read' | 'size'>;
  readonly statements: Pick<StatementStore, 'byRdfcCid' | 'byJcsCid'>;
  readonly identifier: Pick<Identifier, 'nquadsUnder'>;
  readonly contexts: Pick<ContextKeeper, 'documents'>;
}

/**
 * The bytes behind any CID that was ever handed out: a blob, the JCS form of a statement, or its canonical
 * N-Quads. The codec of the CID makes no difference.
 */
export async function openContent(
  ports: ContentPorts,
  cid: Cid,
  range?: ByteRange,
): Promise<BlobContent | undefined> {
  return (await ports.blobs.read(cid, range)) ?? slice(await statementBytes(ports, cid), range);
}

/** How many bytes the content has; undefined when there is none. */
export async function contentSize(ports: ContentPorts, cid: Cid): Promise<number | undefined> {
  return (await ports.blobs.size(cid)) ?? (await statementBytes(ports, cid))?.length;
}

/** Like `contentSize`, without making anything. */
export async function hasContent({ blobs, statements }: ContentPorts, cid: Cid): Promise<boolean> {
  return (await blobs.size(cid)) !== undefined || (await findStatement(statements, cid)) !== undefined;
}

async function findStatement(statements: ContentPorts['statements'], cid: Cid) {
  if (cid.multihash !== 'blake3') return undefined;
  return (
    (await statements.byJcsCid(makeCid(codecs.jcs, cid.digest), everythingVisible)) ??
    (await statements.byRdfcCid(makeCid(codecs.rdfc, cid.digest), everythingVisible))
  );
}

async function statementBytes(ports: ContentPorts, cid: Cid): Promise<Uint8Array | undefined> {
  const statement = await findStatement(ports.statements, cid);
  if (!statement) return undefined;
  const isJcs = Buffer.compare(statement.jcsCid.digest, cid.digest) === 0;
  return isJcs
    ? statement.jcs
    : Buffer.from(await statementNQuads(ports.identifier, ports.contexts, statement));
}

function slice(bytes: Uint8Array | undefined, range: ByteRange | undefined): BlobContent | undefined {
  if (!bytes) return undefined;
  const part = range ? bytes.subarray(range.first, range.last + 1) : bytes;
  return {
    size: bytes.length,
    bytes: (async function* () {
      yield part;
    })(),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
