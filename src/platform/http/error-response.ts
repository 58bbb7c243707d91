import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { errorStatus } from '../../contract/errors.ts';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import type { AppEnv } from './app-env.ts';

/** Answers anything that was thrown. Unexpected errors are logged whole and answered with one general sentence. */
export function errorResponse<Caller>(
  thrown: unknown,
  context: Context<AppEnv<Caller>>,
  { showCallStack }: { readonly showCallStack: boolean },
): Response {
  const error = asServiceError(thrown);
  const log = context.get('log');
  if (errorStatus[error.code] >= 500)
    log.error({ err: error.cause ?? error, code: error.code }, error.message);
  return errorAnswer(error, context, showCallStack ? callStack(thrown) : undefined);
}

/** The answer of an error that is not logged. */
export function errorAnswer<Caller>(
  error: ServiceError,
  context: Context<AppEnv<Caller>>,
  stack?: string,
): Response {
  const body = {
    error: error.message,
    code: error.code,
    request_id: context.get('requestId'),
    ...(error.details && { details: error.details }),
    ...(stack !== undefined && { callstack: { internal: stack } }),
  };
  const headers = new Headers(error.headers);
  headers.set('content-type', 'application/json');
  if (error.retryAfter !== undefined) headers.set('retry-after', String(error.retryAfter));
  if (error.code === 'unauthorized' && !headers.has('www-authenticate'))
    headers.set('www-authenticate', 'Bearer');
  return context.newResponse(JSON.stringify(body), { status: errorStatus[error.code], headers });
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
