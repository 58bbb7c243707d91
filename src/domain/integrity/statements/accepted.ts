import { type ErrorDetail, ServiceError } from '../../errors.ts';
import type { IdentificationResult, IdentifiedNames } from '../ports.ts';

const problemsListed = 100;

/** @throws ServiceError that refused the statement. */
export function acceptOne(results: readonly IdentificationResult[]): IdentifiedNames[] {
  return results.map((result) => {
    if ('error' in result) throw result.error;
    return result;
  });
}

/** @throws ServiceError one error that lists all refused statements. */
export function acceptAll(results: readonly IdentificationResult[]): IdentifiedNames[] {
  const names: IdentifiedNames[] = [];
  const problems: { index: number; error: ServiceError }[] = [];
  for (const [index, result] of results.entries()) {
    if ('error' in result) problems.push({ index, error: result.error });
    else names.push(result);
  }
  const [first] = problems;
  if (!first) return names;
  const isOneKind = problems.every(({ error }) => error.code === first.error.code);
  throw new ServiceError(
    isOneKind ? first.error.code : 'invalid_statement',
    `${problems.length} of ${results.length} statements are refused and nothing was stored. The first, at index ${first.index}: ${first.error.message}`,
    { details: problems.slice(0, problemsListed).map(problemDetail) },
  );
}

function problemDetail({ index, error }: { index: number; error: ServiceError }): ErrorDetail {
  const pointer = error.details?.[0]?.pointer;
  return { index, code: error.code, ...(pointer !== undefined && { pointer }), reason: error.message };
}
