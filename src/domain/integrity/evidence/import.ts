import pMap from 'p-map';
import { authorizeProject, type Principal } from '../../access/access.ts';
import { ServiceError } from '../../errors.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { scopeFor } from '../access/statement-scope.ts';
import { graphForWriting } from '../graphs/graphs.ts';
import { cidUrn } from '../identifiers/cid.ts';
import { parseUtcTime } from '../identifiers/timestamp.ts';
import type { Check } from '../proofs/reasons.ts';
import { registrarKey } from '../retractions/keep.ts';
import { checkOf, signatureId } from '../signatures/signatures.ts';
import type { StatementName } from '../statements/packed-names.ts';
import type { Evidence, EvidenceKind } from './evidence.ts';
import { type FirstImports, timesOf } from './evidence-records.ts';
import { type FolderFinding, withCollections } from './folders.ts';
import { asEvidenceError } from './kinds.ts';
import { eventIn } from './openlineage/kind.ts';
import { followEvents, type RunFollowing } from './openlineage/runs.ts';
import { type ReadFile, readFile } from './read-file.ts';
import type { EvidenceReader } from './reading.ts';
import {
  type Derived,
  derive,
  hasLargeSignature,
  type IdentifyAll,
  original,
  type Provenance,
  signatureOf,
} from './statements.ts';
import { bytesOf, type EvidenceStoring, evidenceWriting } from './writing.ts';

export interface EvidenceImporting extends EvidenceStoring, RunFollowing, FolderFinding, FirstImports {
  readonly evidenceReader: EvidenceReader;
  readonly limits: { readonly maxStatementBytes: number };
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
  /** Those in the file, as they were checked. */
  readonly signatures: readonly CheckedSignature[];
}

export type CheckedSignature = Check & { readonly signer: string | null };

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
      return { blobs, ...(await deriveFrom(file, evidence, by, writing.identifyAll, ports.limits)) };
    }),
  );
  const documents = derived.flat().flatMap((one) => [...one.blobs, ...one.documents.map(bytesOf)]);
  const originals = files.map(({ blob, bytes }) => ({ cid: blob, bytes }));
  const statements = derived.map((parts) => parts.flatMap((one) => one.statements));
  const { names, isNew } = await writing.put(statements.flat(), [...originals, ...documents]);
  const events = files.map(({ evidence: [one] }) => one && eventIn(one));
  const followed = await asEvidenceError(async () =>
    followEvents(ports, writing, events, { registeredBy, graphId, registrar }),
  );
  const checks = await checksOf(ports, names, statements.flat());
  let at = 0;
  const outcomes = files.map(({ kind, blob }, index) => {
    const own = names.slice(at, at + (statements[index]?.length ?? 0));
    at += own.length;
    const ids = new Set(
      [...own.map(({ statement_id: id }) => id), followed.computations[index] ?? []].flat(),
    );
    return {
      kind,
      blob: blob.text,
      statements: [...ids],
      signatures: [
        ...[...ids].flatMap((id) => checks.get(id) ?? []),
        ...(files[index]?.evidence ?? []).flatMap((one) => leftOutSignature(one, ports.limits) ?? []),
      ],
    };
  });
  return { outcomes, isNew: isNew || followed.isNew };
}

/** A signature that no statement carries. What was signed is only claimed. */
function leftOutSignature(
  evidence: Evidence,
  { maxStatementBytes: most }: EvidenceImporting['limits'],
): CheckedSignature | undefined {
  if (!hasLargeSignature(evidence, most)) return undefined;
  return { result: 'unknown', reason: { code: 'signature_too_large', most }, signer: null };
}

/** What the checks of the carried signatures have found, by the statements that carry them. */
async function checksOf(
  { signatures }: Pick<EvidenceImporting, 'signatures'>,
  names: readonly StatementName[],
  statements: readonly JsonObject[],
): Promise<ReadonlyMap<string, CheckedSignature>> {
  const carriers = names.filter((_, at) => statements[at]?.['@type'] === 'CredentialRegistration');
  if (carriers.length === 0) return new Map();
  const keys = carriers.map((one) => signatureId(one.jcs_cid, one.statement_id));
  const found = await signatures.among('key', keys, 1);
  return new Map(
    carriers.flatMap(({ statement_id: id }, at) => {
      const [record] = found[at] ?? [];
      return record ? [[id, { ...checkOf(record), signer: record.signer }] as const] : [];
    }),
  );
}

async function deriveFrom(
  { blob }: ReadFile,
  evidence: Evidence,
  by: Provenance,
  identifyAll: IdentifyAll,
  { maxStatementBytes }: EvidenceImporting['limits'],
): Promise<Derived> {
  return await asEvidenceError(async () => {
    const derived = await derive(evidence, by, identifyAll);
    const originals = derived.subjects.map((subject) => original(subject, cidUrn(blob), by));
    const signature = signatureOf(evidence, by, maxStatementBytes);
    return {
      ...derived,
      statements: [...derived.statements, ...originals, ...(signature ? [signature] : [])],
    };
  });
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
