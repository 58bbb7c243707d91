import type { StatementSync } from 'node:sqlite';
import type { RunTimeLimits } from '../../../domain/integrity/dynamic-config.ts';
import type { RunTimeLimitStore } from '../../../domain/integrity/ports.ts';
import type { Database } from '../database.ts';

export const limitsSetting = 'run_time_limits';

export class EmbeddedRunTimeLimits implements RunTimeLimitStore {
  readonly #writes: Database['writes'];
  readonly #setting: StatementSync;

  constructor({ reader, writes }: Database) {
    this.#writes = writes;
    this.#setting = reader.prepare('SELECT value FROM settings WHERE name = ?');
  }

  async read(): Promise<RunTimeLimits | undefined> {
    const row = this.#setting.get(limitsSetting);
    return row && (JSON.parse(String(row.value)) as RunTimeLimits);
  }

  async write(limits: RunTimeLimits): Promise<void> {
    await this.#writes.run('putSetting', { name: limitsSetting, value: JSON.stringify(limits) });
  }
}
