import { bytesOfBase64 } from '../../base64.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { type Cid, cidOf, codecs } from '../../integrity/identifiers/cid.ts';

/** For each body, attestation and blob. */
export const mostBytes = 8 << 20;

export interface SentBody {
  readonly contentType: string;
  readonly base64: string;
}

/** Decoded bytes that wait for their pack. */
export interface Bytes {
  readonly bytes: Uint8Array;
  readonly cid: Cid;
}

export interface Body extends Bytes {
  readonly contentType: string;
}

/** @param pointer where the body is in its record. @throws ServiceError `invalid_request`, `too_large`. */
export function bodyOf({ contentType, base64 }: SentBody, pointer: string): Body {
  const bytes = decoded(base64, `${pointer}/base64`);
  return { contentType, bytes, cid: cidOf(codecs.raw, bytes) };
}

export function decoded(base64: string, pointer: string): Uint8Array {
  const most = Math.ceil(mostBytes / 3) * 4;
  if (base64.length > most) throwTooLarge(pointer);
  const bytes = at(pointer, () => bytesOfBase64(base64));
  return bytes.length > mostBytes ? throwTooLarge(pointer) : bytes;
}

/** Adds the place to an error about a value. */
export function at<Result>(pointer: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError) return failAt(pointer, error.code, error.message.replace(/\.$/, ''));
    throw error;
  }
}

/** @param pointer of RFC 6901, relative to the record. */
export function failAt(pointer: string, code: ErrorCode, reason: string): never {
  throw new ServiceError(code, `${reason}.`, { details: [{ code, pointer, reason }] });
}

function throwTooLarge(pointer: string): never {
  failAt(pointer, 'too_large', `has more than ${mostBytes} bytes (8 MiB)`);
}
