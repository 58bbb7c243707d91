import { setTimeout } from 'node:timers/promises';
import { type AuditLog, type AuditRecord, putAuditRecords } from '../../domain/audit-log/audit-log.ts';
import type { Log } from '../log.ts';

/** Records wait so long for others: a store that syncs each of its commits has few of them more to do. */
const gatheringMs = 500;
const pauseMs = 2_000;
const most = 10_000;
const storedAtOnce = 1_000;

interface AuditQueueOptions {
  readonly auditLog: Pick<AuditLog, 'insert' | 'update'>;
  readonly log: Log;
}

/**
 * Audit records on their way into the store, which nobody waits for. What cannot be stored ends in the log of the
 * process. Disposing stores what is left.
 */
export class AuditQueue implements AsyncDisposable {
  readonly #auditLog: Pick<AuditLog, 'insert' | 'update'>;
  readonly #log: Log;
  readonly #closing = new AbortController();
  #waiting: AuditRecord[] = [];
  #storing: Promise<void> | undefined;

  constructor({ auditLog, log }: AuditQueueOptions) {
    this.#auditLog = auditLog;
    this.#log = log;
  }

  add(record: AuditRecord): void {
    if (this.#waiting.length >= most || this.#closing.signal.aborted) {
      logRecord(this.#log, record);
    } else {
      this.#waiting.push(record);
      this.#storing ??= this.#store();
    }
  }

  async #store(): Promise<void> {
    let isStored = true;
    while (this.#waiting.length > 0 && !this.#closing.signal.aborted) {
      await this.#pause(isStored ? gatheringMs : pauseMs);
      isStored = await this.#storeWaiting();
    }
    this.#storing = undefined;
  }

  /** Those that wait now; what comes meanwhile is gathered. @returns whether the store has taken them. */
  async #storeWaiting(): Promise<boolean> {
    for (let left = this.#waiting.length; left > 0; left -= storedAtOnce)
      if (!(await this.#storeSome())) return false;
    return true;
  }

  async #storeSome(): Promise<boolean> {
    const records = this.#waiting.slice(0, storedAtOnce);
    try {
      await putAuditRecords(this.#auditLog, records);
      this.#waiting = this.#waiting.slice(records.length);
      return true;
    } catch (err) {
      this.#log.error({ err, waiting: this.#waiting.length }, 'Audit records could not be stored yet.');
      return false;
    }
  }

  async #pause(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#storing;
    await this.#storeWaiting();
    for (const record of this.#waiting) logRecord(this.#log, record);
  }
}

/** The log has the record where the store has not. */
export function logRecord(log: Log, record: AuditRecord, err?: unknown): void {
  log.error({ ...(err !== undefined && { err }), audit: record }, 'An audit record is in this log alone.');
}
