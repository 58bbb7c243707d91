import { ServiceError } from '../../domain/errors.ts';

export interface ByteLimits {
  /** In total, over all callers. */
  readonly maxBufferedBytes: number;
  readonly maxCallerBufferedBytes: number;
}

/** Limits how many bytes of bodies and answers are in memory at once, in total and for each caller. */
export class ByteBudget {
  readonly #limits: ByteLimits;
  #held = 0;
  readonly #heldBy = new Map<string, number>();

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /** How many bytes are held now. */
  get held(): number {
    return this.#held;
  }

  /** The bytes of one body or answer. They are free again when it is disposed of. */
  account(caller: string): ByteAccount {
    let held = 0;
    return {
      take: (bytes) => {
        this.#demand(caller, held, bytes);
        held += bytes;
        this.#add(caller, bytes);
      },
      another: () => this.account(caller),
      [Symbol.dispose]: () => {
        this.#add(caller, -held);
        held = 0;
      },
    };
  }

  #demand(caller: string, held: number, bytes: number): void {
    const { maxBufferedBytes, maxCallerBufferedBytes } = this.#limits;
    if (held + bytes > maxCallerBufferedBytes) throwTooLarge(maxCallerBufferedBytes);
    if ((this.#heldBy.get(caller) ?? 0) + bytes > maxCallerBufferedBytes) throwBusy('Your requests');
    if (this.#held + bytes > maxBufferedBytes) throwBusy('All requests');
  }

  #add(caller: string, bytes: number): void {
    this.#held += bytes;
    const held = (this.#heldBy.get(caller) ?? 0) + bytes;
    if (held > 0) this.#heldBy.set(caller, held);
    else this.#heldBy.delete(caller);
  }
}

export interface ByteAccount extends Disposable {
  /** @throws ServiceError `unavailable`; `too_large` if no retry can help. */
  take(bytes: number): void;
  /** A separate account of the same caller. */
  another(): ByteAccount;
}

function throwTooLarge(limit: number): never {
  throw new ServiceError(
    'too_large',
    `This needs more than ${limit} bytes of memory. Ask for less at once, or raise CAIRN_MAX_CALLER_BUFFERED_BYTES.`,
  );
}

function throwBusy(whose: string): never {
  throw new ServiceError(
    'unavailable',
    `${whose} together hold too many bytes in memory. Wait until some are answered, and read their answers.`,
    { retryAfter: 1 },
  );
}
