import { jcs } from '../integrity/identification/jcs.ts';
import { multihashes } from '../integrity/identifiers/hashing.ts';
import { hashSize, sha256 } from './merkle/hashing.ts';
import { uint64 } from './notes/cosignature.ts';
import { refuse } from './proof-error.ts';

/** The first byte of an entry says what it is about. In the service log, byte 1 is a head of another log. */
const kinds = { statement: 1, unverified: 2, record: 3, note: 4, head: 1 } as const;

/** The digests of a statement. Nobody could verify the context of one without `rdfcDigest`. */
export interface StatementDigests {
  readonly rdfcDigest: Uint8Array | null;
  readonly jcsDigest: Uint8Array;
}

export function statementEntry({ rdfcDigest, jcsDigest }: StatementDigests): Uint8Array {
  if (rdfcDigest === null) return Buffer.concat([Uint8Array.of(kinds.unverified), multihash(jcsDigest)]);
  return Buffer.concat([Uint8Array.of(kinds.statement), multihash(rdfcDigest), multihash(jcsDigest)]);
}

/** After the kind, and the code and length of the multihash. */
const rdfcAt = 3;

function multihash(digest: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(multihashes.blake3, digest.length), digest]);
}

/**
 * What an entry of a log of statements says.
 * @throws LogProofError `wrong_entry`
 */
export function parseStatementEntry(entry: Uint8Array): StatementDigests | { readonly note: string } {
  const [kind] = entry;
  const bytes = Buffer.from(entry);
  if (kind === kinds.note) return { note: bytes.subarray(1).toString() };
  const jcsDigest = bytes.subarray(-hashSize);
  const rdfcDigest = kind === kinds.statement ? bytes.subarray(rdfcAt, rdfcAt + hashSize) : null;
  if (bytes.equals(statementEntry({ rdfcDigest, jcsDigest }))) return { rdfcDigest, jcsDigest };
  return refuse('wrong_entry', `An entry of ${entry.length} bytes is no entry of a statement.`);
}

/** The entry of a record of another log, by its RFC 8785 form. */
export function recordEntry(record: unknown): Uint8Array {
  return recordEntryOf(sha256(jcs(record)));
}

/** @param digest SHA-256 of the RFC 8785 form. */
export function recordEntryOf(digest: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(kinds.record), digest]);
}

/** What the service itself says in a log. */
export function noteEntry(note: string, at: Date): Uint8Array {
  return Buffer.concat([Uint8Array.of(kinds.note), Buffer.from(jcs({ note, at: at.toISOString() }))]);
}

/** A head of a log, as an entry of the service log. */
export interface ServiceEntry {
  readonly blindedName: Uint8Array;
  readonly size: number;
  readonly root: Uint8Array;
}

export function serviceEntry({ blindedName, size, root }: ServiceEntry): Uint8Array {
  return Buffer.concat([Uint8Array.of(kinds.head), blindedName, uint64(size), root]);
}

const sizeAt = 1 + hashSize;
const rootAt = sizeAt + 8;

/** @returns undefined for a note of the service itself. @throws LogProofError `wrong_entry` */
export function parseServiceEntry(entry: Uint8Array): ServiceEntry | undefined {
  if (entry[0] === kinds.note) return undefined;
  const isHead = entry[0] === kinds.head && entry.length === rootAt + hashSize;
  const size = isHead ? Number(new DataView(entry.buffer, entry.byteOffset).getBigUint64(sizeAt)) : -1;
  if (!Number.isSafeInteger(size) || size < 0)
    return refuse('wrong_entry', `An entry of ${entry.length} bytes is no head of a log.`);
  return { blindedName: entry.subarray(1, sizeAt), size, root: entry.subarray(rootAt) };
}
