import { asyncIterableReader, limitReader, readBlockHead, readHeader } from '@ipld/car/decoder';
import { messageOf, ServiceError } from '../../errors.ts';
import { type Cid, cidFrom } from '../identifiers/cid.ts';

export interface CarBlock {
  readonly cid: Cid;
  readonly size: number;
  /** Not verified. Must be read to the end before the next block comes. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface CarHeader {
  readonly roots: readonly Cid[];
  /** Where the sections begin, and the latest position where they end. */
  readonly start: number;
  readonly end: number;
}

type Reader = ReturnType<typeof asyncIterableReader>;

/** The largest header or CID that is accepted. */
const headLimit = 1 << 20;
const chunkSize = 1 << 18;

/**
 * Streams the blocks of a CAR (v1, or the v1 part of v2) without holding a whole block in memory.
 * @throws ServiceError `invalid_request` if the CAR is truncated or malformed, `invalid_cid` for a block with a CID
 *   that Cairn cannot verify.
 */
export async function* carBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<CarBlock> {
  let reader = limited(asyncIterableReader(bytes));
  const header = await reading(() => readHeader(reader));
  const end = endOf(header);
  if (header.version === 2) reader = limitReader(reader, end - reader.pos);
  while ((await reading(() => reader.upTo(8))).length > 0) {
    const { cid, blockLength } = await reading(() => readBlockHead(reader));
    if (blockLength < 0) throw malformed(new Error('a section is shorter than its CID'));
    const state = { left: blockLength };
    yield { cid: cidFrom(cid), size: blockLength, bytes: blockBytes(reader, state) };
    if (state.left > 0) throw new TypeError('A CAR block was not read to its end.');
  }
  if (header.version === 2 && reader.pos < end) throw malformed(new Error('it ends too early'));
}

type Header = Awaited<ReturnType<typeof readHeader>>;

function endOf(header: Header): number {
  return header.version === 2 ? header.dataOffset + header.dataSize : Number.POSITIVE_INFINITY;
}

/**
 * Reads the header of a CAR (v1, or the v1 part of v2; the index is ignored).
 * @throws ServiceError `invalid_request`, `invalid_cid`.
 */
export async function readCarHeader(bytes: AsyncIterable<Uint8Array>): Promise<CarHeader> {
  const reader = limited(asyncIterableReader(bytes));
  const header = await reading(() => readHeader(reader));
  return { roots: header.roots.map((root) => cidFrom(root)), start: reader.pos, end: endOf(header) };
}

async function* blockBytes(reader: Reader, state: { left: number }): AsyncGenerator<Uint8Array> {
  while (state.left > 0) {
    const chunk = await reading(() => reader.upTo(Math.min(state.left, chunkSize)));
    if (chunk.length === 0) throw malformed(new Error('it ends inside a block'));
    // The reader does not overwrite this chunk, so it may seek before the chunk is used.
    reader.seek(chunk.length);
    state.left -= chunk.length;
    yield chunk;
  }
}

/** Refuses to buffer hostile lengths. */
function limited(reader: Reader): Reader {
  return {
    upTo: (length) => reader.upTo(length),
    exactly(length, seek) {
      if (length > headLimit) throw new RangeError(`a header claims ${length} bytes`);
      return reader.exactly(length, seek);
    },
    seek(length) {
      if (length < 0) throw new RangeError('an offset points backwards');
      reader.seek(length);
    },
    get pos() {
      return reader.pos;
    },
  };
}

async function reading<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    throw malformed(error);
  }
}

export function malformed(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('invalid_request', `This is not a complete CAR: ${messageOf(error)}.`, {
    cause: error,
  });
}
