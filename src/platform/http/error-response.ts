import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import type { AppEnv } from './app-env.ts';
import { errorStatus } from './error-status.ts';

/** Answers anything that was thrown. Unexpected errors are logged whole and answered with one general sentence. */
export function errorResponse<Caller>(
  thrown: unknown,
  context: Context<AppEnv<Caller>>,
  showCallStack: boolean,
): Response {
  const error = asServiceError(thrown);
  const status = errorStatus[error.code];
  const log = context.get('log');
  if (status >= 500) log.error({ err: error.cause ?? error, code: error.code }, error.message);
  const body = {
    error: error.message,
    code: error.code,
    request_id: context.get('requestId'),
    ...(error.details && { details: error.details }),
    ...(showCallStack && { callstack: { internal: callStack(thrown) } }),
  };
  const headers = new Headers(error.headers);
  headers.set('content-type', 'application/json');
  if (error.retryAfter !== undefined) headers.set('retry-after', String(error.retryAfter));
  if (error.code === 'unauthorized' && !headers.has('www-authenticate'))
    headers.set('www-authenticate', 'Bearer');
  return context.newResponse(JSON.stringify(body), { status, headers });
}

function asServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (thrown instanceof HTTPException && thrown.status < 500) {
    return new ServiceError('invalid_request', thrown.message || 'The request is malformed.', {
      cause: thrown,
    });
  }
  return new ServiceError('internal', 'Something failed inside the service. Its log has the details.', {
    cause: thrown,
  });
}

function callStack(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown);
}
