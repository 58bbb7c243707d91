import { logNames } from '../../log/names.ts';
import { Prover } from '../../log/proving.ts';
import type { LogReading } from '../../log/reading.ts';
import { awaited } from '../../log/waiting.ts';
import { loggedRow } from '../statements/logged-row.ts';
import type { StatementRowsOfStore, WholeStatement } from '../statements/rows.ts';
import type { LogsForExport } from './covered-logs.ts';

export interface LogExporting {
  readonly rows: StatementRowsOfStore;
  readonly reading: LogReading;
}

/** How long an export waits for the newest statements. */
const waitMs = 10_000;

/** Waits until the newest statements of each log are published. Later ones are left out. */
export function logsForExport({ rows, reading }: LogExporting): LogsForExport {
  return {
    async *heads(names) {
      let waiting: (readonly [string, WholeStatement])[] = [];
      for (const name of names) for (const row of await newestIn(rows, name)) waiting.push([name, row]);
      const look = async () => {
        const prover = await Prover.open(reading);
        const left = await Array.fromAsync(waiting, async (one) => {
          const [name, row] = one;
          return (await prover?.hasPublished(name, loggedRow(row))) ? [] : [one];
        });
        waiting = left.flat();
        return prover;
      };
      const prover = await awaited(look, () => waiting.length === 0, AbortSignal.timeout(waitMs));
      for (const name of names) {
        const head = await prover?.head(name);
        if (head) yield head;
      }
    },
  };
}

/** The newest verified and the newest unverified statement of a log. */
async function newestIn(
  { verified, unverified }: StatementRowsOfStore,
  name: string,
): Promise<WholeStatement[]> {
  const graphId = logNames.graphIn(name);
  if (graphId !== undefined) {
    const list = { by: 'graph', graphId } as const;
    const pages = await Promise.all([verified, unverified].map((one) => one.page(list, null, 1)));
    return pages.flatMap((page) => page.rows);
  }
  const { rows } = await verified.page({ by: 'storing' }, null, 1);
  return rows.filter(({ memberships }) => memberships.length === 0);
}
