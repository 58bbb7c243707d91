import { LRUCache } from 'lru-cache';

interface Kept<Answer> {
  readonly answer: Answer;
  /** When the question was sent. The answer may be that old. */
  readonly askedAt: number;
  /** The age at which it is asked for again. */
  readonly refreshAge: number;
}

interface Asked<Answer> {
  readonly askedAt: number;
  readonly answer: Promise<Answer>;
}

export interface RecentAnswersOptions<Answer> {
  readonly ask: (question: string) => Promise<Answer>;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
  /** From 0 to 1. Default: by chance. */
  readonly random?: () => number;
  /** Whether an answer was there already. */
  readonly onLookup?: (isHit: boolean) => void;
}

/** No answer is given that was asked for longer ago. So what changed a second ago is always seen. */
export const livesMs = 1_000;
/**
 * From which age on an answer that is still in use is asked for again in the background, so that its users never wait. Chance
 * adds to it: otherwise answers that came together would be asked for together ever after.
 */
export const refreshedMs = 400;
const spreadMs = 300;
const mostKept = 10_000;

/** Answers of the last second. The same question is asked once, however many wait for its answer. */
export class RecentAnswers<Answer> {
  readonly #options: RecentAnswersOptions<Answer>;
  readonly #kept = new LRUCache<string, Kept<Answer>>({ max: mostKept });
  readonly #asked = new Map<string, Asked<Answer>>();

  constructor(options: RecentAnswersOptions<Answer>) {
    this.#options = options;
  }

  /** @throws what `ask` throws. Errors are not kept. */
  async get(question: string): Promise<Answer> {
    const kept = this.#kept.get(question);
    const age = kept ? this.#age(kept) : Number.POSITIVE_INFINITY;
    const isHit = kept !== undefined && age < livesMs;
    this.#options.onLookup?.(isHit);
    if (!isHit) return await this.#ask(question);
    // Whoever needs the next answer hears of a failure.
    if (age >= kept.refreshAge) this.#ask(question).catch(() => undefined);
    return kept.answer;
  }

  #age({ askedAt }: { readonly askedAt: number }): number {
    return this.#options.clock() - askedAt;
  }

  /** Joins a question that is not answered yet, unless its answer could be too old. */
  #ask(question: string): Promise<Answer> {
    const running = this.#asked.get(question);
    if (running && this.#age(running) < livesMs) return running.answer;
    const askedAt = this.#options.clock();
    const answer = this.#options.ask(question).then((given) => {
      const kept = this.#kept.get(question);
      const refreshAge = refreshedMs + spreadMs * (this.#options.random ?? Math.random)();
      // A slow answer does not replace one to a later question.
      if (!kept || kept.askedAt < askedAt) this.#kept.set(question, { answer: given, askedAt, refreshAge });
      return given;
    });
    const asked = { askedAt, answer };
    this.#asked.set(question, asked);
    const forget = () => {
      if (this.#asked.get(question) === asked) this.#asked.delete(question);
    };
    answer.then(forget, forget);
    return answer;
  }
}
