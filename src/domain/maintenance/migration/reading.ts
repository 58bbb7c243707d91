import type { StoreProblem } from '../fsck/ports.ts';
import { lost, messageOfDamage } from '../fsck/problems.ts';

/** That a part of the source cannot be read any further is told, once what could be read has been brought. */
export class SourceReading {
  readonly problems: StoreProblem[] = [];
  readonly #part: string;

  constructor(part: string) {
    this.#part = part;
  }

  async *of<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item, void> {
    try {
      yield* items;
    } catch (error) {
      const problem = `${messageOfDamage(error)}, and nothing behind that was read`;
      this.problems.push(lost('database', this.#part, problem, 'Restore the source from a backup.'));
    }
  }
}
