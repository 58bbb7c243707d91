import type { Collection } from 'mongodb';
import type { RunTimeLimits } from '../../../domain/integrity/dynamic-config.ts';
import type { RunTimeLimitStore } from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';
import { isDuplicate, translated } from '../errors.ts';

export const limitsId = 'run_time_limits';
const _id = limitsId;

interface LimitsDocument {
  readonly _id: typeof _id;
  readonly limits: RunTimeLimits;
}

export class MongoRunTimeLimits implements RunTimeLimitStore {
  readonly #settings: Collection<LimitsDocument>;

  constructor(database: Database) {
    this.#settings = database.collection<LimitsDocument>('settings');
  }

  async read(): Promise<RunTimeLimits | undefined> {
    return (await translated(() => this.#settings.findOne({ _id })))?.limits;
  }

  async write(limits: RunTimeLimits): Promise<void> {
    await translated(async () => {
      try {
        await this.#put(limits);
      } catch (error) {
        // Two first writes at once: the second one finds the document now.
        if (!isDuplicate(error)) throw error;
        await this.#put(limits);
      }
    });
  }

  async #put(limits: RunTimeLimits): Promise<void> {
    await this.#settings.updateOne({ _id }, { $set: { limits } }, { upsert: true });
  }
}
