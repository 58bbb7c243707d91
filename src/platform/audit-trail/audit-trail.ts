import type { BlockList } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Context } from 'hono';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';
import { errorStatus } from '../../contract/errors.ts';
import {
  type AuditActor,
  type AuditLog,
  type AuditRecord,
  putAuditRecords,
  type Recording,
} from '../../domain/audit-log/audit-log.ts';
import { ServiceError } from '../../domain/errors.ts';
import { clientAddress } from '../http/addresses.ts';
import type { Log } from '../log.ts';
import { OrderedIds } from '../ordered-ids.ts';
import { type AuditEntry, endedRecords, note } from './entry.ts';

/** Maximum number of recorded attempts by unknown callers and of fruitless requests. The rest is dropped. */
const fruitlessPerMinute = 300;

export interface AuditTrailOptions<Caller> {
  readonly auditLog: Pick<AuditLog, 'insert' | 'update'>;
  /** Whether callers are authenticated. Otherwise nothing is queued, because a record would not show who acted. */
  readonly knowsCallers: boolean;
  readonly actorOf: (caller: Caller) => AuditActor;
  readonly trustedProxies: BlockList | null;
  readonly now: () => Date;
  readonly log: Log;
}

interface Recorder<Caller> {
  caller(caller: Caller): void;
  /** Called after authorization and before anything changes. @throws ServiceError. */
  begin(): Promise<void>;
}

type Work<Caller> = (record: Recorder<Caller>) => Promise<Response>;

const fruitlessCodes: ReadonlySet<AuditRecord['code']> = new Set<AuditRecord['code']>([
  'forbidden',
  'not_found',
]);

const unrecorded: Recorder<unknown> = { caller: () => undefined, begin: async () => undefined };

const maxTargetLength = 500;

/** Records the operations of a service in the audit log. Disposing stores queued records. */
export class AuditTrail<Caller> implements AsyncDisposable {
  readonly #options: AuditTrailOptions<Caller>;
  readonly #queue: AuditQueue;
  readonly #ids = new OrderedIds();
  readonly #newId = () => this.#ids.next(this.#options.now().getTime());
  readonly #fruitless = new RateLimiterMemory({ points: fruitlessPerMinute, duration: 60 });

  constructor(options: AuditTrailOptions<Caller>) {
    this.#options = options;
    this.#queue = new AuditQueue(options);
  }

  /**
   * Runs an operation and records it as the operation demands. @throws ServiceError `unavailable`, `storage_full` when
   * a change is refused because it cannot be recorded; any error of `work`.
   */
  async follow(
    context: Context,
    operation: string,
    recording: Recording,
    work: Work<Caller>,
  ): Promise<Response> {
    const isSkipped = recording === 'queued' && !this.#options.knowsCallers;
    if (recording === 'none' || isSkipped) return await work(unrecorded);
    const entry = this.#entry(context, operation);
    context.set('auditEntry', entry);
    try {
      const response = await work({
        caller: (caller) => note(context, { actor: this.#options.actorOf(caller) }),
        begin: async () => {
          if (recording === 'before') await this.#begin(entry);
        },
      });
      await this.#end(recording, entry, endedRecords(entry, this.#newId, response.status));
      return response;
    } catch (error) {
      const code = error instanceof ServiceError ? error.code : 'internal';
      await this.#end(recording, entry, endedRecords(entry, this.#newId, errorStatus[code], code));
      throw error;
    }
  }

  #entry(context: Context, operation: string): AuditEntry {
    const { now, trustedProxies } = this.#options;
    const at = now().getTime();
    const named = Object.values(context.req.param()).join(' ');
    const record = {
      id: this.#ids.next(at),
      at,
      actor: null,
      action: operation,
      target: named.slice(0, maxTargetLength) || null,
      outcome: 'begun',
      code: null,
      requestId: context.get('requestId'),
      address: clientAddress(context, trustedProxies),
      details: null,
      isLogged: false,
    } as const;
    return { record, isStored: false };
  }

  async #begin(entry: AuditEntry): Promise<void> {
    try {
      await putAuditRecords(this.#options.auditLog, [entry.record]);
      entry.isStored = true;
    } catch (cause) {
      if (cause instanceof ServiceError && cause.code === 'storage_full') throw cause;
      const message = 'Nothing was changed, because the audit log could not record it. Try again.';
      throw new ServiceError('unavailable', message, { cause, retryAfter: 1 });
    }
  }

  /** A failure to record does not change the answer, because the operation has already happened. */
  async #end(recording: Recording, { isStored }: AuditEntry, records: ReturnType<typeof endedRecords>) {
    const { auditLog, log } = this.#options;
    const [record] = records;
    const isRefusedChange = recording !== 'queued' && record.outcome === 'refused';
    const isFruitless = record.actor === null || fruitlessCodes.has(record.code) || isRefusedChange;
    if (isFruitless && !isStored) {
      await this.#fruitless.consume('all').then(
        () => this.#queue.add(record),
        ({ consumedPoints, msBeforeNext }: RateLimiterRes) => {
          if (consumedPoints === fruitlessPerMinute + 1)
            log.warn(`The audit log drops fruitless attempts for ${Math.ceil(msBeforeNext / 1_000)} s.`);
        },
      );
    } else if (recording === 'queued') {
      for (const each of records) this.#queue.add(each);
    } else {
      await putAuditRecords(auditLog, records).catch((err: unknown) => {
        for (const each of records) logRecord(log, each, err);
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue[Symbol.asyncDispose]();
  }
}

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

function logRecord(log: Log, record: AuditRecord, err?: unknown): void {
  log.error({ ...(err !== undefined && { err }), audit: record }, 'An audit record could not be stored.');
}
