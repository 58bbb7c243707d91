import '../src/domain/older-runtimes.ts';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import type { Answer, Task, ThreadSettings } from './protocol.ts';
import { answerTo } from './statement-work.ts';
import { TaskCells } from './task-cells.ts';
import { lowerPriority } from './thread-priority.ts';

lowerPriority();

const settings = workerData as ThreadSettings;

export default async function run(task: Task): Promise<Answer> {
  const cells = new TaskCells(task.cells);
  cells.begin();
  try {
    const answer = await answerTo(task, settings, () => cells.beginDocument());
    if ('results' in answer) return moved(answer, answer.results.rows.bytes.buffer);
    return 'text' in answer ? moved(answer, answer.text.buffer) : answer;
  } finally {
    cells.end();
  }
}

/** The answer, with a buffer that is not copied on its way. */
function moved(answer: Answer, buffer: ArrayBufferLike): Answer {
  return move({ [transferableSymbol]: [buffer], [valueSymbol]: answer } as never) as unknown as Answer;
}
