import type { BlockList } from 'node:net';
import type { Context } from 'hono';
import type {
  AuditActor,
  AuditDetails,
  AuditLogStore,
  AuditOutcome,
  AuditRecord,
} from '../domain/audit-log.ts';
import { type ErrorCode, ServiceError } from '../domain/errors.ts';
import type { Recording } from '../domain/recording.ts';
import { AuditQueue, logRecord } from './audit-queue.ts';
import { clientAddress } from './client-address.ts';
import { errorStatus } from './error-status.ts';
import type { Log } from './log.ts';
import { MinuteBudget } from './minute-budget.ts';

/** Of callers who are not known, or may not do what they ask for: more are in the log of the process alone. */
const strangersPerMinute = 300;

/** What a handler knows of its request, and the path does not tell. Never a token, a body or a secret. */
export interface AuditNote {
  readonly actor?: AuditActor;
  readonly target?: string;
  readonly details?: AuditDetails;
  /** For a refusal that is answered otherwise than by an error. */
  readonly refusal?: ErrorCode;
}

export interface AuditTrailOptions<Caller> {
  readonly auditLog: Pick<AuditLogStore, 'put'>;
  readonly recordingOf: (operation: never) => Recording;
  readonly actorOf: (caller: Caller) => AuditActor;
  readonly trustedProxies: BlockList | null;
  readonly now: () => Date;
  readonly newId: () => string;
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

const unrecorded: Recorder<unknown> = { caller: () => undefined, begin: async () => undefined };

interface Request {
  readonly operation: string;
  readonly target: string | null;
  readonly requestId: string;
}

/** Records what is done through the routes of a service. Disposing stores what is queued. */
export class AuditTrail<Caller> implements AsyncDisposable {
  readonly #options: AuditTrailOptions<Caller>;
  readonly #queue: AuditQueue;
  readonly #strangers = new MinuteBudget(strangersPerMinute);

  constructor(options: AuditTrailOptions<Caller>) {
    this.#options = options;
    this.#queue = new AuditQueue(options);
  }

  /**
   * Does the work of an operation, and records it as the operation demands.
   * @throws ServiceError `unavailable`, `storage_full` when something is not changed because it cannot be recorded;
   * whatever the work throws.
   */
  async follow(context: Context, request: Request, work: Work<Caller>): Promise<Response> {
    const recording = this.#options.recordingOf(request.operation as never);
    if (recording === 'none') return await work(unrecorded);
    const entry = this.#entry(context, request);
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

  #entry(context: Context, { operation, target, requestId }: Request): AuditEntry {
    const { newId, now, trustedProxies } = this.#options;
    return new AuditEntry({
      id: newId(),
      at: now().getTime(),
      actor: null,
      action: operation,
      target: target === null ? null : target.slice(0, longestText),
      outcome: 'begun',
      code: null,
      requestId,
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
    const isStranger = record.actor === null || record.code === 'forbidden';
    if (isStranger && !isStored) {
      const { isWithin, missed } = this.#strangers.take(now().getTime());
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

const longestText = 500;

/** The record of a request while it goes on. */
export class AuditEntry {
  /** Whether the store has it, as begun. */
  isStored = false;
  #record: AuditRecord;
  #refusal: ErrorCode | undefined;

  constructor(record: AuditRecord) {
    this.#record = record;
  }

  get record(): AuditRecord {
    return this.#record;
  }

  add({ refusal, ...fields }: AuditNote): void {
    this.#refusal = refusal ?? this.#refusal;
    this.#record = { ...this.#record, ...fields };
  }

  /** The record of a request that was answered with a status. */
  ended(status: number, thrown?: ErrorCode): AuditRecord {
    const code = thrown ?? this.#refusal ?? null;
    return { ...this.#record, outcome: outcomeOf(code === null ? status : errorStatus[code]), code };
  }
}

function outcomeOf(status: number): AuditOutcome {
  if (status < 400) return 'done';
  return status < 500 ? 'refused' : 'failed';
}

/** Adds to the record of a request what its handler knows. Without a record nothing happens. */
export function note(context: Context, what: AuditNote): void {
  const entry: AuditEntry | undefined = context.get('auditEntry');
  entry?.add(what);
}
