import { setTimeout } from 'node:timers/promises';
import { type AuditLog, type AuditRecord, putAuditRecords } from '../../domain/audit-log/audit-log.ts';
import type { Log } from '../log.ts';

/** Records wait this long for others, so that the store has fewer commits to sync. */
const batchDelayMs = 500;
const retryDelayMs = 1_000;
const maxQueued = 10_000;
const batchSize = 1_000;

/**
 * Stores audit records in the background. Records that cannot be stored go to the log of the process. Disposing stores
 * the rest.
 */
export class AuditQueue implements AsyncDisposable {
  readonly #auditLog: Pick<AuditLog, 'insert' | 'update'>;
  readonly #log: Log;
  readonly #closing = new AbortController();
  #waiting: AuditRecord[] = [];
  #storing: Promise<void> | undefined;

  constructor({ auditLog, log }: { auditLog: Pick<AuditLog, 'insert' | 'update'>; log: Log }) {
    this.#auditLog = auditLog;
    this.#log = log;
  }

  add(record: AuditRecord): void {
    if (this.#waiting.length >= maxQueued || this.#closing.signal.aborted) {
      logRecord(this.#log, record);
    } else {
      this.#waiting.push(record);
      this.#storing ??= this.#store();
    }
  }

  async #store(): Promise<void> {
    const { signal } = this.#closing;
    let isStored = true;
    while (this.#waiting.length > 0 && !signal.aborted) {
      const ms = isStored ? batchDelayMs : retryDelayMs;
      await setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined);
      isStored = await this.#storeWaiting();
    }
    this.#storing = undefined;
  }

  /** Stores the records that wait now. @returns whether all of them are stored. */
  async #storeWaiting(): Promise<boolean> {
    try {
      for (let left = this.#waiting.length; left > 0; left -= batchSize) {
        const records = this.#waiting.slice(0, batchSize);
        await putAuditRecords(this.#auditLog, records);
        this.#waiting = this.#waiting.slice(records.length);
      }
      return true;
    } catch (err) {
      const waiting = this.#waiting.length;
      this.#log.error({ err, waiting }, 'Audit records could not be stored. They are tried again.');
      return false;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#storing;
    await this.#storeWaiting();
    for (const record of this.#waiting) logRecord(this.#log, record);
  }
}

export function logRecord(log: Log, record: AuditRecord, err?: unknown): void {
  log.error({ ...(err !== undefined && { err }), audit: record }, 'An audit record could not be stored.');
}
