import { z } from 'zod';
import { mapConcurrent } from '../../../domain/map-concurrent.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { linesOf, type Position } from '../../client/lines.ts';
import type { StateFile } from '../../client/state-file.ts';
import type { SignStatement } from '../../client/statement-signing.ts';
import { exitCodes, Failure } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { printableLine, say, writeText } from '../../terminal/output.ts';
import { openProgress, type Progress } from '../../terminal/progress.ts';
import { type Batch, batchesOf, lineLimit, type Refusal } from './batches.ts';
import { type ReceiptFile, readReceipts } from './receipts.ts';
import { type Envelope, repeating, type Sent, sendBatch, signBatch } from './send-batch.ts';
import { statementLines } from './statement-lines.ts';
/** The progress of an ingestion between runs. */
export const checkpoint = z.object({
  /** Size and time of modification. Another version is read from its start. */
  version: z.string(),
  /** Every line before this offset is stored or refused. */
  offset: z.int(),
  lines: z.int(),
  tally: z.object({ stored: z.int(), known: z.int(), refused: z.int() }),
});

export type Tally = z.output<typeof checkpoint>['tally'];

/** A file can be read again, so its ingestion can be resumed. */
export interface ResumableFile {
  readonly size: number;
  readonly version: string;
  readonly state: StateFile<typeof checkpoint>;
}

export interface IngestionOptions {
  readonly io: Pick<Io, 'stdout' | 'stderr'>;
  readonly client: ApiClient;
  readonly envelope: Envelope;
  /** Undefined if nobody signs. */
  readonly sign: SignStatement | undefined;
  readonly batch: number;
  readonly concurrency: number;
  readonly asJson: boolean;
  /** Whether the id of each statement is printed. */
  readonly showsIds: boolean;
  /** Undefined if the input can be read only once. */
  readonly file: ResumableFile | undefined;
  readonly mayResume: boolean;
  /** Undefined if nobody wants receipts. */
  readonly receipts: ReceiptFile | undefined;
}

/** Each waits for the next checkpoint, which comes once a second at most. */
const receiptsAtOnce = 16;

/** The option that does what a refusal advises, by its code. */
const advice: Readonly<Record<string, string>> = { missing_id: ' Here that is --generate-id.' };

/** One run over a file of statements, from the start or from where an earlier run was interrupted. */
export class Ingestion {
  readonly #options: IngestionOptions;
  /** Includes earlier runs of the same ingestion. */
  readonly #tally: Tally = { stored: 0, known: 0, refused: 0 };
  readonly #startedAt = performance.now();
  #inThisRun = 0;

  constructor(options: IngestionOptions) {
    this.#options = options;
  }

  /**
   * @param open opens the input at an offset.
   * @param stop ends the run after the running requests.
   * @throws Failure if the run is stopped, or if the service cannot be reached or refuses everything. The progress is
   *   kept.
   */
  async run(open: (offset: number) => AsyncIterable<Uint8Array>, stop: AbortSignal): Promise<Tally> {
    const { io, client, envelope, sign, batch, concurrency, file, receipts } = this.#options;
    const from = this.#begin();
    let isComplete = false;
    const lines = () => {
      const all = linesOf(open(from.offset), from, lineLimit);
      return from.offset === 0 ? statementLines(all) : all;
    };
    async function* batches() {
      try {
        for await (const next of batchesOf(lines(), batch, from)) {
          if (stop.aborted) return;
          yield next;
        }
      } catch (error) {
        // Reading fails when the signal aborts it.
        if (!stop.aborted) throw error;
      }
      isComplete = !stop.aborted;
    }
    try {
      using progress = openProgress(io, { total: file?.size, start: from.offset });
      const repeat = repeating(progress.log);
      const send = async (batch: Batch) => {
        const sending = sign ? await signBatch(sign, batch) : batch;
        return { sending, sent: await repeat(() => sendBatch(client, sending.statements, envelope)) };
      };
      const logged = async ({ sending, sent }: Awaited<ReturnType<typeof send>>) => {
        const lines = receipts ? await repeat(() => readReceipts(client, sent.forms, envelope.graphId)) : [];
        return { sending, sent, lines };
      };
      const stored = mapConcurrent(batches(), concurrency, send);
      for await (const { sending, sent, lines } of mapConcurrent(stored, receiptsAtOnce, logged)) {
        await receipts?.write(lines);
        await this.#acknowledge(sending, sent, progress);
      }
    } catch (error) {
      if (this.#inThisRun > 0) say(io, this.#advice());
      throw error;
    } finally {
      await this.#summarize();
    }
    if (!isComplete) throw new Failure(exitCodes.interrupted, `Interrupted. ${this.#advice()}`);
    file?.state.remove();
    return this.#tally;
  }

  #begin(): Position {
    const { io, file, mayResume } = this.#options;
    const found = mayResume ? file?.state.read() : undefined;
    if (!found) return { offset: 0, lines: 0 };
    if (found.version !== file?.version) {
      say(io, 'The file has changed since the interrupted run. Starting at the first line.');
      return { offset: 0, lines: 0 };
    }
    say(io, `Resuming after line ${found.lines}. (--restart starts at the first line.)`);
    Object.assign(this.#tally, found.tally);
    return found;
  }

  async #acknowledge(
    { refused: unsendable, end }: Batch,
    { stored, known, refused, ids }: Sent,
    progress: Progress,
  ): Promise<void> {
    const all = [...unsendable, ...refused].toSorted((one, other) => one.line - other.line);
    for (const refusal of all) await this.#report(refusal, progress);
    const { io, file, asJson, showsIds } = this.#options;
    const lines = ids.map((stored) =>
      asJson ? JSON.stringify({ stored }) : `${printableLine(stored.statement_id)}  line ${stored.line}`,
    );
    if (showsIds && lines.length > 0) await writeText(io, `${lines.join('\n')}\n`);
    const tally = this.#tally;
    tally.stored += stored;
    tally.known += known;
    tally.refused += all.length;
    this.#inThisRun += stored + known + all.length;
    file?.state.write({ version: file.version, ...end, tally });
    const sum = tally.stored + tally.known + tally.refused;
    progress.update(end.offset, `${sum} statements, ${this.#perSecond()}/s`);
  }

  async #report(refusal: Refusal, progress: Progress): Promise<void> {
    const { line, code, pointer, reason } = refusal;
    const { io, asJson } = this.#options;
    if (asJson) await writeText(io, `${JSON.stringify({ refused: refusal })}\n`);
    else
      progress.log(`line ${line}: ${code}${pointer ? ` at ${pointer}` : ''}: ${reason}${advice[code] ?? ''}`);
  }

  async #summarize(): Promise<void> {
    const { io, asJson } = this.#options;
    const seconds = (performance.now() - this.#startedAt) / 1_000;
    const { stored, known, refused } = this.#tally;
    const rate = this.#perSecond();
    const summary = { ...this.#tally, seconds: Number(seconds.toFixed(3)), per_second: rate };
    const counts = `${stored} stored, ${known} known, ${refused} refused`;
    const text = `${counts}; ${seconds.toFixed(1)} s, ${rate}/s`;
    await writeText(io, `${asJson ? JSON.stringify({ summary }) : text}\n`);
  }

  #perSecond(): number {
    return Math.round(this.#inThisRun / ((performance.now() - this.#startedAt) / 1_000));
  }

  #advice(): string {
    return this.#options.file
      ? 'Run the same command again to resume.'
      : 'Acknowledged statements are stored. Send the input again; they are known then.';
  }
}
