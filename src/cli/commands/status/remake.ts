import { relative } from 'node:path/posix';
import { isInside } from './compare.ts';
import type { RecordedItem, RecordedRun } from './recorded-runs.ts';

/** A command line, and the folder to call it in, relative to that of the recording. */
export interface Remake {
  readonly folder: string;
  readonly command: readonly string[];
}

/** What records a run again; null for a function of a program. */
export function remakeOf({ facts, inputs, outputs }: RecordedRun, graph: string | undefined): Remake | null {
  const { name = '', command, folder = '', parameters = [], environment = {}, metadata = {} } = facts;
  if (!command) return null;
  const pathOf = (item: Pick<RecordedItem, 'path' | 'outside'>) => {
    if (!isInside(item)) return item.path;
    const path = relative(`/${folder}`, `/${item.path}`) || '.';
    return item.path.endsWith('/') ? `${path}/` : path;
  };
  const parameterPaths = new Set(parameters.map(({ path }) => path));
  const option = (flag: string, values: readonly string[]) => (values.length > 0 ? [flag, ...values] : []);
  const others = inputs.filter(({ path }) => !parameterPaths.has(path));
  return {
    folder,
    command: [
      ...['cairn', 'record', '--name', name],
      ...option('--graph', graph === undefined ? [] : [graph]),
      ...option('--input', others.map(pathOf)),
      ...option(
        '--params',
        [...parameterPaths].map((path) => pathOf({ path })),
      ),
      ...option('--metrics', facts.metrics_file === undefined ? [] : [facts.metrics_file]),
      ...option('--env', Object.keys(environment)),
      ...option(
        '--metadata',
        Object.entries(metadata).map(([key, value]) => `${key}=${value}`),
      ),
      ...option('--output', outputs.map(pathOf)),
      ...(facts.unwritten_outputs === undefined ? [] : ['--allow-unwritten-outputs']),
      ...['--', ...command],
    ],
  };
}
