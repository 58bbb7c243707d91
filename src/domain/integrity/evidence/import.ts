import pMap from 'p-map';
import { authorizeProject, type Principal } from '../../access/access.ts';
import { ServiceError } from '../../errors.ts';
import { scopeFor } from '../access/statement-scope.ts';
import { graphForWriting } from '../graphs/graphs.ts';
import { type Cid, cidOf, cidUrn, codecs } from '../identifiers/cid.ts';
import { parseUtcTime } from '../identifiers/timestamp.ts';
import { registrarKey } from '../retractions/keep.ts';
import type { Evidence, EvidenceKind } from './evidence.ts';
import { type EvidenceImports, evidenceImportId } from './evidence-records.ts';
import { type FolderFinding, withCollections } from './folders.ts';
import { asEvidenceError } from './kinds.ts';
import { eventIn } from './openlineage/kind.ts';
import { followEvents, type RunFollowing } from './openlineage/runs.ts';
import type { EvidenceReader, ReadEvidence } from './reading.ts';
import {
  type Derived,
  derive,
  type IdentifyAll,
  original,
  type Provenance,
  signatureOf,
} from './statements.ts';
import { bytesOf, type EvidenceStoring, evidenceWriting } from './writing.ts';

export interface EvidenceImporting extends EvidenceStoring, RunFollowing, FolderFinding {
  readonly evidenceReader: EvidenceReader;
  readonly evidenceImports: Pick<EvidenceImports, 'insert' | 'among'>;
  readonly limits: { readonly maxStatementBytes: number };
  readonly now: () => Date;
}

export interface ImportRequest {
  readonly registeredBy: string;
  readonly graphId: string | null;
  /** The only format that is taken. Default: any. */
  readonly kind?: EvidenceKind;
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
  const graph = graphId === null ? null : await graphForWriting(ports.graphs, principal, graphId);
  const registrar = registrarKey(principal, graph?.projectId ?? null);
  const read = await pMap(
    files,
    (bytes) => attempt(() => readFile(bytes, ports.evidenceReader, request.kind)),
    {
      concurrency: 1,
    },
  );
  const good = read.filter((one): one is ReadFile => !(one instanceof ServiceError));
  const { outcomes, isNew } = await importRead(ports, principal, good, { ...request, registrar });
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
  reader: EvidenceReader,
  kind: EvidenceKind | undefined,
): Promise<ReadFile> {
  return { bytes, blob: cidOf(codecs.raw, bytes), ...(await reader.read(bytes, kind?.name)) };
}

/** @see registrarKey */
type RegistrarRequest = ImportRequest & { readonly registrar: string };

type Outcomes = { readonly outcomes: readonly (ImportedEvidence | ServiceError)[]; readonly isNew: boolean };

/** Files go together if all are accepted, and otherwise one by one. */
async function importRead(
  ports: EvidenceImporting,
  principal: Principal,
  files: readonly ReadFile[],
  request: RegistrarRequest,
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
  { registeredBy, graphId, registrar }: RegistrarRequest,
): Promise<Outcomes> {
  const times = await timesOf(ports, files, registeredBy);
  const writing = evidenceWriting(ports, principal, graphId);
  const scope = await scopeFor(ports.graphs, principal, null);
  const derived = await pMap(files, (file, at) =>
    pMap(file.evidence, async (said) => {
      const { evidence, blobs } = await withCollections(ports, said, scope);
      const by = { registeredBy, time: timeOf(said, times[at]) };
      return { blobs, ...(await deriveFrom(file, evidence, by, writing.identifyAll)) };
    }),
  );
  const documents = derived.flat().flatMap((one) => [...one.blobs, ...one.documents.map(bytesOf)]);
  const originals = files.map(({ blob, bytes }) => ({ cid: blob, bytes }));
  const statements = derived.map((parts) => parts.flatMap((one) => one.statements));
  const { ids, isNew } = await writing.put(statements.flat(), [...originals, ...documents]);
  const events = files.map(({ evidence: [one] }) => one && eventIn(one));
  const followed = await asEvidenceError(async () =>
    followEvents(ports, writing, events, { registeredBy, graphId, registrar }),
  );
  let at = 0;
  const outcomes = files.map(({ kind, blob }, index) => {
    const end = at + (statements[index]?.length ?? 0);
    const own = [...ids.slice(at, end), followed.computations[index] ?? []].flat();
    at = end;
    return { kind, blob: blob.text, statements: [...new Set(own)] };
  });
  return { outcomes, isNew: isNew || followed.isNew };
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

async function attempt<Result>(work: () => Promise<Result>): Promise<Result | ServiceError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
