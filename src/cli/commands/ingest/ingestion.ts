import { mapConcurrent } from '../../../domain/map-concurrent.ts';
import type { ApiClient } from '../../client/api-client.ts';
import type { Io } from '../../terminal/io.ts';
import { openProgress, type Progress } from '../../terminal/progress.ts';
import { type Batch, batchesOf, lineLimit, type Refusal } from './batches.ts';
import type { CheckpointFile, Tally } from './checkpoint.ts';
import { linesOf, type Position } from './lines.ts';
import { type Envelope, type Sent, sendBatch } from './send-batch.ts';

export interface IngestionOptions {
  readonly io: Pick<Io, 'stdout' | 'stderr'>;
  readonly client: ApiClient;
  readonly envelope: Envelope;
  /** Statements of a request. */
  readonly batch: number;
  /** Requests at a time. */
  readonly concurrency: number;
  readonly asJson: boolean;
  /** Absent for input that can be read only once. */
  readonly checkpoint: CheckpointFile | undefined;
  readonly mayResume: boolean;
  /** Bytes of the input, where they are known. */
  readonly total: number | undefined;
}

export interface Outcome {
  /** Over all runs of the same ingestion. */
  readonly tally: Tally;
  readonly isComplete: boolean;
}

/** One run over a file of statements, from its beginning or from where the run before was interrupted. */
export class Ingestion {
  readonly #options: IngestionOptions;
  readonly #tally: Tally = { stored: 0, known: 0, refused: 0 };
  #inThisRun = 0;

  constructor(options: IngestionOptions) {
    this.#options = options;
  }

  /** Whether any line of the input is stored, known or refused by now. */
  get hasBegun(): boolean {
    return Object.values(this.#tally).some((count) => count > 0);
  }

  /**
   * @param open the input from an offset on.
   * @param stop ends the run after the requests that are under way.
   * @throws Failure when the service cannot be reached or refuses the whole; what is acknowledged is remembered.
   */
  async run(open: (offset: number) => AsyncIterable<Uint8Array>, stop: AbortSignal): Promise<Outcome> {
    const { client, envelope, batch, concurrency, checkpoint, total } = this.#options;
    const from = this.#begin();
    const startedAt = performance.now();
    let isComplete = false;
    async function* batches() {
      try {
        for await (const next of batchesOf(linesOf(open(from.offset), from, lineLimit), batch, from)) {
          if (stop.aborted) return;
          yield next;
        }
      } catch (error) {
        // Reading fails when it is told to stop.
        if (!stop.aborted) throw error;
      }
      isComplete = !stop.aborted;
    }
    try {
      using progress = openProgress(this.#options.io, { total, start: from.offset });
      const send = async (done: Batch) => ({
        done,
        sent: await sendBatch(client, done.statements, envelope),
      });
      for await (const { done, sent } of mapConcurrent(batches(), concurrency, send))
        this.#acknowledge(done, sent, progress, startedAt);
      if (isComplete) checkpoint?.remove();
    } finally {
      this.#summarize((performance.now() - startedAt) / 1_000);
    }
    return { tally: this.#tally, isComplete };
  }

  #begin(): Position {
    const { checkpoint, mayResume } = this.#options;
    const found = mayResume ? checkpoint?.read() : undefined;
    if (found === 'changed')
      this.#options.io.stderr.write(
        'The file has changed since it was interrupted: beginning at its first line.\n',
      );
    if (!found || found === 'changed') return { offset: 0, lines: 0 };
    this.#options.io.stderr.write(
      `Going on after line ${found.lines}. (--restart begins at the first line.)\n`,
    );
    Object.assign(this.#tally, found.tally);
    return { offset: found.offset, lines: found.lines };
  }

  #acknowledge(
    { refused: unsendable, end }: Batch,
    { stored, known, refused }: Sent,
    progress: Progress,
    startedAt: number,
  ): void {
    const all = [...unsendable, ...refused].toSorted((one, other) => one.line - other.line);
    for (const refusal of all) this.#report(refusal, progress);
    this.#tally.stored += stored;
    this.#tally.known += known;
    this.#tally.refused += all.length;
    this.#inThisRun += stored + known + all.length;
    this.#options.checkpoint?.write({ ...end, tally: this.#tally });
    const rate = Math.round(this.#inThisRun / ((performance.now() - startedAt) / 1_000));
    const { stored: s, known: k, refused: r } = this.#tally;
    progress.update(end.offset, `${s + k + r} statements, ${rate}/s`);
  }

  #report(refusal: Refusal, progress: Progress): void {
    if (this.#options.asJson) {
      this.#options.io.stdout.write(`${JSON.stringify({ refused: refusal })}\n`);
      return;
    }
    const { line, code, pointer, reason } = refusal;
    progress.log(`line ${line}: ${code}${pointer ? ` at ${pointer}` : ''}: ${reason}`);
  }

  #summarize(seconds: number): void {
    const perSecond = Math.round(this.#inThisRun / seconds);
    if (this.#options.asJson) {
      const summary = { ...this.#tally, seconds: Number(seconds.toFixed(3)), per_second: perSecond };
      this.#options.io.stdout.write(`${JSON.stringify({ summary })}\n`);
      return;
    }
    const { stored, known, refused } = this.#tally;
    this.#options.io.stdout.write(
      `${stored} stored, ${known} known, ${refused} refused; ${seconds.toFixed(1)} s, ${perSecond}/s\n`,
    );
  }
}
