import { join, resolve } from 'node:path';
import { uuidIn } from '../../domain/integrity/identifiers/identifiers.ts';
import { openSigner } from '../../platform/key-file-signer.ts';
import { type ApiClient, ApiRefusal, openClient } from '../client/api-client.ts';
import { type ClientSettings, readClientSettings } from '../client/client-settings.ts';
import { chosenGraph, nameText } from '../client/graphs.ts';
import { ownKey } from '../client/own-key.ts';
import { ownName } from '../client/own-name.ts';
import { exitCodes, Failure, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { say } from '../terminal/output.ts';
import { type Artifact, hashPlaces } from './artifacts.ts';
import {
  assertCount,
  assertUnchanged,
  assertUnchangedOutputs,
  outputsOf,
  warnAboutOverlap,
} from './checks.ts';
import { earlierRun } from './earlier-run.ts';
import { type Folders, placesOf, programOf, survey } from './places.ts';
import type { Recorded, RecordedFile } from './record-types.d.ts';
import type { Ending } from './run-command.ts';
import { type FactsBefore, factsAfter, factsBefore, type Told } from './run-facts.ts';
import { openSpool, spoolParcel } from './spool.ts';
import {
  type Described,
  describeRun,
  type Item,
  openIdentifying,
  type Run,
  withSignatures,
} from './statements.ts';
import { type Parcel, storeParcel } from './store.ts';

export interface Recording extends Told {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Record outputs that the run did not write, which the statement says. */
  readonly allowUnwrittenOutputs?: boolean | undefined;
  /** Whether a run that fails is recorded, with the outputs that it wrote. */
  readonly recordFailure?: boolean | undefined;
  /** UUID or name. Default: the graph of cairn.json. */
  readonly graph?: string | undefined;
  /** A key file. */
  readonly sign?: string | undefined;
  readonly spool?: string | undefined;
}

type RecordIo = Pick<Io, 'env' | 'cwd' | 'stderr'>;

const mostNameCharacters = 200;
const mostMetadataBytes = 32_768;
const spoolName = '.cairn-spool';

/** What is known before the command runs. */
interface Prepared extends Folders, FactsBefore {
  readonly client: ApiClient | null;
  readonly graphId: string | null;
  readonly did: string;
  readonly program: Artifact | null;
  readonly inputs: readonly Artifact[];
  /** The fingerprints of what is there already, by absolute path. */
  readonly before: ReadonlyMap<string, string>;
}

export interface RecordedRun {
  readonly recorded: Recorded;
  /** What is to be thrown: a failure of the run, or metrics that are missing. Undefined if all is well. */
  readonly failure: unknown;
}

/**
 * Hashes the inputs, runs, hashes the outputs, and stores everything with statements about it.
 * @param run throws to record nothing.
 */
export async function recordRun(
  io: RecordIo,
  recording: Recording,
  run: () => Promise<Ending>,
): Promise<RecordedRun> {
  if (recording.spool !== undefined) await openSpool(resolve(io.cwd, recording.spool));
  const prepared = await prepare(io, recording);
  const started = new Date();
  const startedAt = performance.now();
  const ending = await run();
  const duration = Number(((performance.now() - startedAt) / 1_000).toFixed(3));
  const hasFailed = ending.failure !== undefined;
  if (hasFailed && !recording.recordFailure) throwUnrecorded(ending.failure);

  const { inputs, program } = prepared;
  const { outputs, unwritten } = await outputsOf(io, recording, prepared, { hasFailed });
  await assertUnchanged(io, [...inputs, ...(program ? [program] : [])]);
  await assertUnchangedOutputs(io, outputs);
  const { facts, problem } = await factsAfter(recording, prepared, { started, duration, ending });
  const ended = new Date(started.getTime() + duration * 1_000);
  const { described, statements } = await statementsAbout(io, recording, {
    ...prepared,
    outputs,
    facts: { ...facts, ...(unwritten.length > 0 && { unwritten_outputs: unwritten }) },
    ended,
  });
  const artifacts = [...inputs, ...(program ? [program] : []), ...outputs];
  const blobs = [...artifacts.flatMap((one) => one.blobs), ...described.documents];
  const parcel = { graphId: prepared.graphId, blobs, statements };
  const lack = problem && `${problem} The run is recorded without metrics.`;
  const spooled = await deliver(io, recording, prepared, parcel).catch((error) => {
    if (lack) say(io, lack);
    throw error;
  });
  const recorded: Recorded = {
    name: recording.name,
    graph: prepared.graphId,
    computation: described.computation,
    skipped: false,
    statements: statements.map((bytes) => String(JSON.parse(Buffer.from(bytes).toString())['@id'])),
    ...recordedFiles({ program, inputs, outputs }),
    started: started.toISOString(),
    duration,
    exit_code: ending.exit_code ?? null,
    metrics: facts.metrics ?? null,
    spooled,
  };
  const failure = ending.failure ?? (lack && new Failure(exitCodes.no, lack));
  return { recorded, failure };
}

/** A run that is recorded with the same command, program and inputs, and with the outputs as they are on the disk. */
export async function recordedAlready(io: RecordIo, recording: Recording): Promise<Recorded | undefined> {
  if (recording.spool !== undefined)
    failUsage('Only the service knows what is recorded already. Leave out --if-changed, or --spool.');
  const prepared = await prepare(io, recording);
  const missing: string[] = [];
  const places = await placesOf(recording.outputs, prepared, (path) => void missing.push(path));
  if (missing.length > 0 || !prepared.client) return undefined;
  const outputs = await hashPlaces(io, places);
  const earlier = await earlierRun(prepared.client, { ...prepared, outputs });
  if (!earlier) return undefined;
  const { started = '', duration = 0, exit_code = null, metrics = null } = earlier.facts;
  return {
    ...{ name: recording.name, graph: prepared.graphId, computation: earlier.id, skipped: true },
    ...{ statements: [], ...recordedFiles({ ...prepared, outputs }) },
    ...{ started, duration, exit_code, metrics, spooled: null },
  };
}

function throwUnrecorded(failure: unknown): never {
  if (!(failure instanceof Failure)) throw failure;
  const advice = 'Nothing was recorded. --record-failure records runs that fail, too.';
  throw new Failure(failure.exitCode, `${failure.message} ${advice}`, { cause: failure });
}

/** The statements that a run would make, with the outputs as they are now. Runs and stores nothing, and asks nobody. */
export async function rehearse(io: RecordIo, recording: Recording): Promise<Described['statements']> {
  const prepared = await prepare(io, { ...recording, graph: undefined, spool: '.' });
  const missing: string[] = [];
  const places = await placesOf(recording.outputs, prepared, (path) => void missing.push(path));
  const outputs: Item[] = await hashPlaces(io, places);
  for (const path of missing)
    outputs.push({ name: path, path, kind: 'file', cid: null, survey: { files: 1, bytes: 0 } });
  const run = { ...prepared, outputs, ended: new Date() };
  return (await describeRun(run, await openIdentifying())).statements;
}

async function prepare(io: RecordIo, recording: Recording): Promise<Prepared> {
  assertSizes(recording);
  const settings = readClientSettings(io);
  const folders = { cwd: io.cwd, root: settings.folderFile?.folder ?? io.cwd };
  const client = recording.spool === undefined ? openClient(settings) : null;
  const graphId = await graphOf(recording, settings, client);
  // Nothing is lost if the service or the graph is missing: the command has not run yet.
  await client?.send('GET', graphId === null ? '/graph/v1?limit=1' : `/graph/v1/${graphId}?limit=1`);
  const { did } = recording.sign
    ? await openSigner(resolve(io.cwd, recording.sign), { mayCreate: false })
    : await ownKey(io);
  const missing: string[] = [];
  const named = [...recording.inputs, ...(recording.parameters ?? [])];
  const places = await placesOf(named, folders, (path) => void missing.push(path));
  if (missing.length > 0)
    failUsage(missing.map((path) => `The input ${nameText(path, 200)} does not exist.`).join('\n'));
  const existing = await placesOf(recording.outputs, folders, () => undefined);
  warnAboutOverlap(io, places, [
    ...recording.outputs.map((path) => resolve(io.cwd, path)),
    ...existing.map(({ absolute }) => absolute),
  ]);
  const before = new Map<string, string>();
  for (const place of existing) before.set(place.absolute, (await survey(place)).fingerprint);
  const script = await programOf(recording.command ?? [], folders, existing);
  assertCount(places, recording);
  const hashed = await hashPlaces(io, [...places, ...(script ? [script] : [])]);
  const program = script ? (hashed.pop() ?? null) : null;
  const facts = await factsBefore(io, recording, folders, hashed);
  return { ...folders, ...facts, client, graphId, did, program, inputs: hashed, before };
}

async function graphOf({ graph, spool }: Recording, settings: ClientSettings, client: ApiClient | null) {
  if (client) return await chosenGraph(client, settings, graph);
  if (graph === undefined) return settings.folderFile?.graph ?? null;
  const advice = `name the graph by its UUID, because the service is not asked for "${graph}"`;
  return uuidIn(graph) ?? failUsage(`With --spool ${spool}, ${advice}.`);
}

function assertSizes({ name, metadata, command, outputs }: Recording): void {
  if (name.trim() === '') failUsage('The name of the run is empty.');
  if (name.length > mostNameCharacters)
    failUsage(`The name has ${name.length} characters, and the limit is ${mostNameCharacters}.`);
  if (outputs.length === 0) failUsage('Name at least one output with --output.');
  const bytes = Buffer.byteLength(JSON.stringify({ metadata, command }));
  if (bytes > mostMetadataBytes)
    failUsage(`Command and metadata have ${bytes} bytes, and the limit is ${mostMetadataBytes}.`);
}

async function statementsAbout(io: RecordIo, { sign }: Recording, run: Run) {
  const described = await describeRun(run, await openIdentifying());
  const own = described.statements.map((statement) => Buffer.from(JSON.stringify(statement)));
  const signed = sign ? await withSignatures(own, resolve(io.cwd, sign)) : own;
  const naming = await ownName(io.env, run.did);
  const documents = [...described.documents, ...(naming ? [naming.document] : [])];
  return { described: { ...described, documents }, statements: [...signed, ...(naming?.statements ?? [])] };
}

/** @returns the folder of the spool, or null if the service has everything. */
async function deliver(io: RecordIo, { name, spool }: Recording, { client, root }: Prepared, parcel: Parcel) {
  if (!client) return await spoolParcel(io, resolve(io.cwd, spool ?? spoolName), { name, parcel });
  try {
    await storeParcel(io, client, parcel);
    return null;
  } catch (error) {
    const isAway = error instanceof Failure && error.exitCode === exitCodes.unreachable;
    if (!isAway && !(error instanceof ApiRefusal)) throw error;
    const folder = join(root, spoolName);
    await spoolParcel(io, folder, { name, parcel });
    const advice = `The run is kept in ${folder}. Send it with: cairn ingest ${folder} --delete-sent`;
    throw new Failure(error.exitCode, `${error.message}\n${advice}`, { cause: error });
  }
}

type Files = Pick<Prepared, 'program' | 'inputs'> & { readonly outputs: readonly Artifact[] };

function recordedFiles({ program, inputs, outputs }: Files) {
  return {
    program: program && recordedFile(program),
    inputs: inputs.map(recordedFile),
    outputs: outputs.map(recordedFile),
  };
}

function recordedFile({ name, path, cid }: Artifact): RecordedFile {
  return { name, path, cid: cid.text };
}
