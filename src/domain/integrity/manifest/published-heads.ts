import { Prover } from '../../log/proving.ts';
import type { LogReading } from '../../log/reading.ts';
import { awaited } from '../../log/waiting.ts';
import { loggedRow, newestIn } from '../logged/logged-statements.ts';
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
