import { type ErrorDetail, ServiceError } from '../../errors.ts';
import type { Identified, RefusedStatement } from '../ports.ts';

const problemsListed = 100;

type Refusals = Pick<Identified, 'count' | 'refused'>;

/** @throws ServiceError that refused the statement. */
export function assertOneAccepted({ refused: [first] }: Refusals): void {
  if (first) throw first.error;
}

/** @throws ServiceError one error that lists all refused statements. */
export function assertAllAccepted({ count, refused }: Refusals): void {
  const [first] = refused;
  if (!first) return;
  const isOneKind = refused.every(({ error }) => error.code === first.error.code);
  const message = `${refused.length} of ${count} statements are refused and nothing was stored. The first, at index ${first.index}: ${first.error.message}`;
  const details = refused.slice(0, problemsListed).map(problemDetail);
  throw new ServiceError(isOneKind ? first.error.code : 'invalid_statement', message, { details });
}

function problemDetail({ index, error }: RefusedStatement): ErrorDetail {
  const pointer = error.details?.[0]?.pointer;
  return { index, code: error.code, ...(pointer !== undefined && { pointer }), reason: error.message };
}
