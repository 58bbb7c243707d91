import { availableParallelism, cpus, totalmem } from 'node:os';

/** What the figures were measured on. */
export function machine(): string {
  const gib = Math.round(totalmem() / 2 ** 30);
  return `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${gib} GiB, Node ${process.version}`;
}

/** Runs the work several times after a warm-up and answers the median of how many units it does in a second. */
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

/** Prints a table with the machine below it. `run.ts` writes both to docs/benchmarks.md. */
export function report(title: string, rows: readonly Row[]): void {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const text = (value: string | number | undefined) => {
    if (typeof value !== 'number') return value ?? '';
    return value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString('en');
  };
  console.log(`\n${title}\n`);
  console.log(`| ${columns.join(' | ')} |\n|${columns.map(() => ' --- |').join('')}`);
  for (const row of rows) console.log(`| ${columns.map((column) => text(row[column])).join(' | ')} |`);
  console.log(`\n${machine()}`);
}
