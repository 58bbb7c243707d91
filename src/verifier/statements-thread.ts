import { answerTo } from '../../workers/statement-work.ts';
import { prepareBlake3 } from './platform/blake3.ts';
import type { ThreadAnswer, ThreadTask } from './threads.ts';

/** Identifies statements in this worker. */
export function serveStatements(): void {
  self.onmessage = async ({ data: { number, task, settings } }: MessageEvent<ThreadTask>) => {
    await prepareBlake3();
    const answer = await answerTo(task, settings, () => {});
    const moved = 'results' in answer ? [answer.results.rows.bytes.buffer as ArrayBuffer] : [];
    self.postMessage({ number, answer } satisfies ThreadAnswer, { transfer: moved });
  };
}
