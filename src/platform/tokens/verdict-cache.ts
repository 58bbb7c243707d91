import { LRUCache } from 'lru-cache';

export interface Verdict<Value> {
  readonly value: Value;
  /** When it expires, in milliseconds since 1970. */
  readonly until: number;
  readonly size: number;
}

const mostKept = 20_000;
const mostBytes = 32 * 2 ** 20;
const overhead = 200;

/** Remembers definite answers for a while. Concurrent questions with the same key are asked once. */
export class VerdictCache<Value> {
  readonly #now: () => Date;
  readonly #kept: LRUCache<string, Verdict<Value> & { readonly since: number }>;
  readonly #asked = new Map<string, Promise<Value>>();

  constructor(now: () => Date) {
    this.#now = now;
    this.#kept = new LRUCache({
      max: mostKept,
      maxSize: mostBytes,
      sizeCalculation: ({ size }) => size + overhead,
    });
  }

  known(key: string): Value | undefined {
    const verdict = this.#kept.get(key);
    if (verdict === undefined) return undefined;
    const now = this.#now().getTime();
    // A clock that was set back must not extend an answer.
    if (now >= verdict.since && now < verdict.until) return verdict.value;
    this.#kept.delete(key);
    return undefined;
  }

  /** @param ask its errors go to every waiting caller and are not remembered. */
  async get(key: string, ask: () => Promise<Verdict<Value>>): Promise<Value> {
    return this.known(key) ?? (await (this.#asked.get(key) ?? this.#ask(key, ask)));
  }

  #ask(key: string, ask: () => Promise<Verdict<Value>>): Promise<Value> {
    const asked = ask()
      .then((verdict) => {
        this.#kept.set(key, { ...verdict, since: this.#now().getTime() });
        return verdict.value;
      })
      .finally(() => this.#asked.delete(key));
    this.#asked.set(key, asked);
    return asked;
  }
}
