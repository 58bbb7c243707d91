import type { Context } from 'hono';
import { accepts as negotiate } from 'hono/accepts';
import { ServiceError } from '../../../domain/errors.ts';

/**
 * The representation that the caller prefers (RFC 9110, 12.5.1); the first one without an opinion.
 * @throws ServiceError `not_acceptable` when none of them will do.
 */
export function accepts<Type extends string>(context: Context, offered: readonly [Type, ...Type[]]): Type {
  const name = negotiate(context, { header: 'Accept', supports: [...offered], default: 'none' });
  const chosen = offered.find((type) => type === name);
  if (chosen !== undefined) return chosen;
  const header = context.req.header('accept');
  if (header === undefined || /\*\/\*|application\/\*/.test(header)) return offered[0];
  throw new ServiceError(
    'not_acceptable',
    `Accept "${header.slice(0, 100)}" cannot be served; there is ${offered.join(', ')}.`,
  );
}
