import type { Io } from './io.ts';
import { openProgress, type Progress } from './progress.ts';

/** A bar for each part of the work, one after the other. */
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
