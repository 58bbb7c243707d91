import type { RunAnswer, RunDetailsAnswer, RunsAnswer } from '../../../contract/integrity/runs.ts';
import { bareId } from '../../../contract/words/text.ts';
import { askJson } from '../api.ts';
import type { Names } from '../statements/shown-text.ts';

export async function askRuns(query: Readonly<Record<string, string>>): Promise<RunsAnswer> {
  const filled = Object.entries(query).filter(([, value]) => value !== '');
  return await askJson(`/runs/v1?${new URLSearchParams(filled)}`);
}

export async function askRun(id: string): Promise<RunDetailsAnswer> {
  return await askJson(`/runs/v1/${encodeURIComponent(bareId(id))}`);
}

export function comparisonAddress(a: string, b: string): string {
  return `/ui/runs/compare?${new URLSearchParams({ a: bareId(a), b: bareId(b) })}`;
}

/** The names that come with a run. */
export function namesIn(run: Pick<RunAnswer, 'by' | 'program' | 'inputs' | 'outputs'>): Names {
  const all = [...run.by, ...(run.program ? [run.program] : []), ...run.inputs, ...run.outputs];
  return new Map(all.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])));
}
