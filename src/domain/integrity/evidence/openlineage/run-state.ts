import type { JsonObject } from '../../../json/is-object.ts';
import { jcs } from '../../identification/jcs.ts';
import { EvidenceProblem } from '../evidence.ts';
import { type Dataset, type DatasetName, datasetsLimit, eventTimeOf, type RunEvent } from './event.ts';
import { jobFacts, runFacts, symlinksIn, versionIn } from './facets.ts';

/** Something that one event said. Of several, that of the latest event counts. */
interface Said<Value> {
  readonly at: number;
  readonly value: Value;
}

/** A dataset that a run read or wrote. */
export interface UsedDataset {
  readonly namespace: string;
  readonly name: string;
  readonly version: Said<string> | null;
  /** The CID of a document with what the events say about it. */
  readonly document: Said<string> | null;
  /** Its other names, those of all events, if they say some. */
  readonly symlinks?: readonly DatasetName[];
}

/** What the events of a run say together. Times are milliseconds since 1970. */
export interface RunState {
  readonly runId: string;
  readonly job: Said<{ readonly namespace: string; readonly name: string }>;
  /** The time of the first event. */
  readonly first: number;
  /** The first terminal event. */
  readonly end: Said<'COMPLETE' | 'ABORT' | 'FAIL'> | null;
  readonly inputs: readonly UsedDataset[];
  readonly outputs: readonly UsedDataset[];
  /** What the page of the run shows, by facet. */
  readonly facts: Readonly<Record<string, Said<JsonObject>>>;
}

/** Such a run may never end. */
export function isStreaming({ facts }: RunState): boolean {
  return facts.jobType?.value.processingType === 'STREAMING';
}

/** Whether statements are made of a run: when it has ended, and of a streaming one as soon as it names a dataset. */
export function isStated(state: RunState): boolean {
  return state.end !== null || (isStreaming(state) && state.inputs.length + state.outputs.length > 0);
}

/** @param documentOf the CID of a document about the dataset, if the event says something about it. */
export function stateOf(event: RunEvent, documentOf: (dataset: Dataset) => string | null): RunState {
  const at = eventTimeOf(event.eventTime) ?? 0;
  const { run, job, eventType, inputs, outputs } = event;
  const used = (datasets: readonly Dataset[] | null | undefined) =>
    mergeDatasets(
      [],
      (datasets ?? []).map((dataset): UsedDataset => {
        const version = versionIn(dataset);
        const document = documentOf(dataset);
        const symlinks = symlinksIn(dataset);
        return {
          namespace: dataset.namespace,
          name: dataset.name,
          version: version === undefined ? null : { at, value: version },
          document: document === null ? null : { at, value: document },
          ...(symlinks.length > 0 && { symlinks: distinct(symlinks) }),
        };
      }),
    );
  const facts = { ...jobFacts(job.facets ?? {}), ...runFacts(run.facets ?? {}) };
  return {
    runId: run.runId,
    job: { at, value: { namespace: job.namespace, name: job.name } },
    first: at,
    end:
      eventType === 'COMPLETE' || eventType === 'ABORT' || eventType === 'FAIL'
        ? { at, value: eventType }
        : null,
    inputs: used(inputs),
    outputs: used(outputs),
    facts: Object.fromEntries(
      Object.entries(facts)
        .sort()
        .map(([name, value]) => [name, { at, value }]),
    ),
  };
}

/**
 * What two parts of the events of a run say together. Any order, and any repetition, of the same events gives the same state.
 * @throws EvidenceProblem for too many datasets.
 */
export function mergeStates(one: RunState, other: RunState): RunState {
  const names = new Set([...Object.keys(one.facts), ...Object.keys(other.facts)]);
  return {
    runId: one.runId,
    job: later(one.job, other.job),
    first: Math.min(one.first, other.first),
    end: one.end && other.end ? earlier(one.end, other.end) : (one.end ?? other.end),
    inputs: mergeDatasets(one.inputs, other.inputs),
    outputs: mergeDatasets(one.outputs, other.outputs),
    facts: Object.fromEntries(
      [...names]
        .sort()
        .map((name) => [name, laterOf(one.facts[name], other.facts[name]) as Said<JsonObject>]),
    ),
  };
}

function mergeDatasets(some: readonly UsedDataset[], others: readonly UsedDataset[]): readonly UsedDataset[] {
  const merged = new Map(some.map((one) => [keyOf(one), one]));
  for (const other of others) {
    const one = merged.get(keyOf(other));
    const symlinks = distinct([...(one?.symlinks ?? []), ...(other.symlinks ?? [])]);
    merged.set(keyOf(other), {
      ...other,
      version: laterOf(one?.version, other.version) ?? null,
      document: laterOf(one?.document, other.document) ?? null,
      ...(symlinks.length > 0 && { symlinks }),
    });
  }
  if (merged.size > datasetsLimit)
    throw new EvidenceProblem(`The run has more than ${datasetsLimit} inputs or outputs.`);
  return inOrder(merged);
}

function distinct(names: readonly DatasetName[]): readonly DatasetName[] {
  return inOrder(new Map(names.map((name) => [keyOf(name), name])));
}

function inOrder<Value>(byKey: ReadonlyMap<string, Value>): Value[] {
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

function keyOf({ namespace, name }: DatasetName): string {
  return JSON.stringify([namespace, name]);
}

function laterOf<Value>(one: Said<Value> | null | undefined, other: Said<Value> | null | undefined) {
  return one && other ? later(one, other) : (one ?? other);
}

function later<Value>(one: Said<Value>, other: Said<Value>): Said<Value> {
  return order(one, other) >= 0 ? one : other;
}

function earlier<Value>(one: Said<Value>, other: Said<Value>): Said<Value> {
  return order(one, other) <= 0 ? one : other;
}

/** Events of the same time are ordered by what they say, so that their order of arrival does not matter. */
function order(one: Said<unknown>, other: Said<unknown>): number {
  if (one.at !== other.at) return one.at - other.at;
  const [text, otherText] = [jcs(one.value), jcs(other.value)];
  return text === otherText ? 0 : text < otherText ? -1 : 1;
}
