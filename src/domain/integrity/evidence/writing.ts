import pMap from 'p-map';
import { ServiceError } from '../../errors.ts';
import { Gathering } from '../../gathering.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { storeMissing } from '../blobs/small-blobs.ts';
import type { BlobStore, Identifier, SmallBlob } from '../ports.ts';
import { assertAllAccepted } from '../statements/accepted.ts';
import type { StatementName } from '../statements/packed-names.ts';
import { type StatementWriting, storeStatements, type Writer } from '../statements/statements.ts';
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
   * Stores statements, and before them the blobs that they name. Those who do so at the same time share one write.
   * @param registrar in whose name, as `registrarKey` says it. Default: of the writer.
   * @returns the names of the statements, and whether one in the same write was new.
   */
  readonly put: (
    statements: readonly JsonObject[],
    blobs: readonly SmallBlob[],
    registrar?: string,
  ) => Promise<{ names: readonly StatementName[]; isNew: boolean }>;
}

interface Put {
  readonly statements: readonly JsonObject[];
  readonly blobs: readonly SmallBlob[];
}

const putsAtOnce = 100;

/** More in one write would hold up the writes of others. */
const statementsAtOnce = 1_000;
/** While one is stored, the next one is identified. */
const writesAtOnce = 3;

/** @param writer who brings evidence to the graph, and may do so. */
export function evidenceWriting(
  ports: EvidenceStoring,
  writer: Writer,
  graphId: string | null,
): EvidenceWriting {
  const { unlimitedBlobs: blobs, writes } = ports;
  const gathering = new Gathering({ most: putsAtOnce, atOnce: 1 });
  const store = async (given: readonly SmallBlob[]) => {
    await writes.run(() => storeMissing(blobs, given), writer.caller);
  };
  const putAll = async (registrar: string, puts: readonly Put[]) => {
    const texts = puts.flatMap(({ statements }) => statements.map((one) => JSON.stringify(one)));
    for (const text of texts) assertSize(text, ports.limits);
    await store(puts.flatMap((one) => one.blobs));
    const starts = Array.from(
      { length: Math.ceil(texts.length / statementsAtOnce) },
      (_, at) => at * statementsAtOnce,
    );
    const stored = await pMap(
      starts,
      async (at) => {
        const body = bodyOf(texts.slice(at, at + statementsAtOnce));
        const put = { ...body, isBatch: true, generateId: true, graphId, issueVc: false };
        return await storeStatements(ports, { ...writer, registrar }, put);
      },
      { concurrency: writesAtOnce },
    );
    const all: StatementName[] = stored.flatMap(({ names }) => [...names]);
    const isNew = stored.some((one) => one.isNew);
    let end = 0;
    return puts.map(({ statements }) => {
      const names = all.slice(end, end + statements.length);
      end += statements.length;
      return { names, isNew };
    });
  };
  return {
    identifyAll: identifying(ports.identifier),
    store,
    put: (statements, named, registrar = writer.registrar) =>
      gathering.run(registrar, { statements, blobs: named }, (puts) => putAll(registrar, puts)),
  };
}

export function bytesOf({ cid, text }: JcsDocument): SmallBlob {
  return { cid, bytes: Buffer.from(text) };
}

/** Computes the ids that other statements of the same evidence name. Those that come at the same time go together. */
function identifying(identifier: Pick<Identifier, 'identify'>): IdentifyAll {
  const gathering = new Gathering({ most: Infinity, atOnce: Infinity });
  const identifyAll = async (asked: readonly (readonly JsonObject[])[]) => {
    const { body, ranges } = bodyOf(asked.flat().map((one) => JSON.stringify(one)));
    const identified = await identifier.identify(body, ranges, {
      generateId: true,
      strict: true,
      reportCoverage: false,
    });
    assertAllAccepted(identified);
    const ids = Array.from(identified.names, ({ statement_id: id }) => id);
    return asked.map(({ length }) => ids.splice(0, length));
  };
  return (statements) => gathering.run('', statements, identifyAll);
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
