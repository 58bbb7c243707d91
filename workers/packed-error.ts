import { type ErrorCode, type ErrorDetail, messageOf, ServiceError } from '../src/domain/errors.ts';

export interface PackedError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: readonly ErrorDetail[];
}

export function packError(error: unknown): PackedError {
  if (!(error instanceof ServiceError)) return { code: 'internal', message: messageOf(error) };
  const { code, message, details } = error;
  return { code, message, ...(details && { details }) };
}

export function unpackError({ code, message, details }: PackedError): ServiceError {
  return new ServiceError(code, message, details && { details });
}
