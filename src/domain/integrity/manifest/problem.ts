import { type ErrorCode, ServiceError } from '../../errors.ts';
import { jsonPointer } from '../../json/strict-json.ts';

/** Something of a manifest that is not as it should be. */
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

/** The pointer to a member of the manifest, or to a member of that. A key that is longer than any name is cut. */
export function placeIn(...path: readonly (string | number)[]): string {
  return jsonPointer(path.map(String).map(shortened));
}

/** A name as it can be told, whatever its length. */
export function shortened(key: string): string {
  return key.length > keyCharacters ? `${key.slice(0, keyCharacters)}…` : key;
}

export function problem(place: string, code: ErrorCode, message: string): ManifestProblem {
  return { place, error: new ServiceError(code, message) };
}

/** An error about what stands at a place, which may say itself where inside of it. */
export function problemWithin(place: string, error: ServiceError): ManifestProblem {
  return { place: place + (error.details?.[0]?.pointer ?? ''), error };
}

/** A problem as the refusal of the whole. */
export function refusalOf({ place, error }: ManifestProblem): ServiceError {
  return new ServiceError(error.code, `At "${place}": ${error.message}`, {
    details: [{ code: error.code, pointer: place, reason: error.message }],
    cause: error,
  });
}

/** @throws ServiceError that names the place. */
export function refuseAt(place: string, code: ErrorCode, message: string): never {
  throw refusalOf(problem(place, code, message));
}

/** Does what says where inside of the place it fails. @throws ServiceError that names the whole place. */
export function at<Result>(place: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof ServiceError ? refusalOf(problemWithin(place, error)) : error;
  }
}
