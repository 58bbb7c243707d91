import type { BlockList } from 'node:net';
import type { Context } from 'hono';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';
import { errorStatus } from '../../contract/errors.ts';
import {
  type AuditActor,
  type AuditLog,
  type AuditRecord,
  putAuditRecords,
} from '../../domain/audit-log/audit-log.ts';
import type { Recording } from '../../domain/audit-log/recording.ts';
import { ServiceError } from '../../domain/errors.ts';
import { clientAddress } from '../http/addresses.ts';
import type { Log } from '../log.ts';
import { OrderedIds } from '../ordered-ids.ts';
import { type AuditEntry, endedRecords, note } from './entry.ts';
import { AuditQueue, logRecord } from './queue.ts';

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
  async #end(
    recording: Recording,
    { isStored }: AuditEntry,
    records: ReturnType<typeof endedRecords>,
  ): Promise<void> {
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
