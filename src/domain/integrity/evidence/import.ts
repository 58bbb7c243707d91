import pMap from 'p-map';
import { authorizeProject, callerKey, type Principal } from '../../access/access.ts';
import { ServiceError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import { contentOf } from '../blobs/blob-store.ts';
import { storeBlob } from '../blobs/upload.ts';
import { graphForWriting } from '../graphs/graphs.ts';
import { type Cid, cidOf, cidUrn, codecs } from '../identifiers/cid.ts';
import { parseUtcTime } from '../identifiers/timestamp.ts';
import { mayBeObject } from '../names/name.ts';
import type { BlobStore, Identifier } from '../ports.ts';
import { assertAllAccepted } from '../statements/accepted.ts';
import { putStatements, type StatementWriting } from '../statements/statements.ts';
import type { JcsDocument } from './documents.ts';
import type { Evidence } from './evidence.ts';
import { type EvidenceImports, evidenceImportId } from './evidence-records.ts';
import { asEvidenceError, type ReadEvidence, readEvidence, readOtherThanJson } from './kinds.ts';
import {
  type Derived,
  derive,
  type IdentifyAll,
  original,
  type Provenance,
  signatureOf,
} from './statements.ts';

export interface EvidenceImporting extends StatementWriting {
  readonly blobsOf: (caller: string) => BlobStore;
  readonly evidenceImports: Pick<EvidenceImports, 'insert' | 'among'>;
  readonly limits: { readonly maxStatementBytes: number; readonly maxJsonDepth: number };
  readonly now: () => Date;
}

export interface ImportRequest {
  readonly registeredBy: string;
  readonly graphId: string | null;
}

/** A file, or a line of a file with JSON lines, that was taken. */
export interface ImportedEvidence {
  readonly kind: string;
  readonly blob: string;
  /** The ids of the statements that follow from it. */
  readonly statements: readonly string[];
}

/** What became of files that came together: in their order, taken or refused. */
export interface ImportResult {
  readonly files: readonly (ImportedEvidence | ServiceError)[];
  /** Whether a statement was new. */
  readonly isNew: boolean;
}

/**
 * Stores files of evidence as they are, and the statements that follow from them. A refused file keeps none of the others from
 * being stored. Idempotent.
 * @throws ServiceError if nothing can be stored, such as `forbidden` or `unavailable`.
 */
export async function importEvidence(
  ports: EvidenceImporting,
  principal: Principal,
  files: readonly Uint8Array[],
  request: ImportRequest,
): Promise<ImportResult> {
  const { graphId } = request;
  if (graphId === null) await authorizeProject(principal, 'create_declarations', null);
  else await graphForWriting(ports.graphs, principal, graphId);
  const read = await pMap(files, (bytes) => attempt(() => readFile(bytes, ports.limits)), { concurrency: 1 });
  const good = read.filter((one): one is ReadFile => !(one instanceof ServiceError));
  const { outcomes, isNew } = await importRead(ports, principal, good, request);
  const byFile = new Map(good.map((file, at) => [file, outcomes[at] ?? []] as const));
  return {
    files: read.flatMap((one) => (one instanceof ServiceError ? one : (byFile.get(one) ?? []))),
    isNew,
  };
}

interface ReadFile extends ReadEvidence {
  readonly bytes: Uint8Array;
  readonly blob: Cid;
}

async function readFile(
  bytes: Uint8Array,
  { maxJsonDepth: maxDepth }: EvidenceImporting['limits'],
): Promise<ReadFile> {
  const isJson = mayBeObject(bytes);
  const read = isJson ? undefined : await readOtherThanJson(bytes);
  const document = read ? undefined : parseStrictJson(bytes, { maxDepth, exactNumbers: false });
  if (!read && !isObject(document))
    throw new ServiceError('invalid_evidence', 'Evidence in JSON is an object.');
  return { bytes, blob: cidOf(codecs.raw, bytes), ...(read ?? (await readEvidence(document as JsonObject))) };
}

type Outcomes = { readonly outcomes: readonly (ImportedEvidence | ServiceError)[]; readonly isNew: boolean };

/** Files go together if all are accepted, and otherwise one by one. */
async function importRead(
  ports: EvidenceImporting,
  principal: Principal,
  files: readonly ReadFile[],
  request: ImportRequest,
): Promise<Outcomes> {
  if (files.length === 0) return { outcomes: [], isNew: false };
  try {
    return await importTogether(ports, principal, files, request);
  } catch (error) {
    if (!(error instanceof ServiceError) || !isAboutStatements(error)) throw error;
    if (files.length === 1) return { outcomes: [error], isNew: false };
    const each = await pMap(files, (file) => importRead(ports, principal, [file], request), {
      concurrency: 1,
    });
    return { outcomes: each.flatMap(({ outcomes }) => outcomes), isNew: each.some((one) => one.isNew) };
  }
}

const aboutStatements = new Set([
  'invalid_evidence',
  'invalid_statement',
  'not_covered',
  'too_complex',
  'too_large',
]);

function isAboutStatements({ code }: ServiceError): boolean {
  return aboutStatements.has(code);
}

async function importTogether(
  ports: EvidenceImporting,
  principal: Principal,
  files: readonly ReadFile[],
  { registeredBy, graphId }: ImportRequest,
): Promise<Outcomes> {
  const times = await timesOf(ports, files, registeredBy);
  const identifyAll = identifying(ports.identifier);
  const derived = await pMap(files, (file, at) =>
    pMap(file.evidence, (one) =>
      deriveFrom(file, one, { registeredBy, time: timeOf(one, times[at]) }, identifyAll),
    ),
  );
  const texts = derived.map((parts) =>
    parts.flatMap(({ statements }) => statements.map((one) => JSON.stringify(one))),
  );
  for (const text of texts.flat()) assertSize(text, ports.limits);
  const blobs = ports.blobsOf(callerKey(principal));
  await storeAll(blobs, files, derived.flat());
  const { body, ranges } = bodyOf(texts.flat());
  const put = { body, ranges, isBatch: true, generateId: true, graphId, issueVc: false };
  const { names, isNew } = await putStatements(ports, principal, put);
  const ids = Array.from(names, ({ statement_id: id }) => id);
  let at = 0;
  const outcomes = files.map(({ kind, blob }, index) => {
    const end = at + (texts[index]?.length ?? 0);
    const own = ids.slice(at, end);
    at = end;
    return { kind: kind.name, blob: blob.text, statements: [...new Set(own)] };
  });
  return { outcomes, isNew };
}

async function deriveFrom(
  { blob }: ReadFile,
  evidence: Evidence,
  by: Provenance,
  identifyAll: IdentifyAll,
): Promise<Derived> {
  return await asEvidenceError(async () => {
    const derived = await derive(evidence, by, identifyAll);
    const originals = derived.subjects.map((subject) => original(subject, cidUrn(blob), by));
    const signature = signatureOf(evidence, by);
    return {
      ...derived,
      statements: [...derived.statements, ...originals, ...(signature ? [signature] : [])],
    };
  });
}

/** When evidence without a time of its own was imported first. */
async function timesOf(
  { evidenceImports, now }: EvidenceImporting,
  files: readonly ReadFile[],
  registeredBy: string,
): Promise<(Date | undefined)[]> {
  const without = files.filter(({ evidence }) => evidence.some(({ time }) => time === undefined));
  const importedAt = now().getTime();
  const records = without.map(({ blob }) => ({ id: evidenceImportId(blob.text, registeredBy), importedAt }));
  if (records.length === 0) return [];
  await evidenceImports.insert(records);
  const found = await evidenceImports.among(
    'key',
    records.map(({ id }) => id),
    1,
  );
  const times = new Map(
    without.map((file, at) => [file, new Date(found[at]?.[0]?.importedAt ?? importedAt)]),
  );
  return files.map((file) => times.get(file));
}

function timeOf({ time }: Evidence, otherwise: Date | undefined): Date {
  const said = time === undefined ? null : parseUtcTime(time);
  return said === null ? (otherwise ?? new Date(0)) : new Date(said);
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

function assertSize(text: string, { maxStatementBytes }: EvidenceImporting['limits']): void {
  const size = Buffer.byteLength(text);
  if (size <= maxStatementBytes) return;
  const message = `A statement that follows from it has ${size} bytes. The limit is ${maxStatementBytes} (CAIRN_MAX_STATEMENT_BYTES).`;
  throw new ServiceError('too_large', message);
}

const storedAtOnce = 64;

/** Stores the originals, and the documents that the statements refer to. */
async function storeAll(
  blobs: BlobStore,
  files: readonly ReadFile[],
  derived: readonly Derived[],
): Promise<void> {
  const documents = derived
    .flatMap((one) => one.documents)
    .map(({ cid, text }: JcsDocument) => ({ cid, bytes: Buffer.from(text) }));
  const originals = files.map(({ blob, bytes }) => ({ cid: blob, bytes }));
  const distinct = new Map([...originals, ...documents].map((one) => [one.cid.text, one]));
  await pMap(
    distinct.values(),
    ({ cid, bytes }) => {
      const limit = { bytes: bytes.length, setting: null };
      return storeBlob(blobs, contentOf(bytes).bytes, { expected: cid }, limit);
    },
    { concurrency: storedAtOnce },
  );
}

async function attempt<Result>(work: () => Promise<Result>): Promise<Result | ServiceError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
