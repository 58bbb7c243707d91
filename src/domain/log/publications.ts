import { cosignersIn } from './cosigners.ts';
import type { Cosigner } from './notes/tlog-proof.ts';
import { checkpointKey, type LogHead, type LogRecords, type PublishedCheckpoint } from './records.ts';

/** When something was first in a published checkpoint, and who says so. */
export interface Publication {
  /** In milliseconds since 1970. */
  readonly since: number;
  /** The witness whose clock says so; null if only the service's own does. */
  readonly clock: string | null;
  /** Who has confirmed it, the earliest first. If nobody had at that time, who has confirmed a later checkpoint. */
  readonly witnesses: readonly Cosigner[];
}

/** Witnesses that were missing at first are looked for in so many checkpoints, and in the newest one. */
const checkpointsLooked = 8;

/** Finds the first checkpoints that cover entries. What several of them need is read once. */
export class Publications {
  readonly #records: Pick<LogRecords, 'heads' | 'checkpoints'>;
  readonly #newest: PublishedCheckpoint;
  readonly #heads = new Map<string, Promise<LogHead | undefined>>();
  readonly #found = new Map<number, Promise<Publication>>();

  /** @param newest the checkpoint that counts as the newest. */
  constructor(records: Pick<LogRecords, 'heads' | 'checkpoints'>, newest: PublishedCheckpoint) {
    this.#records = records;
    this.#newest = newest;
  }

  /** Undefined if no published checkpoint covers the entry of the log. */
  async of(log: string, index: number): Promise<Publication | undefined> {
    const head = await this.#firstHead(log, index);
    if (!head) return undefined;
    const { serviceIndex } = head;
    return await this.#found.getOrInsertComputed(serviceIndex, () => this.#covering(serviceIndex));
  }

  /** The first published head of the log that has the entry. Later heads are larger. */
  async #firstHead(log: string, index: number): Promise<LogHead | undefined> {
    let found: LogHead | undefined;
    let [from, until] = [0, this.#newest.size];
    // Most logs have one head or few, so the first one is looked at first.
    for (let at = 0; from < until; at = Math.floor((from + until) / 2)) {
      const head = await this.#headFrom(log, at);
      if (head && head.serviceIndex < until && head.size <= index) from = head.serviceIndex + 1;
      else {
        if (head && head.serviceIndex < until) found = head;
        until = at;
      }
    }
    return found;
  }

  #headFrom(log: string, serviceIndex: number): Promise<LogHead | undefined> {
    return this.#heads.getOrInsertComputed(`${log}/${serviceIndex}`, async () => {
      const request = { after: null, limit: 1, range: { from: serviceIndex } };
      return (await this.#records.heads.page('log', [log], request)).records[0];
    });
  }

  async #covering(serviceIndex: number): Promise<Publication> {
    const range = { from: checkpointKey(serviceIndex + 1) };
    const request = { after: null, limit: checkpointsLooked, range };
    const { records } = await this.#records.checkpoints.page('key', [], request);
    const covering = records.length > 0 ? records : [this.#newest];
    for (const [at, { note }] of [...covering, this.#newest].entries()) {
      const witnesses = cosignersIn(note);
      const [first] = witnesses;
      if (first && at === 0) return { since: first.at * 1_000, clock: first.name, witnesses };
      if (first) return { since: sinceOf(covering), clock: null, witnesses };
    }
    return { since: sinceOf(covering), clock: null, witnesses: [] };
  }
}

function sinceOf([first]: readonly PublishedCheckpoint[]): number {
  return first?.at ?? 0;
}
