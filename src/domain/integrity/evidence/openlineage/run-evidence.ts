import type { JsonObject } from '../../../json/is-object.ts';
import { statementTime } from '../../identifiers/timestamp.ts';
import type { Evidence, Reference, Thing } from '../evidence.ts';
import type { DatasetName } from './event.ts';
import type { RunState, UsedDataset } from './run-state.ts';

/** The version of a dataset that a run wrote, under the name by which the run called it. */
export interface WrittenVersion extends DatasetName {
  readonly version: string | null;
  readonly run: string;
}

/** Jobs have namespaces of their own here, so that none is mistaken for a dataset. */
export function jobReference({ namespace, name }: DatasetName): Reference {
  return { namespace: `job:${namespace}`, name };
}

/** The computation is found by its name. What ran in it needs no statement about its name. */
export function runThing(job: DatasetName, runId: string): Thing {
  return { name: '', reference: { ...jobReference(job), run: runId } };
}

const digest = /^(sha256|blake3):([0-9a-f]{64})$/i;

/**
 * A dataset: the content, if its version is a digest; otherwise the version that its producer gives it, or that a run wrote;
 * otherwise the dataset without a version.
 */
export function datasetThing({ namespace, name }: DatasetName, version: string | null, run?: string): Thing {
  const [, algorithm, hex] = digest.exec(version ?? '') ?? [];
  if (algorithm && hex) return { name, digests: { [algorithm.toLowerCase()]: hex.toLowerCase() } };
  if (version !== null) return { reference: { namespace, name, version } };
  return { reference: { namespace, name, ...(run !== undefined && { run }) } };
}

/** Whoever wrote a version has stated its name. Otherwise each of many runs would state it again. */
export function inputThing(input: UsedDataset, written: WrittenVersion | undefined): Thing {
  const thing =
    input.version || !written
      ? datasetThing(input, input.version?.value ?? null)
      : datasetThing(written, written.version, written.run);
  return thing.reference ? { ...thing, name: '' } : thing;
}

/** A dataset that a run writes is a version of its own. */
export function outputThing(output: UsedDataset, runId: string): Thing {
  return datasetThing(output, output.version?.value ?? null, runId);
}

/** The same thing under each of its names. */
function outputNames(output: UsedDataset, runId: string): Thing[] {
  const thing = outputThing(output, runId);
  return [thing, ...(output.symlinks ?? []).map(({ name }) => ({ ...thing, name }))];
}

/**
 * What a run says. A run without inputs is made of its job, and one without outputs makes itself, so that every
 * run is a computation.
 * @param written the versions that the inputs without a version had when the run began.
 */
export function runEvidence(state: RunState, written: ReadonlyMap<UsedDataset, WrittenVersion>): Evidence {
  const { runId, job, first, end, inputs, outputs } = state;
  const endedAt = Math.max(end?.at ?? first, first);
  const read = inputs.map((input) => inputThing(input, written.get(input)));
  const self = runThing(job.value, runId);
  const made = outputs.flatMap((output) => outputNames(output, runId));
  return {
    time: statementTime(new Date(endedAt)),
    about: [],
    steps: [
      {
        inputs: read.length > 0 ? read : [{ reference: jobReference(job.value) }],
        outputs: made.length > 0 ? made : [self],
        program: self,
        facts: {
          name: job.value.name,
          started: new Date(first).toISOString(),
          ...(end && { duration: (endedAt - first) / 1_000 }),
          ...failureOf(state),
          metadata: metadataOf(state),
        },
      },
    ],
  };
}

function failureOf({ end, facts }: RunState): { error?: string } {
  if (end?.value === 'ABORT') return { error: 'The run was aborted.' };
  if (end?.value !== 'FAIL') return {};
  const message = facts.errorMessage?.value.message;
  return { error: typeof message === 'string' && message !== '' ? message : 'The run failed.' };
}

function metadataOf({ runId, job, end, facts }: RunState): JsonObject {
  const said = Object.entries(facts).map(([name, { value }]) => [name, value] as const);
  return { run_id: runId, job: job.value, state: end?.value ?? 'RUNNING', ...Object.fromEntries(said) };
}
