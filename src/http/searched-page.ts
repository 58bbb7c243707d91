import { bareId } from '../contract/words/text.ts';
import type { Principal } from '../domain/access/access.ts';
import { ServiceError } from '../domain/errors.ts';
import { scopeFor } from '../domain/integrity/access/statement-scope.ts';
import { cidIn, codecs, isStatementCid, makeCid } from '../domain/integrity/identifiers/cid.ts';
import { parseIdentifier, uuidIn } from '../domain/integrity/identifiers/identifiers.ts';
import type { GraphStore } from '../domain/integrity/ports.ts';
import { type FindPorts, findIdentifier } from '../domain/integrity/statements/find.ts';
import { readStatement, type StatementReading } from '../domain/integrity/statements/read-statement.ts';

export type SearchedPorts = FindPorts & StatementReading & { readonly graphs: Pick<GraphStore, 'get'> };

/**
 * The page of the identifier or the hash that a reader searches for; undefined if the text is neither.
 * @param reader undefined if nobody is known to read. Then the form of the identifier decides.
 */
export async function pageOfSearch(
  ports: SearchedPorts,
  text: string,
  readerOf: () => Promise<Principal | undefined>,
): Promise<string | undefined> {
  const id = identifierIn(text);
  const hashes = hashesIn(text);
  if (id === undefined && hashes.length === 0) return undefined;
  const reader = await readerOf();
  if (id === undefined) return lineageOf(await knownHash(ports, hashes, reader));
  const uuid = uuidIn(id);
  if (uuid !== undefined && reader && (await sees(() => scopeFor(ports.graphs, reader, uuid))))
    return `/ui/graph/${uuid}`;
  const cid = cidIn(id);
  const isStatement =
    cid &&
    (reader
      ? await sees(() => readStatement(ports, reader.grants, cid.text, undefined))
      : isStatementCid(cid, codecs.rdfc));
  return isStatement ? `/ui/statement/${cid.text}` : lineageOf(id);
}

function lineageOf(id: string): string {
  return `/ui/lineage/${encodeURIComponent(bareId(id))}`;
}

function identifierIn(text: string): string | undefined {
  try {
    return parseIdentifier(text);
  } catch {
    return undefined;
  }
}

/** The CIDs of bytes with a hash that is written in hex. Its length does not tell the hash function. */
function hashesIn(text: string): string[] {
  const [, hex] = /^(?:(?:sha256|sha2-256|blake3)[:-])?([0-9a-f]{64})$/i.exec(text) ?? [];
  if (hex === undefined) return [];
  const digest = Buffer.from(hex, 'hex');
  return (['blake3', 'sha2-256'] as const).map((name) => makeCid(codecs.raw, digest, name).text);
}

/** The first of the CIDs that something is known about, or simply the first. */
async function knownHash(ports: SearchedPorts, cids: readonly string[], reader: Principal | undefined) {
  if (reader) {
    const scope = await scopeFor(ports.graphs, reader, null);
    for (const cid of cids)
      if (await sees(() => findIdentifier(ports, parseIdentifier(cid), { after: null, limit: 1 }, scope)))
        return cid;
  }
  return cids[0] ?? '';
}

async function sees(look: () => Promise<unknown>): Promise<boolean> {
  try {
    await look();
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
