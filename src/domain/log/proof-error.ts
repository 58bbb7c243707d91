import { ServiceError } from '../errors.ts';

/** Why a proof, a signed note or a receipt is refused. */
export type LogFault =
  | 'malformed'
  | 'too_large'
  | 'wrong_size'
  | 'wrong_index'
  | 'wrong_path'
  | 'wrong_root'
  | 'wrong_entry'
  | 'wrong_signature'
  | 'unknown_log'
  | 'unknown_key'
  | 'policy_not_met';

/** The message says what is wrong, `fault` says it to programs. */
export class LogProofError extends ServiceError {
  readonly fault: LogFault;

  constructor(fault: LogFault, message: string) {
    super('invalid_proof', message);
    this.name = 'LogProofError';
    this.fault = fault;
  }
}

export function refuse(fault: LogFault, message: string): never {
  throw new LogProofError(fault, message);
}

/** Text of somebody else inside a message. */
export function quoted(text: string): string {
  const most = 80;
  return JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text);
}
