import { codecs, makeCid } from '../identifiers/cid.ts';
import type { Spool } from '../manifest/ports.ts';
import type { StatementRow } from '../ports.ts';

interface SpooledRow extends Omit<StatementRow, 'jcsCid' | 'rdfcCid' | 'jcs'> {
  readonly jcsLength: number;
}

const digestLength = 32;
const lengthBytes = 8;

/** Rows on disk between the pass that verifies them and the one that stores them. */
export class RowSpool implements AsyncDisposable {
  readonly #spool: Spool;

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  /** Appends rows, which come back together. */
  async write(rows: readonly StatementRow[]): Promise<void> {
    if (rows.length === 0) return;
    const head = Buffer.from(JSON.stringify(rows.map(spooledRow)));
    const parts = rows.flatMap(({ jcsCid, rdfcCid, jcs }) => [jcsCid.digest, rdfcCid.digest, jcs]);
    const lengths = Buffer.alloc(lengthBytes);
    lengths.writeUInt32LE(head.length, 0);
    lengths.writeUInt32LE(
      parts.reduce((sum, { length }) => sum + length, 0),
      4,
    );
    await this.#spool.write(Buffer.concat([lengths, head, ...parts]));
  }

  async *groups(): AsyncGenerator<StatementRow[]> {
    for (let at = 0; at < this.#spool.size; ) {
      const lengths = Buffer.from(await this.#spool.read(at, lengthBytes));
      const headLength = lengths.readUInt32LE(0);
      const length = headLength + lengths.readUInt32LE(4);
      const bytes = await this.#spool.read(at + lengthBytes, length);
      at += lengthBytes + length;
      yield unpacked(bytes, headLength);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#spool[Symbol.asyncDispose]();
  }
}

function spooledRow({ jcs, kind, references, time, contextSet, isTrusted }: StatementRow): SpooledRow {
  return { kind, references, time, contextSet, isTrusted, jcsLength: jcs.length };
}

function unpacked(bytes: Uint8Array, headLength: number): StatementRow[] {
  let at = headLength;
  const take = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const heads = JSON.parse(Buffer.from(bytes.subarray(0, headLength)).toString()) as SpooledRow[];
  return heads.map(({ jcsLength, ...row }) => ({
    ...row,
    jcsCid: makeCid(codecs.jcs, take(digestLength)),
    rdfcCid: makeCid(codecs.rdfc, take(digestLength)),
    jcs: take(jcsLength),
  }));
}
