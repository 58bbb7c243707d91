import { eachRecord } from '../../../collections/records.ts';
import type { WrittenVersion } from './run-evidence.ts';
import { datasetKey, type LineageRun, type LineageUse, type LineageUses, useKey } from './run-records.ts';
import type { RunState, UsedDataset } from './run-state.ts';

/**
 * Which version of a dataset a run has read: the last one that another run had written when it began. Runs that failed write
 * no version for others. Records of both sides are stored before each looks for the other, so that any order of their events
 * gives the same versions.
 */
export class DatasetVersions {
  readonly #uses: Pick<LineageUses, 'get' | 'insert' | 'update' | 'page'>;

  constructor(uses: Pick<LineageUses, 'get' | 'insert' | 'update' | 'page'>) {
    this.#uses = uses;
  }

  /** Records what a run that has ended read and wrote. */
  async record(run: LineageRun, state: RunState): Promise<void> {
    const uses = usesOf(run, state);
    const isNew = await this.#uses.insert(uses);
    for (const [index, use] of uses.entries()) {
      if (isNew[index]) continue;
      // An event that came late may have told an earlier time, or a version.
      const { at, version } = use;
      await this.#uses.update(use.id, {}, { at, version });
    }
  }

  /**
   * The versions of the inputs that have none in the events.
   * @returns also those that nobody has written and that this run was the first to read, so that it names them.
   */
  async read(run: LineageRun, state: RunState) {
    const found = new Map<UsedDataset, WrittenVersion>();
    const first: UsedDataset[] = [];
    for (const input of state.inputs) {
      if (input.version) continue;
      const dataset = datasetKey(run.graphId, input.namespace, input.name);
      const range = { until: state.first + 1 };
      const asked = { after: null, limit: 2, order: 'descending', range } as const;
      const { records } = await this.#uses.page('byDataset', [dataset, 'write'], asked);
      const written = records.find((use) => use.run !== run.id);
      if (written) found.set(input, { version: written.version, run: written.runId });
      else if (await this.#isFirst(run, dataset)) first.push(input);
    }
    return { written: found, first };
  }

  async #isFirst(run: LineageRun, dataset: string): Promise<boolean> {
    const { records } = await this.#uses.page('byDataset', [dataset, 'read'], { after: null, limit: 1 });
    return records[0]?.run === run.id;
  }

  /** The ids of the records of runs that have read what this run wrote. */
  async readers(run: LineageRun, state: RunState): Promise<Set<string>> {
    const readers = new Set<string>();
    for (const { dataset, role, at } of usesOf(run, state)) {
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

function usesOf(run: LineageRun, { end, first, runId, inputs, outputs }: RunState): LineageUse[] {
  const use = (
    role: LineageUse['role'],
    at: number,
    { namespace, name, version }: UsedDataset,
  ): LineageUse => {
    const dataset = datasetKey(run.graphId, namespace, name);
    const part = { dataset, role, run: run.id };
    return { id: useKey(part), ...part, at, runId, version: version?.value ?? null };
  };
  if (!end) return [];
  const read = inputs.filter(({ version }) => version === null).map((input) => use('read', first, input));
  if (end.value !== 'COMPLETE') return read;
  return [...read, ...outputs.map((output) => use('write', Math.max(end.at, first), output))];
}
