import { LRUCache } from 'lru-cache';

export interface Verdict<Value> {
  readonly value: Value;
  /** When it stops counting, in milliseconds since 1970. */
  readonly until: number;
  /** About how many bytes it takes to keep it. */
  readonly size: number;
}

const mostKept = 20_000;
const mostBytes = 32 * 2 ** 20;
/** Of a key and what keeps it in order. */
const overhead = 200;

/** Definite answers, kept for a while as far as there is room; a question that is being asked is not asked twice. */
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
    // A clock that was put back makes nothing last longer.
    if (now >= verdict.since && now < verdict.until) return verdict.value;
    this.#kept.delete(key);
    return undefined;
  }

  /** @param ask what it throws is nothing definite: everybody who waits gets it, and it is not kept. */
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
