import { jcs } from '../../../domain/integrity/identification/jcs.ts';
import { resultOf } from '../../../domain/integrity/runs/run-document.ts';
import type { RecordedItem, RecordedRun } from './recorded-runs.ts';

/** What is at a recorded path now: its CID, with `urn:cid:`. */
export type Here =
  | { readonly cid: string }
  | { readonly missing: true; readonly movedTo?: string | undefined }
  | { readonly unreadable: string };

type Place = 'output' | 'program' | 'input';

/** Why an output is out of date. */
export type Reason =
  | { readonly code: `${Place}_changed`; readonly path: string }
  | { readonly code: `${Place}_missing`; readonly path: string; readonly moved_to?: string }
  | { readonly code: `${Place}_unreadable`; readonly path: string; readonly problem: string }
  /** A later run wrote other content, which is there now. */
  | { readonly code: 'input_remade'; readonly path: string; readonly run: string }
  | { readonly code: 'input_out_of_date'; readonly path: string }
  | { readonly code: 'run_failed' };

export interface OutputStatus {
  readonly path: string;
  readonly cid: string;
  readonly run: RecordedRun;
  /** Empty if the output is current. */
  readonly reasons: readonly Reason[];
}

/** The newest run of each output. Outputs that a step no longer writes are left out once they are gone. */
function newestOutputs(
  runs: readonly RecordedRun[],
): Map<string, { readonly run: RecordedRun; readonly cid: string; readonly isReplaced: boolean }> {
  const found = new Map<string, { run: RecordedRun; cid: string; isReplaced: boolean }>();
  for (const run of runs) {
    const known = run.outputs.map(({ path }) => found.get(path)?.run);
    const isReplaced = known.some((newer) => newer && newer !== run && isSameStep(newer, run));
    for (const { path, cid, outside } of run.outputs) {
      if (!outside && !found.has(path)) found.set(path, { run, cid, isReplaced });
    }
  }
  return found;
}

/** A run of the same command under the same name that wrote one of the files again takes the place of an earlier one. */
function isSameStep(one: RecordedRun, other: RecordedRun): boolean {
  const step = ({ facts: { name = '', command = [], environment = {} } }: RecordedRun) =>
    jcs({ name, command, environment });
  return step(one) === step(other);
}

/** Compares the newest run of each output with what is there now. Sorted by path. */
export function compareOutputs(runs: readonly RecordedRun[], hereAt: (path: string) => Here): OutputStatus[] {
  const newest = newestOutputs(runs);
  const known = new Map<string, readonly Reason[]>();

  const reasonsOf = (path: string): readonly Reason[] => {
    const made = newest.get(path);
    const before = known.get(path);
    if (before || !made) return before ?? [];
    // Runs that made their inputs from each other's outputs end here.
    known.set(path, []);
    const { run, cid } = made;
    const reasons = [
      ...(resultOf(run.facts) === 'failed' ? [{ code: 'run_failed' } as const] : []),
      ...differences('output', { path, cid }, hereAt(path)),
      ...run.program.filter(isInside).flatMap((item) => differences('program', item, hereAt(item.path))),
      ...run.inputs.filter(isInside).flatMap((item) => inputReasons(item)),
    ];
    known.set(path, reasons);
    return reasons;
  };

  const inputReasons = (item: RecordedItem): Reason[] => {
    const { path } = item;
    const here = hereAt(path);
    const made = newest.get(path);
    const found = differences('input', item, here);
    if (found.length === 0) return reasonsOf(path).length > 0 ? [{ code: 'input_out_of_date', path }] : [];
    const isRemade = made !== undefined && 'cid' in here && made.cid === here.cid;
    return isRemade ? [{ code: 'input_remade', path, run: made.run.id }] : found;
  };

  return [...newest]
    .filter(([path, { isReplaced }]) => !(isReplaced && 'missing' in hereAt(path)))
    .map(([path, { run, cid }]) => ({ path, cid, run, reasons: reasonsOf(path) }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** Of files outside the folder only the names are recorded. */
export function isInside({ outside }: Pick<RecordedItem, 'outside'>): boolean {
  return !outside;
}

function differences(place: Place, { path, cid }: Pick<RecordedItem, 'path' | 'cid'>, here: Here): Reason[] {
  if ('unreadable' in here) return [{ code: `${place}_unreadable`, path, problem: here.unreadable }];
  if ('missing' in here) {
    const { movedTo } = here;
    return [{ code: `${place}_missing`, path, ...(movedTo !== undefined && { moved_to: movedTo }) }];
  }
  return here.cid === cid ? [] : [{ code: `${place}_changed`, path }];
}
