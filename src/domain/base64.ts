import { ServiceError } from './errors.ts';
import { chunksOf, type RandomAccess } from './json/random-access.ts';

const groupBytes = 3;
const groupCharacters = 4;

/** Encodes a stream with chunks of any size (RFC 4648, section 4). */
export async function* encodedBase64(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const whole = bytes.length - (bytes.length % groupBytes);
    rest = bytes.slice(whole);
    if (whole > 0) yield ascii(bytes.subarray(0, whole));
  }
  if (rest.length > 0) yield ascii(rest);
}

function ascii(bytes: Uint8Array): Uint8Array {
  return Buffer.from(toBase64(bytes), 'latin1');
}

/**
 * Decodes the base64 from `start` to `end`. Only the canonical encoding is accepted (RFC 4648, section 3.5), so every
 * changed character is noticed.
 * @throws ServiceError `invalid_request`.
 */
export async function* decodedBase64(
  file: RandomAccess,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  if ((end - start) % groupCharacters > 0) fail();
  let rest = '';
  let isPadded = false;
  for await (const chunk of chunksOf(file, start, end)) {
    if (isPadded) fail();
    const text = rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
    const whole = text.length - (text.length % groupCharacters);
    rest = text.slice(whole);
    const part = text.slice(0, whole);
    const bytes = Buffer.from(part, 'base64');
    if (bytes.toString('base64') !== part) fail();
    isPadded = part.endsWith('=');
    yield bytes;
  }
  if (rest !== '') fail();
}

/** Decodes a base64 text under the same rules; undefined for any other text. */
export function fromBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** As `fromBase64`. @throws ServiceError `invalid_request`. */
export function bytesOfBase64(text: string): Uint8Array {
  return fromBase64(text) ?? fail();
}

export function toBase64({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('base64');
}

/** The decoded size of the base64 between two positions. */
export async function decodedSize(file: RandomAccess, start: number, end: number): Promise<number> {
  const last = await file.read(Math.max(start, end - 2), Math.min(2, end - start));
  const ending = Buffer.from(last).toString('latin1');
  const padding = ending.endsWith('==') ? 2 : Number(ending.endsWith('='));
  return ((end - start) / groupCharacters) * groupBytes - padding;
}

function fail(): never {
  throw new ServiceError(
    'invalid_request',
    'The base64 is not canonical (RFC 4648). Use the standard alphabet with padding and without line breaks.',
  );
}
