import parseRange from 'range-parser';
import { ServiceError } from '../../../domain/errors.ts';
import type { ByteRange } from '../../../domain/integrity/ports.ts';

/**
 * The one byte range that a request asks for (RFC 9110, 14.2). Several ranges, and what is no byte range,
 * are answered with the whole, as the standard permits.
 * @throws ServiceError `range_not_satisfiable`, which tells the size.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  if (header === undefined) return undefined;
  const ranges = parseRange(size, withinWhole(header, size));
  if (ranges === -1) {
    throw new ServiceError(
      'range_not_satisfiable',
      `The range "${header.slice(0, 100)}" is outside of the ${size} bytes.`,
      {
        headers: { 'content-range': `bytes */${size}` },
      },
    );
  }
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1 || !ranges[0]) return undefined;
  return { first: ranges[0].start, last: ranges[0].end };
}

/** The last bytes of something shorter are all of it, which the parser does not know. */
function withinWhole(header: string, size: number): string {
  return header.replace(/^(bytes=-)(\d+)$/i, (range, before, length) =>
    Number(length) > size ? `${before}${size}` : range,
  );
}
