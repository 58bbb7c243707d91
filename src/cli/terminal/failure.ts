export const exitCodes = {
  done: 0,
  /** The answer is no: verification failed, statements refused, not found. */
  no: 1,
  usage: 2,
  /** The service, or a server that it needs, cannot be reached. A retry may succeed. */
  unreachable: 3,
  /** The evidence is not enough for an answer. */
  cannotTell: 4,
  /** 128 + SIGINT. */
  interrupted: 130,
  /** 128 + SIGPIPE: the reader of the output is gone. */
  unread: 141,
} as const;

/** Ends a command with an exit code and a sentence for the user. */
export class Failure extends Error {
  /** One of ours, or that of a command that was run. */
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

export function failNo(message: string, options?: ErrorOptions): never {
  throw new Failure(exitCodes.no, message, options);
}

export function failUsage(message: string): never {
  throw new Failure(exitCodes.usage, message);
}
