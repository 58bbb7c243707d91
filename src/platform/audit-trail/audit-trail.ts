import type { BlockList } from 'node:net';
import type { Context } from 'hono';
import type { AuditActor, AuditLogStore, AuditRecord } from '../../domain/audit-log/audit-log.ts';
import type { Recording } from '../../domain/audit-log/recording.ts';
import { ServiceError } from '../../domain/errors.ts';
import { clientAddress } from '../http/client-address.ts';
import { errorStatus } from '../http/error-status.ts';
import type { Log } from '../log.ts';
import { OrderedIds } from '../ordered-ids.ts';
import { AuditEntry } from './entry.ts';
import { MinuteBudget } from './minute-budget.ts';
import { AuditQueue, logRecord } from './queue.ts';

/**
 * Of callers who are not known, may not do what they ask for, or ask for what makes no sense or is not there: more are
 * in the log of the process alone.
 */
const unknownPerMinute = 300;

export interface AuditTrailOptions<Caller> {
  readonly auditLog: Pick<AuditLogStore, 'put'>;
  /** Whether callers are told apart. Otherwise nothing is queued: a record would not say who stored the content. */
  readonly knowsCallers: boolean;
  readonly actorOf: (caller: Caller) => AuditActor;
  readonly trustedProxies: BlockList | null;
  readonly now: () => Date;
  readonly log: Log;
}

/** What is to be told of a request while it is worked on. */
interface Recorder<Caller> {
  /** Once it is known. */
  caller(caller: Caller): void;
  /** Once it is known that they may do it, before anything is changed. @throws ServiceError. */
  begin(): Promise<void>;
}

type Work<Caller> = (record: Recorder<Caller>) => Promise<Response>;

const inVain: ReadonlySet<AuditRecord['code']> = new Set<AuditRecord['code']>(['forbidden', 'not_found']);

const unrecorded: Recorder<unknown> = { caller: () => undefined, begin: async () => undefined };

const longestTarget = 500;

/** Records what is done through the routes of a service. Disposing stores what is queued. */
export class AuditTrail<Caller> implements AsyncDisposable {
  readonly #options: AuditTrailOptions<Caller>;
  readonly #queue: AuditQueue;
  readonly #ids = new OrderedIds();
  readonly #unknownCallers = new MinuteBudget(unknownPerMinute);

  constructor(options: AuditTrailOptions<Caller>) {
    this.#options = options;
    this.#queue = new AuditQueue(options);
  }

  /**
   * Does the work of an operation, and records it as the operation demands.
   * @throws ServiceError `unavailable`, `storage_full` when something is not changed because it cannot be recorded;
   * whatever the work throws.
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
        caller: (caller) => entry.add({ actor: this.#options.actorOf(caller) }),
        begin: async () => {
          if (recording === 'before') await this.#begin(entry);
        },
      });
      await this.#end(recording, entry, entry.ended(response.status));
      return response;
    } catch (error) {
      const code = error instanceof ServiceError ? error.code : 'internal';
      await this.#end(recording, entry, entry.ended(errorStatus[code], code));
      throw error;
    }
  }

  #entry(context: Context, operation: string): AuditEntry {
    const { now, trustedProxies } = this.#options;
    const at = now().getTime();
    const named = Object.values(context.req.param()).join(' ');
    return new AuditEntry({
      id: this.#ids.next(at),
      at,
      actor: null,
      action: operation,
      target: named.slice(0, longestTarget) || null,
      outcome: 'begun',
      code: null,
      requestId: context.get('requestId'),
      address: clientAddress(context, trustedProxies),
      details: null,
    });
  }

  async #begin(entry: AuditEntry): Promise<void> {
    try {
      await this.#options.auditLog.put([entry.record]);
      entry.isStored = true;
    } catch (cause) {
      if (cause instanceof ServiceError && cause.code === 'storage_full') throw cause;
      const message = 'Nothing was changed, as that could not be recorded in the audit log; try again.';
      throw new ServiceError('unavailable', message, { cause, retryAfter: 1 });
    }
  }

  /** What could not be recorded does not change the answer any more: it says what was done. */
  async #end(recording: Recording, { isStored }: AuditEntry, record: AuditRecord): Promise<void> {
    const { auditLog, now, log } = this.#options;
    const isFruitless = recording !== 'queued' && record.outcome === 'refused';
    const isUnknown = record.actor === null || inVain.has(record.code) || isFruitless;
    if (isUnknown && !isStored) {
      const { isWithin, missed } = this.#unknownCallers.take(now().getTime());
      if (missed > 0) log.warn({ missed }, 'So many attempts of a minute are not in the audit log.');
      if (isWithin) this.#queue.add(record);
    } else if (recording === 'queued') {
      this.#queue.add(record);
    } else {
      await auditLog.put([record]).catch((err: unknown) => logRecord(log, record, err));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue[Symbol.asyncDispose]();
  }
}
