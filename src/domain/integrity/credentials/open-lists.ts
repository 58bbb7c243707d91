import { firstRecord } from '../../collections/records.ts';
import {
  listLength,
  type Purpose,
  type StatusList,
  type StatusLists,
  suspensionListId,
} from './status-entries.ts';

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

/** The revocation lists that take new entries, each with its suspension list. A list that is half full is followed by a new one. */
export class OpenLists {
  readonly #ports: OpenListPorts;
  readonly #held = new Map<string, { readonly list: StatusList; left: number }>();
  readonly #waiting = new Map<string, number>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ports: OpenListPorts) {
    this.#ports = ports;
  }

  /** The lists of new entries, one for each. */
  async take(count: number): Promise<StatusList[]> {
    const base = this.#ports.base();
    const taken: StatusList[] = [];
    for (;;) {
      const held = this.#held.get(base);
      for (; held && held.left > 0 && taken.length < count; held.left -= 1) taken.push(held.list);
      if (taken.length === count) return taken;
      await this.#wait(base, count - taken.length, () => this.#refill(base));
    }
  }

  /** Makes sure that a revocation list has its suspension list. */
  async addSuspensions(revocations: StatusList): Promise<void> {
    const { statusLists, now } = this.#ports;
    const { base } = revocations;
    const id = suspensionListId(revocations.id);
    while (!(await statusLists.get(id))) {
      const number = nextNumber(await this.#last('suspension', base));
      const createdAt = now().getTime();
      // As if it were full, because its indexes are allocated in the other list. Processes of earlier versions take another one.
      const reserved = listLength;
      await statusLists.insert([
        { id, purpose: 'suspension', base, number, reserved, createdAt, revocations: revocations.id },
      ]);
    }
  }

  async #wait(base: string, count: number, refill: () => Promise<void>): Promise<void> {
    const add = (change: number) => this.#waiting.set(base, (this.#waiting.get(base) ?? 0) + change);
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
  async #refill(base: string): Promise<void> {
    if ((this.#held.get(base)?.left ?? 0) > 0) return;
    const { statusLists } = this.#ports;
    for (;;) {
      const left = Math.max(reservedAtOnce, batchesAtOnce * (this.#waiting.get(base) ?? 0));
      const list = await this.#newest(base);
      const { id, reserved } = list;
      if (!(await statusLists.update(id, { reserved }, { reserved: reserved + left }))) continue;
      await this.addSuspensions(list);
      this.#held.set(base, { list, left });
      return;
    }
  }

  /** Two processes may add the same list. The unique number keeps one of them. */
  async #newest(base: string): Promise<StatusList> {
    const { statusLists, now, newId } = this.#ports;
    for (;;) {
      const last = await this.#last('revocation', base);
      if (last && last.reserved < halfFull) return last;
      const number = nextNumber(last);
      const createdAt = now().getTime();
      await statusLists.insert([
        { id: newId(), purpose: 'revocation', base, number, reserved: 0, createdAt },
      ]);
    }
  }

  #last(purpose: Purpose, base: string): Promise<StatusList | undefined> {
    return firstRecord(this.#ports.statusLists, 'newest', [purpose, base]);
  }
}

function nextNumber(last: StatusList | undefined): number {
  return last ? last.number + 1 : 0;
}
