import pMap from 'p-map';
import type { Principal } from '../../access/access.ts';
import { ServiceError } from '../../errors.ts';
import type { Gathering } from '../../gathering.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { scopeFor } from '../access/statement-scope.ts';
import { cidUrn } from '../identifiers/cid.ts';
import { parseUtcTime } from '../identifiers/timestamp.ts';
import type { Check } from '../proofs/reasons.ts';
import { checkOf, signatureId } from '../signatures/signatures.ts';
import type { StatementName } from '../statements/packed-names.ts';
import { authorizeWriting, type Writer } from '../statements/statements.ts';
import type { Evidence, EvidenceKind } from './evidence.ts';
import { type FirstImports, timesOf } from './evidence-records.ts';
import { type Collected, type FolderFinding, withCollections } from './folders.ts';
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
  /** Small requests that come at the same time. */
  readonly evidenceRequests: Gathering;
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

type CheckedSignature = Check & { readonly signer: string | null };

/** What became of files that came together: in their order, taken or refused. */
export interface ImportResult {
  readonly files: readonly (ImportedEvidence | ServiceError)[];
  /** Whether a statement was new. */
  readonly isNew: boolean;
}

/** A request with more files goes alone. */
const fewFiles = 20;
const fewBytes = 1 << 20;

/**
 * Stores files of evidence as they are, and the statements that follow from them. A refused file keeps none of the others from
 * being stored. Small requests of one caller that come at the same time share their writes. Idempotent.
 * @throws ServiceError if nothing can be stored, such as `forbidden` or `unavailable`.
 */
export async function importEvidence(
  ports: EvidenceImporting,
  principal: Principal,
  files: readonly Uint8Array[],
  request: ImportRequest,
): Promise<ImportResult> {
  const { registeredBy, graphId } = request;
  const writer = await authorizeWriting(ports, principal, graphId);
  const scope = await scopeFor(ports.graphs, principal, null);
  // Files that come together wait once.
  let hashed: Promise<void> | undefined;
  const finding = { ...ports, hashedByNow: () => (hashed ??= ports.hashedByNow()) };
  const readOne = async (bytes: Uint8Array): Promise<GoodFile> => {
    const file = await readFile(bytes, ports.evidenceReader, request.kind);
    const collected = await asEvidenceError(() =>
      pMap(file.evidence, (said) => withCollections(finding, said, scope)),
    );
    return { ...file, collected };
  };
  const read = await pMap(files, (bytes) => attempt(() => readOne(bytes)), { concurrency: 1 });
  const good = read.filter((one): one is GoodFile => !(one instanceof ServiceError));
  const by = { ...writer, registeredBy, graphId };
  const work = (requests: readonly (readonly GoodFile[])[]) => importRequests(ports, requests, by);
  const isSmall = files.length <= fewFiles && files.reduce((sum, { length }) => sum + length, 0) <= fewBytes;
  const { outcomes, isNew } = isSmall
    ? await ports.evidenceRequests.run(JSON.stringify(by), good, work)
    : await importRead(ports, good, by);
  const byFile = new Map(good.map((file, at) => [file, outcomes[at] ?? []] as const));
  return {
    files: read.flatMap((one) => (one instanceof ServiceError ? one : (byFile.get(one) ?? []))),
    isNew,
  };
}

interface GoodFile extends ReadFile {
  /** Its evidence, with folders named by their collections. */
  readonly collected: readonly Collected[];
}

/** Who brings evidence, in whose name and where. */
interface Bringer extends Writer {
  readonly registeredBy: string;
  readonly graphId: string | null;
}

type Outcomes = { readonly outcomes: readonly (ImportedEvidence | ServiceError)[]; readonly isNew: boolean };

/** Files that are new go together. The others go alone, to tell which of them give a new statement. */
async function importRequests(
  ports: EvidenceImporting,
  requests: readonly (readonly GoodFile[])[],
  by: Bringer,
): Promise<Outcomes[]> {
  const [only, ...others] = requests;
  if (only && others.length === 0) return [await importRead(ports, only, by)];
  const fresh = new Map<string, GoodFile>();
  for (const file of requests.flat())
    if ((await ports.unlimitedBlobs.size(file.blob)) === undefined) fresh.set(file.blob.text, file);
  const together = [...fresh.values()];
  const { outcomes } = await importRead(ports, together, by);
  const known = new Map(together.map((file, at) => [file, outcomes[at]] as const));
  return await pMap(
    requests,
    async (files) => {
      const first = files.flatMap((file) => known.get(file) ?? []);
      const rest = await importRead(
        ports,
        files.filter((file) => !known.has(file)),
        by,
      );
      const left = [...rest.outcomes];
      return {
        outcomes: files.flatMap((file) => known.get(file) ?? left.shift() ?? []),
        isNew: rest.isNew || first.some((one) => !(one instanceof ServiceError)),
      };
    },
    { concurrency: 1 },
  );
}

/** Files go together if all are accepted, and otherwise one by one. */
async function importRead(
  ports: EvidenceImporting,
  files: readonly GoodFile[],
  by: Bringer,
): Promise<Outcomes> {
  if (files.length === 0) return { outcomes: [], isNew: false };
  try {
    return await importTogether(ports, files, by);
  } catch (error) {
    if (!(error instanceof ServiceError) || !isAboutStatements(error)) throw error;
    if (files.length === 1) return { outcomes: [error], isNew: false };
    const each = await pMap(files, (file) => importRead(ports, [file], by), { concurrency: 1 });
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
  files: readonly GoodFile[],
  by: Bringer,
): Promise<Outcomes> {
  const { registeredBy, graphId } = by;
  const times = await timesOf(ports, files, registeredBy);
  const writing = evidenceWriting(ports, by, graphId);
  const derived = await pMap(files, (file, at) =>
    pMap(file.collected, async ({ evidence, blobs }) => {
      const provenance = { registeredBy, time: timeOf(evidence, times[at]) };
      const said = await deriveFrom(file, evidence, provenance, writing.identifyAll, ports.limits);
      return { blobs, ...said };
    }),
  );
  const documents = derived.flat().flatMap((one) => [...one.blobs, ...one.documents.map(bytesOf)]);
  const originals = files.map(({ blob, bytes }) => ({ cid: blob, bytes }));
  const statements = derived.map((parts) => parts.flatMap((one) => one.statements));
  const { names, isNew } = await writing.put(statements.flat(), [...originals, ...documents]);
  const events = files.map(({ evidence: [one] }) => one && eventIn(one));
  const followed = await asEvidenceError(async () => followEvents(ports, writing, events, by));
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
