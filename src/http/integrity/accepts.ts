import type { Context } from 'hono';
import { accepts as negotiate } from 'hono/accepts';
import { ServiceError } from '../../domain/errors.ts';

/**
 * The representation that the caller prefers (RFC 9110, 12.5.1); the first one without an opinion.
 * @throws ServiceError `not_acceptable` when none of them will do.
 */
export function accepts(context: Context, offered: readonly [string, ...string[]]): string {
  const none = 'none';
  const chosen = negotiate(context, { header: 'Accept', supports: [...offered], default: none });
  if (chosen !== none) return chosen;
  const header = context.req.header('accept');
  if (header === undefined || /\*\/\*|application\/\*/.test(header)) return offered[0];
  throw new ServiceError(
    'not_acceptable',
    `Accept "${header.slice(0, 100)}" cannot be served; there is ${offered.join(', ')}.`,
  );
}
