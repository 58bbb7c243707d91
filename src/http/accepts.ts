import type { Context } from 'hono';
import { accepts as negotiate } from 'hono/accepts';
import { ServiceError } from '../domain/errors.ts';

/**
 * The representation that the caller prefers (RFC 9110, section 12.5.1). Without a preference it is the first one.
 * @throws ServiceError `not_acceptable` if the caller accepts none of them.
 */
export function accepts<Type extends string>(context: Context, offered: readonly [Type, ...Type[]]): Type {
  const name = negotiate(context, { header: 'Accept', supports: [...offered], default: 'none' });
  const chosen = offered.find((type) => type === name);
  if (chosen !== undefined) return chosen;
  const header = context.req.header('accept');
  if (header === undefined || /\*\/\*|application\/\*/.test(header)) return offered[0];
  throw new ServiceError(
    'not_acceptable',
    `This resource is not available as "${header.slice(0, 100)}". Accept ${offered.join(' or ')}.`,
  );
}
