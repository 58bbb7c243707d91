import type { Answer, ThreadSettings, Work } from '../../workers/protocol.ts';
import type { UnwatchedTask } from '../../workers/statement-work.ts';
import type { ContextRegistry } from '../domain/integrity/contexts/contexts.ts';
import type { ContextDocument } from '../domain/integrity/contexts/world.ts';

// Workers of a browser in place of `workers/threads.ts`. There is one caller, who can end all of them.

export const statementsThread = 'statements';

interface ThreadsOptions extends ThreadSettings {
  readonly registry: Pick<ContextRegistry, 'resolve'>;
  readonly threads: number;
}

/** What a thread is sent. */
export interface ThreadTask {
  readonly number: number;
  readonly task: UnwatchedTask;
  readonly settings: ThreadSettings;
}

/** What a thread answers. */
export interface ThreadAnswer {
  readonly number: number;
  readonly answer: Answer;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, PromiseWithResolvers<Answer>>;
  hasFailed: boolean;
}

/** Those of earlier verifications. A thread takes a third of a second to start. */
const idle: Thread[] = [];

/** Of a thread that waits for its own work, before another one is started. */
const enoughTasks = 2;

let script = '';

/** @param text the script of the page, which is that of all its workers. */
export function startThreadsWith(text: string): void {
  script = text;
}

export class Threads {
  readonly #options: ThreadsOptions;
  readonly #threads: Thread[] = [];
  #tasks = 0;

  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  load() {
    return {};
  }

  /** Nobody else waits, so time is not limited. The reader of the page can stop. */
  budget() {
    return { limitMs: Number.POSITIVE_INFINITY, spentMs: 0, isSpent: false };
  }

  /** Runs a task, and repeats it with the contexts that the thread lacks as long as new ones are found. */
  async run(work: Work): Promise<Answer> {
    let answer = await this.#runOnce({ ...work, documents: [], isLastTry: false });
    const found = new Map<string, ContextDocument>();
    while ('needs' in answer) {
      const before = found.size;
      for (const one of await this.#options.registry.resolve(answer.needs)) found.set(one.url, one);
      const isLastTry = found.size === before;
      answer = await this.#runOnce({ ...work, documents: [...found.values()], isLastTry });
    }
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const thread of this.#threads) {
      if (thread.waiting.size === 0 && !thread.hasFailed) idle.push(thread);
      else thread.worker.terminate();
    }
  }

  async #runOnce(task: UnwatchedTask): Promise<Answer> {
    const { maxDepth, documentMs } = this.#options;
    const thread = this.#leastBusy();
    const answered = Promise.withResolvers<Answer>();
    const number = this.#tasks++;
    thread.waiting.set(number, answered);
    thread.worker.postMessage({
      number,
      task: cutOut(task),
      settings: { maxDepth, documentMs },
    } satisfies ThreadTask);
    return await answered.promise;
  }

  #leastBusy(): Thread {
    const [least] = this.#threads.toSorted((one, other) => one.waiting.size - other.waiting.size);
    const isFull = this.#threads.length === this.#options.threads;
    if (least && (isFull || least.waiting.size < enoughTasks)) return least;
    const thread = idle.pop() ?? startThread();
    this.#threads.push(thread);
    return thread;
  }
}

function startThread(): Thread {
  const worker = new Worker(URL.createObjectURL(new Blob([script])), { name: statementsThread });
  const thread: Thread = { worker, waiting: new Map(), hasFailed: false };
  const { waiting } = thread;
  worker.onmessage = ({ data: { number, answer } }: MessageEvent<ThreadAnswer>) => {
    waiting.get(number)?.resolve(answer);
    waiting.delete(number);
  };
  worker.onerror = ({ message }) => {
    thread.hasFailed = true;
    for (const { reject } of waiting.values())
      reject(new Error(message || 'A worker of the page has failed.'));
    waiting.clear();
  };
  return thread;
}

/** The task with the part of its body that it needs, because bodies are copied. */
function cutOut(task: UnwatchedTask): UnwatchedTask {
  if (!('ranges' in task)) return task;
  const start = task.ranges[0] ?? 0;
  const body = task.body.slice(start, task.ranges.at(-1));
  return { ...task, body, ranges: task.ranges.map((at) => at - start) };
}
