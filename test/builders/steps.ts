import { setImmediate } from 'node:timers/promises';

type Step = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The same ports. Each call is a step. */
export function stepped<Ports extends object>(ports: Ports, step: Step): Ports {
  const wrapped = Object.entries(ports).map(([name, port]) => [
    name,
    Object.fromEntries(
      Object.entries(port as Record<string, (...args: unknown[]) => Promise<unknown>>).map(
        ([method, call]) => [method, (...args: unknown[]) => step(() => call(...args))],
      ),
    ),
  ]);
  return Object.fromEntries(wrapped) as Ports;
}

class Killed extends Error {}

/** Runs processes step by step, in an order that follows from a seed. Some pause for long, and some are killed before or after a step. */
export class Steps {
  readonly #waiting: { readonly process: number; go(isKilled: boolean): void }[] = [];
  #seed: number;
  #favourite = 1;
  #isOver = false;

  constructor(seed: number) {
    this.#seed = seed + 1;
  }

  #random(count: number): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed % count;
  }

  /** Repeats the work of a process until `end`, also after it was killed. */
  async work(process: number, run: (step: Step) => Promise<unknown>): Promise<void> {
    while (!this.#isOver) {
      let isDead = false;
      const step: Step = async (work) => {
        const isKilled =
          !this.#isOver && (await new Promise<boolean>((go) => this.#waiting.push({ process, go })));
        if (isDead || (isKilled && this.#random(2) === 0)) throw new Killed();
        const result = await work();
        isDead ||= isKilled;
        if (isDead) throw new Killed();
        return result;
      };
      await run(step).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
        isDead = true;
      });
    }
  }

  /** Some steps of some processes. */
  async some(): Promise<void> {
    for (let left = this.#random(150); left > 0; left -= 1) await this.#one();
  }

  async #one(): Promise<void> {
    for (let turns = 0; turns < 20 && this.#waiting.length < 3; turns += 1) await setImmediate();
    // The others pause.
    if (this.#random(8) === 0) this.#favourite = 1 + this.#random(3);
    const own = this.#waiting.findIndex(({ process }) => process === this.#favourite);
    const [next] = this.#waiting.splice(Math.max(own, 0), 1);
    next?.go(this.#random(25) === 0);
  }

  /** Lets everything go on by itself. */
  end(): void {
    this.#isOver = true;
    for (const { go } of this.#waiting) go(false);
  }
}
