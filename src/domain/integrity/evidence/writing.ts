import { callerKey, type Principal } from '../../access/access.ts';
import { ServiceError } from '../../errors.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { storeMissing } from '../blobs/small-blobs.ts';
import type { BlobStore, Identifier, SmallBlob } from '../ports.ts';
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
  readonly store: (blobs: readonly SmallBlob[]) => Promise<void>;
  /**
   * Stores statements, and before them the blobs that they name.
   * @returns the ids and names of the statements, and whether one was new.
   */
  readonly put: (
    statements: readonly JsonObject[],
    blobs: readonly SmallBlob[],
  ) => Promise<{ ids: readonly string[]; names: readonly StatementName[]; isNew: boolean }>;
}

export function evidenceWriting(
  ports: EvidenceStoring,
  principal: Principal,
  graphId: string | null,
): EvidenceWriting {
  const { unlimitedBlobs: blobs, writes } = ports;
  const store = async (given: readonly SmallBlob[]) => {
    await writes.run(() => storeMissing(blobs, given), callerKey(principal));
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

export function bytesOf({ cid, text }: JcsDocument): SmallBlob {
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
