import { closest, distance } from 'fastest-levenshtein';
import type { Context } from 'hono';
import type { z } from 'zod';
import { ServiceError } from '../domain/errors.ts';
import { parsed } from './parsed.ts';

/**
 * The query of a request. Only a loose schema accepts parameters that it does not declare.
 * @throws ServiceError `invalid_request`.
 */
export function parsedQuery<Query extends z.ZodObject>(query: Query, context: Context): z.output<Query> {
  const given = context.req.queries();
  if (query.def.catchall?._zod.def.type !== 'unknown')
    assertKnown(Object.keys(given), Object.keys(query.shape));
  // A repeated parameter becomes an array, which only schemas of lists accept.
  const values = Object.entries(given).map(([name, all]) => [name, all.length === 1 ? all[0] : all]);
  return parsed<Query>(query, Object.fromEntries(values), 'The query');
}

function assertKnown(given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const name = JSON.stringify(unknown.slice(0, 100));
  const list = known.length === 0 ? 'There are none here.' : `There are ${known.join(', ')}.`;
  throw new ServiceError(
    'invalid_request',
    `There is no query parameter ${name}.${meant(unknown, known)} ${list}`,
    {
      details: given
        .filter((one) => !known.includes(one))
        .slice(0, 10)
        .map((one) => ({ parameter: one.slice(0, 100), reason: 'unknown' })),
    },
  );
}

/** The known name that somebody probably meant: at most half of it is different. */
function meant(unknown: string, known: readonly string[]): string {
  const name = closest(unknown.slice(0, 100), known);
  if (name === undefined || distance(unknown.slice(0, 100), name) * 2 > name.length) return '';
  return ` Did you mean ${name}?`;
}
