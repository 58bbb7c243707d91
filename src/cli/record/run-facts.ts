import { relative, resolve, sep } from 'node:path';
import { jcs } from '../../domain/integrity/identification/jcs.ts';
import { cidUrn } from '../../domain/integrity/identifiers/cid.ts';
import { documentLimit } from '../../domain/integrity/names/name.ts';
import { type RunFacts, runDocument } from '../../domain/integrity/runs/run-document.ts';
import type { JsonObject } from '../../domain/json/is-object.ts';
import { nameText } from '../client/graphs.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import type { Artifact } from './artifacts.ts';
import { environmentOf, gitStateOf } from './circumstances.ts';
import { type Folders, placeAt, survey } from './places.ts';
import type { Ending } from './run-command.ts';
import { metricsIn, readMetrics, readParameters, UnreadableValues } from './values.ts';

type FactIo = Pick<Io, 'env' | 'stderr'>;

/** What somebody wants to be said about a run. */
export interface Told {
  readonly name: string;
  readonly command: readonly string[] | null;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** Names of environment variables. */
  readonly environment?: readonly string[];
  /** Files with parameters. They are inputs, too. */
  readonly parameters?: readonly string[];
  /** A file that the run writes, or an object that it fills. */
  readonly metrics?: string | object | undefined;
}

/** What is known about a run before it starts, and how its metrics file looks then. */
export interface FactsBefore {
  readonly facts: RunFacts & { readonly name: string };
  readonly metricsBefore: string | undefined;
}

/** @param inputs with those that are parameters files. */
export async function factsBefore(
  io: FactIo,
  told: Told,
  folders: Folders,
  inputs: readonly Artifact[],
): Promise<FactsBefore> {
  const { name, command, metadata, environment = [], metrics } = told;
  const parameters = [];
  for (const path of told.parameters ?? []) {
    const absolute = resolve(folders.cwd, path);
    const file = inputs.find((one) => one.absolute === absolute);
    const values = await readParameters(absolute, nameText(path, 200));
    if (file) parameters.push({ path: file.path, cid: cidUrn(file.cid), values });
  }
  const git = await gitStateOf(io, folders.cwd);
  const folder = relative(folders.root, folders.cwd).split(sep).join('/');
  const facts = {
    name,
    ...(command && { command: [...command] }),
    ...(folder !== '' && { folder }),
    ...(typeof metrics === 'string' && { metrics_file: metrics }),
    ...(parameters.length > 0 && { parameters }),
    ...(environment.length > 0 && { environment: environmentOf(io, environment) }),
    ...(git && { git }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
  const bytes = sizeOf(facts);
  if (bytes > documentLimit)
    failUsage(
      `Command, parameters, environment and metadata have ${bytes} bytes, and the limit is ${documentLimit}.`,
    );
  const metricsBefore =
    typeof metrics === 'string' ? await fingerprintOf(resolve(folders.cwd, metrics), folders) : undefined;
  return { facts, metricsBefore };
}

export interface Ran {
  readonly started: Date;
  /** Seconds. */
  readonly duration: number;
  readonly ending: Ending;
}

/**
 * All that is said about a run after it. Metrics that cannot be read are left out, because the run may have taken hours.
 * @returns also why metrics are missing.
 */
export async function factsAfter(
  { metrics }: Told,
  { cwd, root, facts, metricsBefore }: FactsBefore & Folders,
  { started, duration, ending }: Ran,
): Promise<{ readonly facts: RunFacts & { readonly name: string }; readonly problem?: string }> {
  const { exit_code, signal, error } = ending;
  const times = { started: started.toISOString(), duration };
  const ended = Object.fromEntries(
    Object.entries({ exit_code, signal, error }).filter(([, value]) => value !== undefined),
  );
  const all = { ...facts, ...times, ...ended };
  if (metrics === undefined) return { facts: all };
  try {
    const values =
      typeof metrics === 'string'
        ? await writtenMetrics(metrics, { cwd, root }, metricsBefore)
        : metricsIn(metrics, 'The object "metrics"');
    if (sizeOf({ ...all, metrics: values }) > documentLimit)
      throw new UnreadableValues(
        `The metrics do not fit beside the rest of the record: the limit is ${documentLimit} bytes.`,
      );
    return { facts: { ...all, metrics: values } };
  } catch (problem) {
    if (!(problem instanceof UnreadableValues)) throw problem;
    return { facts: all, problem: problem.message };
  }
}

async function writtenMetrics(
  file: string,
  folders: Folders,
  before: string | undefined,
): Promise<JsonObject> {
  const path = nameText(file, 200);
  const absolute = resolve(folders.cwd, file);
  const values = await readMetrics(absolute, path);
  if (before !== undefined && (await fingerprintOf(absolute, folders)) === before)
    throw new UnreadableValues(`The command did not write ${path}. Its metrics are of an earlier run.`);
  return values;
}

async function fingerprintOf(absolute: string, folders: Folders): Promise<string | undefined> {
  const place = await placeAt(absolute, folders).catch(() => undefined);
  return place?.kind === 'file' ? (await survey(place)).fingerprint : undefined;
}

function sizeOf(facts: RunFacts & { readonly name: string }): number {
  return Buffer.byteLength(jcs(runDocument(facts)));
}
