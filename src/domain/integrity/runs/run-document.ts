import { z } from 'zod';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { timesEnd } from '../identifiers/timestamp.ts';
import { parsedDocument } from '../names/name.ts';

/**
 * The document about a run, which a MetadataRegistration gives to the id of a ComputationRegistration. Its form is
 * published: members are only added, and a change of their meaning needs the next version.
 */
const runType = 'CairnRun';
const runVersion = 1;

const text = z.string();

/** A parameters file: an input, and its content as JSON. */
const parameterFile = z.object({ path: text, cid: text, values: z.custom<JsonObject>(isObject) });

const git = z.object({
  /** Missing before the first commit. */
  commit: text.optional(),
  /** Missing if no branch is checked out. */
  branch: text.optional(),
  /** Whether no file that git tracks was changed. */
  clean: z.boolean(),
  /** Files, and folders of only such files, that git neither tracks nor ignores. */
  untracked: z.int().min(0),
});

const members = {
  name: text,
  command: z.array(text).min(1),
  /** Where the command ran, relative to the folder that paths are relative to. Missing for that folder itself. */
  folder: text,
  exit_code: z.int(),
  /** What ended the command, such as SIGKILL. */
  signal: text,
  /** Why a function failed. */
  error: text,
  started: z.iso.datetime(),
  /** Seconds. */
  duration: z.number().min(0),
  parameters: z.array(parameterFile),
  metrics: z.custom<JsonObject>(isObject),
  /** The file that the command wrote them to, as it was named. */
  metrics_file: text,
  /** The variables that somebody named. Null: not set. */
  environment: z.record(text, text.nullable()),
  git,
  /** The paths of outputs that the command did not write. Somebody has allowed to record them. */
  unwritten_outputs: z.array(text),
  /** What else somebody said about the run. */
  metadata: z.custom<JsonObject>(isObject),
};

const shape = z.object(members).partial();

export type RunFacts = z.output<typeof shape>;
export type GitState = z.output<typeof git>;

/** When a run ended, in RFC 3339; undefined if it does not say so, or names a time that RFC 3339 cannot write. */
export function endOf({ started, duration }: Pick<RunFacts, 'started' | 'duration'>): string | undefined {
  if (started === undefined || duration === undefined) return undefined;
  const end = Date.parse(started) + duration * 1_000;
  return end < timesEnd ? new Date(end).toISOString() : undefined;
}

/** The document about a run, as it is stored. */
export function runDocument(facts: RunFacts & { readonly name: string }): JsonObject {
  const said = Object.entries(facts).filter(([, value]) => value !== undefined);
  return { type: runType, version: runVersion, ...Object.fromEntries(said) };
}

/** A member that is not what it should be is left out, because anybody can write a document. */
const lenient: z.ZodType<RunFacts> = z.object(
  Object.fromEntries(
    Object.entries<z.ZodType>(members).map(([name, member]) => [name, member.optional().catch(undefined)]),
  ),
);

/** What a document says about a run; undefined if it is about something else. Later versions are read as far as known. */
export function runFactsIn(document: unknown): RunFacts | undefined {
  if (!isObject(document)) return undefined;
  const { type, version } = document;
  if (type === runType)
    return typeof version === 'number' && version >= 1 ? lenient.parse(document) : undefined;
  return isEarlier(document) ? earlierFacts(document) : undefined;
}

/** See `runFactsIn`. */
export function readRun(bytes: Uint8Array): RunFacts | undefined {
  return runFactsIn(parsedDocument(bytes));
}

/** Before version 1 documents had no type, and what somebody said stood beside the rest. */
function isEarlier({ name, started, duration }: JsonObject): boolean {
  return typeof name === 'string' && typeof started === 'string' && typeof duration === 'number';
}

function earlierFacts(document: JsonObject): RunFacts {
  const { name, command, exit_code, started, duration, ...metadata } = document;
  const facts = lenient.parse({ name, command, exit_code, started, duration });
  return Object.keys(metadata).length === 0 ? facts : { ...facts, metadata };
}

export type RunResult = 'succeeded' | 'failed' | 'unknown';

export function resultOf({ command, exit_code: code, signal, error, duration }: RunFacts): RunResult {
  if (signal !== undefined || error !== undefined) return 'failed';
  // A function has no exit code. Unless it fails, its run is only said to have ended.
  if (code === undefined) return command === undefined && duration !== undefined ? 'succeeded' : 'unknown';
  return code === 0 ? 'succeeded' : 'failed';
}
