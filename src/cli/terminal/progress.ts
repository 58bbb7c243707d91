import type { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import type { Io } from './io.ts';
import { printable } from './output.ts';

/** Progress on stderr: a bar on a terminal, otherwise a line every few seconds. */
export interface Progress extends Disposable {
  update(done: number, note: string): void;
  /** Prints a line above the bar. */
  log(line: string): void;
}

const lineIntervalMs = 3_000;

export function openProgress(
  { stderr }: Pick<Io, 'stderr'>,
  { total, start = 0 }: { readonly total: number | undefined; readonly start?: number },
): Progress {
  return stderr.isTTY && total ? bar(stderr, total, start) : plainLines(stderr, total, start);
}

/** Tells every few seconds how many bytes have been read. */
export function bytesRead(io: Pick<Io, 'stderr'>): (bytes: number) => void {
  const progress = openProgress(io, { total: undefined });
  return (bytes) => progress.update(bytes, `${(bytes / 2 ** 20).toFixed(0)} MiB read`);
}

function bar(stderr: Writable, total: number, start: number): Progress {
  const single = new SingleBar({
    stream: stderr,
    format: '{bar} {percentage} % | {note} | {eta_formatted} left',
    gracefulExit: false,
    linewrap: true,
    etaBuffer: 50,
  });
  single.start(total, start, { note: '' });
  return {
    update: (done, note) => single.update(done, { note }),
    log: (line) => void stderr.write(`\r\u001b[K${printable(line)}\n`),
    [Symbol.dispose]: () => single.stop(),
  };
}

function plainLines(stderr: Writable, total: number | undefined, start: number): Progress {
  const startedAt = performance.now();
  let printedAt = startedAt;
  return {
    update(done, note) {
      const now = performance.now();
      if (now - printedAt < lineIntervalMs) return;
      printedAt = now;
      stderr.write(`${share(total, done)}${note}${timeLeft(total, done, start, now - startedAt)}\n`);
    },
    log: (line) => void stderr.write(`${printable(line)}\n`),
    [Symbol.dispose]: () => undefined,
  };
}

function share(total: number | undefined, done: number): string {
  return total ? `${Math.floor((done / total) * 100)} %, ` : '';
}

function timeLeft(total: number | undefined, done: number, start: number, elapsedMs: number): string {
  // The first hundredth says little about the rest.
  if (!total || done - start <= total / 100) return '';
  const seconds = Math.ceil(((elapsedMs / (done - start)) * (total - done)) / 1_000);
  return `, about ${seconds} s left`;
}

/** One progress bar after another, for the parts of a task. */
export class PartProgress implements Disposable {
  readonly #io: Pick<Io, 'stderr'>;
  #part: string | undefined;
  #progress: Progress | undefined;

  constructor(io: Pick<Io, 'stderr'>) {
    this.#io = io;
  }

  update(part: string, done: number, total: number | undefined): void {
    if (part !== this.#part) {
      this.end();
      this.#part = part;
      this.#progress = openProgress(this.#io, { total });
    }
    this.#progress?.update(done, done > 0 ? `${part}: ${done.toLocaleString('en')}` : part);
  }

  end(): void {
    this.#progress?.[Symbol.dispose]();
    this.#progress = undefined;
    this.#part = undefined;
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
