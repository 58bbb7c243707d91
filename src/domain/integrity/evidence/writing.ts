import pMap from 'p-map';
import { callerKey, type Principal } from '../../access/access.ts';
import { ServiceError } from '../../errors.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { contentOf } from '../blobs/blob-store.ts';
import { storeBlob } from '../blobs/upload.ts';
import type { Cid } from '../identifiers/cid.ts';
import type { BlobStore, Identifier } from '../ports.ts';
import { assertAllAccepted } from '../statements/accepted.ts';
import type { StatementName } from '../statements/packed-names.ts';
import { putStatements, type StatementWriting } from '../statements/statements.ts';
import type { JcsDocument } from './documents.ts';
import type { IdentifyAll } from './statements.ts';

export interface EvidenceStoring extends StatementWriting {
  /** Without its own limit, because the blobs of a request hold one write permit, so that they share transactions. */
  readonly unlimitedBlobs: BlobStore;
  readonly limits: { readonly maxStatementBytes: number };
}

/** Where what follows from evidence goes. */
export interface EvidenceWriting {
  readonly identifyAll: IdentifyAll;
  /** Stores blobs only. */
  readonly store: (blobs: readonly Bytes[]) => Promise<void>;
  /**
   * Stores statements, and before them the blobs that they name.
   * @returns the ids and names of the statements, and whether one was new.
   */
  readonly put: (
    statements: readonly JsonObject[],
    blobs: readonly Bytes[],
  ) => Promise<{ ids: readonly string[]; names: readonly StatementName[]; isNew: boolean }>;
}

interface Bytes {
  readonly cid: Cid;
  readonly bytes: Uint8Array;
}

/** Blobs that are stored together take fewer transactions. */
const storedAtOnce = 500;

export function evidenceWriting(
  ports: EvidenceStoring,
  principal: Principal,
  graphId: string | null,
): EvidenceWriting {
  const { unlimitedBlobs: blobs, writes } = ports;
  const store = async (given: readonly Bytes[]) => {
    const distinct = new Map(given.map((one) => [one.cid.text, one]));
    const storeOne = async ({ cid, bytes }: Bytes) => {
      // Storing a document again would index the names of all statements about it again.
      if ((await blobs.size(cid)) !== undefined) return;
      await storeBlob(
        blobs,
        contentOf(bytes).bytes,
        { expected: cid },
        { bytes: bytes.length, setting: null },
      );
    };
    const storeAll = () => pMap(distinct.values(), storeOne, { concurrency: storedAtOnce });
    await writes.run(storeAll, callerKey(principal));
  };
  return {
    identifyAll: identifying(ports.identifier),
    store,
    async put(statements, named) {
      const texts = statements.map((one) => JSON.stringify(one));
      for (const text of texts) assertSize(text, ports.limits);
      await store(named);
      const put = { ...bodyOf(texts), isBatch: true, generateId: true, graphId, issueVc: false };
      const { names, isNew } = await putStatements(ports, principal, put);
      const all = [...names];
      return { ids: all.map(({ statement_id: id }) => id), names: all, isNew };
    },
  };
}

export function bytesOf({ cid, text }: JcsDocument): Bytes {
  return { cid, bytes: Buffer.from(text) };
}

/** Computes the ids that other statements of the same evidence name. */
function identifying(identifier: Pick<Identifier, 'identify'>): IdentifyAll {
  return async (statements) => {
    const { body, ranges } = bodyOf(statements.map((one) => JSON.stringify(one)));
    const identified = await identifier.identify(body, ranges, {
      generateId: true,
      strict: true,
      reportCoverage: false,
    });
    assertAllAccepted(identified);
    return Array.from(identified.names, ({ statement_id: id }) => id);
  };
}

/** Statements as a body, with start and end of each. */
function bodyOf(texts: readonly string[]): { body: Uint8Array; ranges: number[] } {
  const parts = texts.map((text) => Buffer.from(text));
  const ranges: number[] = [];
  let end = 0;
  for (const { length } of parts) {
    ranges.push(end, end + length);
    end += length;
  }
  return { body: Buffer.concat(parts), ranges };
}

function assertSize(text: string, { maxStatementBytes }: EvidenceStoring['limits']): void {
  const size = Buffer.byteLength(text);
  if (size <= maxStatementBytes) return;
  const message = `A statement that follows from it has ${size} bytes. The limit is ${maxStatementBytes} (CAIRN_MAX_STATEMENT_BYTES).`;
  throw new ServiceError('too_large', message);
}
