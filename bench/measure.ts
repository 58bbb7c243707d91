import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';

/** The machine of the measurement. */
export function machine(): string {
  const gib = Math.round(totalmem() / 2 ** 30);
  return `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${gib} GiB, Node ${process.version}`;
}

/** The CPU time of a process in seconds (proc(5), with 100 ticks a second). */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Runs the work several times after a warm-up. @returns the median of units per second. */
export async function rate(units: number, work: () => Promise<unknown> | unknown, runs = 5): Promise<number> {
  await work();
  const rates: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const startedAt = performance.now();
    await work();
    rates.push((units / (performance.now() - startedAt)) * 1_000);
  }
  return median(rates);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value that a share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;
}

export interface Row {
  readonly what: string;
  readonly [column: string]: string | number;
}

export interface Table {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** Prints a table with the machine below it, and hands it to `run.ts` if that started this process. */
export function report(title: string, rows: readonly Row[]): void {
  console.log(`\n${title}\n\n${markdown(rows)}\n\n${machine()}`);
  process.send?.({ title, rows } satisfies Table);
}

export function markdown(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => columns.map((column) => shown(row[column])));
  return [columns, columns.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function shown(value: string | number | undefined): string {
  if (typeof value !== 'number') return value ?? '';
  return value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString('en');
}
