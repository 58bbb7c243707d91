import { type ErrorCode, ServiceError } from '../../errors.ts';
import { jsonPointer } from '../../json/strict-json.ts';

export interface ManifestProblem {
  /** Where it is: an RFC 6901 pointer into the manifest, or the block of a CAR. */
  readonly place: string;
  readonly error: ServiceError;
}

export type Checked<What> = What | ManifestProblem;

export function isProblem(checked: Checked<object>): checked is ManifestProblem {
  return 'error' in checked;
}

const keyCharacters = 300;

/** A pointer into the manifest. Overlong keys are cut. */
export function placeIn(...path: readonly (string | number)[]): string {
  return jsonPointer(path.map(String).map(shortened));
}

export function shortened(key: string): string {
  return key.length > keyCharacters ? `${key.slice(0, keyCharacters)}…` : key;
}

export function problem(place: string, code: ErrorCode, message: string): ManifestProblem {
  return { place, error: new ServiceError(code, message) };
}

/** A problem at a place. If the error has a pointer, it is appended. */
export function problemWithin(place: string, error: ServiceError): ManifestProblem {
  return { place: place + (error.details?.[0]?.pointer ?? ''), error };
}

/** The error that refuses the whole manifest. */
export function refusalOf({ place, error }: ManifestProblem): ServiceError {
  return new ServiceError(error.code, `At "${place}": ${error.message}`, {
    details: [{ code: error.code, pointer: place, reason: error.message }],
    cause: error,
  });
}

/** @throws ServiceError with the place. */
export function failAt(place: string, code: ErrorCode, message: string): never {
  throw refusalOf(problem(place, code, message));
}

/** Runs `work` and adds the place to its errors. @throws ServiceError with the whole place. */
export function at<Result>(place: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof ServiceError ? refusalOf(problemWithin(place, error)) : error;
  }
}
