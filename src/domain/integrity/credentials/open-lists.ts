import { firstRecord } from '../../collections/records.ts';
import { listLength, type Purpose, type StatusList, type StatusLists } from './status-entries.ts';

/** How many allocations a process reserves at least. A process that ends leaves the rest unused. */
const reservedAtOnce = 64;
/** Batches follow each other, so a reservation is for this many like the present one. */
const batchesAtOnce = 4;
const halfFull = listLength / 2;

export interface OpenListPorts {
  readonly statusLists: StatusLists;
  /** The public URL of the service. */
  readonly base: () => string;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** The lists that take new entries. A list that is half full is followed by a new one. */
export class OpenLists {
  readonly #ports: OpenListPorts;
  readonly #held = new Map<string, { readonly list: StatusList; left: number }>();
  readonly #waiting = new Map<string, number>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ports: OpenListPorts) {
    this.#ports = ports;
  }

  /** The lists of new entries, one for each. */
  async take(purpose: Purpose, count: number): Promise<StatusList[]> {
    const base = this.#ports.base();
    const key = JSON.stringify([purpose, base]);
    const taken: StatusList[] = [];
    for (;;) {
      const held = this.#held.get(key);
      for (; held && held.left > 0 && taken.length < count; held.left -= 1) taken.push(held.list);
      if (taken.length === count) return taken;
      await this.#wait(key, count - taken.length, () => this.#refill(key, purpose, base));
    }
  }

  async #wait(key: string, count: number, refill: () => Promise<void>): Promise<void> {
    const add = (change: number) => this.#waiting.set(key, (this.#waiting.get(key) ?? 0) + change);
    const turn = this.#turn.then(refill);
    this.#turn = turn.catch(() => undefined);
    add(count);
    try {
      await turn;
    } finally {
      add(-count);
    }
  }

  /** Reserves enough for everyone who waits. */
  async #refill(key: string, purpose: Purpose, base: string): Promise<void> {
    if ((this.#held.get(key)?.left ?? 0) > 0) return;
    const { statusLists } = this.#ports;
    for (;;) {
      const left = Math.max(reservedAtOnce, batchesAtOnce * (this.#waiting.get(key) ?? 0));
      const list = await this.#newest(purpose, base);
      const { id, reserved } = list;
      if (!(await statusLists.update(id, { reserved }, { reserved: reserved + left }))) continue;
      this.#held.set(key, { list, left });
      return;
    }
  }

  /** Two processes may add the same list. The unique number keeps one of them. */
  async #newest(purpose: Purpose, base: string): Promise<StatusList> {
    const { statusLists, now, newId } = this.#ports;
    for (;;) {
      const last = await firstRecord(statusLists, 'newest', [purpose, base]);
      if (last && last.reserved < halfFull) return last;
      const number = last ? last.number + 1 : 0;
      const createdAt = now().getTime();
      await statusLists.insert([{ id: newId(), purpose, base, number, reserved: 0, createdAt }]);
    }
  }
}
