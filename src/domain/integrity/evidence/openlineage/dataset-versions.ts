import pMap from 'p-map';
import { eachRecord } from '../../../collections/records.ts';
import type { DatasetName } from './event.ts';
import type { WrittenVersion } from './run-evidence.ts';
import { datasetKey, type LineageRun, type LineageUse, type LineageUses, useKey } from './run-records.ts';
import { isStreaming, type RunState, type UsedDataset } from './run-state.ts';

const readsAtOnce = 16;

/**
 * Which version of a dataset a run has read: the last one that another run had written when it began. Runs that failed write
 * no version for others, unless they stream. Records of both sides are stored before each looks for the other, so that any
 * order of their events gives the same versions.
 */
export class DatasetVersions {
  readonly #uses: Pick<LineageUses, 'among' | 'insert' | 'update' | 'page'>;

  constructor(uses: Pick<LineageUses, 'among' | 'insert' | 'update' | 'page'>) {
    this.#uses = uses;
  }

  /** Records what a run read and wrote. */
  async record(uses: readonly LineageUse[]): Promise<void> {
    const isNew = await this.#uses.insert(uses);
    const known = uses.filter((_, index) => !isNew[index]);
    if (known.length === 0) return;
    const ids = known.map(({ id }) => id);
    const before = (await this.#uses.among('key', ids, 1)).flat();
    const recorded = new Map(before.map((use) => [use.id, use]));
    for (const { id, at, version } of known) {
      // An event that came late may have told an earlier time, or a version.
      const use = recorded.get(id);
      if (use?.at !== at || use.version !== version) await this.#uses.update(id, {}, { at, version });
    }
  }

  /**
   * The versions of the inputs that have none in the events.
   * @returns also those that nobody has written and that this run was the first to read, so that it names them.
   */
  async read(run: LineageRun, state: RunState) {
    const written = new Map<UsedDataset, WrittenVersion>();
    const first = new Set<UsedDataset>();
    const find = async (input: UsedDataset) => {
      const found = await Promise.all(namesOf(input).map((name) => this.#lastWrite(run, state, name)));
      const [latest] = found.filter((one) => one !== undefined).sort((one, other) => other.at - one.at);
      if (latest) written.set(input, latest.version);
      else if (await this.#isFirst(run, datasetKey(run.graphId, input.namespace, input.name)))
        first.add(input);
    };
    const without = state.inputs.filter(({ version }) => !version);
    await pMap(without, find, { concurrency: readsAtOnce });
    return { written, first: without.filter((input) => first.has(input)) };
  }

  /** The last version under this name that another run had written when this run began. */
  async #lastWrite(run: LineageRun, { first }: RunState, { namespace, name }: DatasetName) {
    const dataset = datasetKey(run.graphId, namespace, name);
    const asked = { after: null, limit: 2, order: 'descending', range: { until: first + 1 } } as const;
    const { records } = await this.#uses.page('byDataset', [dataset, 'write'], asked);
    const other = records.find((use) => use.run !== run.id);
    if (!other) return undefined;
    const { at, version, runId, calledAs } = other;
    return { at, version: { version, run: runId, ...(calledAs ?? { namespace, name }) } };
  }

  async #isFirst(run: LineageRun, dataset: string): Promise<boolean> {
    const { records } = await this.#uses.page('byDataset', [dataset, 'read'], { after: null, limit: 1 });
    return records[0]?.run === run.id;
  }

  /** The ids of the records of runs that have read what this run wrote. */
  async readers(run: LineageRun, uses: readonly LineageUse[]): Promise<Set<string>> {
    const readers = new Set<string>();
    for (const { dataset, role, at } of uses) {
      if (role !== 'write') continue;
      const later = await this.#uses.page('byDataset', [dataset, 'read'], {
        after: null,
        limit: 1,
        range: { from: at },
      });
      if (later.records.length === 0) continue;
      const range = { from: at, until: await this.#nextWrite(dataset, at) };
      for await (const use of eachRecord(this.#uses, 'byDataset', [dataset, 'read'], { range }))
        if (use.run !== run.id) readers.add(use.run);
    }
    return readers;
  }

  async #nextWrite(dataset: string, at: number): Promise<number | null> {
    const range = { from: at + 1 };
    const { records } = await this.#uses.page('byDataset', [dataset, 'write'], {
      after: null,
      limit: 1,
      range,
    });
    return records[0]?.at ?? null;
  }
}

/** What a run read without a version, and wrote. What a stream has written counts from its begin, however it ends. */
export function usesOf(run: LineageRun, state: RunState): LineageUse[] {
  const { end, first, runId, inputs, outputs } = state;
  const writtenAt = isStreaming(state) ? first : end?.value === 'COMPLETE' ? Math.max(end.at, first) : null;
  const uses = new Map<string, LineageUse>();
  const add = (role: LineageUse['role'], at: number, dataset: UsedDataset) => {
    for (const { namespace, name } of namesOf(dataset)) {
      const isOwn = namespace === dataset.namespace && name === dataset.name;
      const part = { dataset: datasetKey(run.graphId, namespace, name), role, run: run.id };
      const id = useKey(part);
      const calledAs = isOwn ? null : { namespace: dataset.namespace, name: dataset.name };
      if (isOwn || !uses.has(id))
        uses.set(id, { id, ...part, at, runId, version: dataset.version?.value ?? null, calledAs });
    }
  };
  for (const input of inputs) if (input.version === null) add('read', first, input);
  if (writtenAt !== null) for (const output of outputs) add('write', writtenAt, output);
  return [...uses.values()];
}

function namesOf(dataset: UsedDataset): DatasetName[] {
  return [dataset, ...(dataset.symlinks ?? [])];
}
