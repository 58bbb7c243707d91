import { asyncIterableReader, limitReader, readBlockHead, readHeader } from '@ipld/car/decoder';
import { varint } from 'multiformats';
import { CID } from 'multiformats/cid';
import { messageOf, ServiceError } from '../../errors.ts';
import { chunksOf, type RandomAccess } from '../../json/random-access.ts';
import { type Cid, cidFrom } from '../identifiers/cid.ts';

export interface CarBlock {
  readonly cid: Cid;
  readonly size: number;
  /** Not verified. Must be read to the end before the next block comes. */
  readonly bytes: AsyncIterable<Uint8Array>;
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

/** The latest position where the sections end. */
function endOf(header: Header): number {
  return header.version === 2 ? header.dataOffset + header.dataSize : Number.POSITIVE_INFINITY;
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

function malformed(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const message = `This is not a complete CAR: ${messageOf(error)}.`;
  return new ServiceError('invalid_request', message, { cause: error });
}

export interface CarFileBlock {
  readonly cid: Cid;
  /** Where its bytes begin in the file. */
  readonly start: number;
  readonly size: number;
  /** A small block stays in memory until the next one is read. */
  readonly bytes: () => AsyncIterable<Uint8Array>;
}

export interface CarFile {
  readonly roots: readonly Cid[];
  /** All blocks in order, from the start each time. @throws ServiceError `invalid_request`, `invalid_cid`. */
  blocks(): AsyncGenerator<CarFileBlock>;
}

/** Other work of the thread runs at each read. A window of small blocks takes about ten milliseconds. */
const windowBytes = 1 << 15;
/** More than the length and the CID of a section take. */
const headBytes = 128;

/** Opens a CAR (v1, or the v1 part of v2) for several passes. @throws ServiceError `invalid_request`, `invalid_cid`. */
export async function openCarFile(file: RandomAccess): Promise<CarFile> {
  const reader = limited(asyncIterableReader(chunksOf(file)));
  const header = await reading(() => readHeader(reader));
  const roots = header.roots.map((root) => cidFrom(root));
  const [start, end] = [reader.pos, endOf(header)];
  if (end > file.size && end !== Number.POSITIVE_INFINITY) throw malformed(new Error('it ends too early'));
  return { roots, blocks: () => blocksOf(file, start, Math.min(end, file.size)) };
}

async function* blocksOf(file: RandomAccess, from: number, end: number): AsyncGenerator<CarFileBlock> {
  let window: Uint8Array = new Uint8Array();
  let windowAt = from;
  for (let at = from; at < end; ) {
    if (at + headBytes > windowAt + window.length && windowAt + window.length < end) {
      window = await file.read(at, Math.min(windowBytes, end - at));
      windowAt = at;
    }
    const { cid, headLength, size } = sectionAt(window.subarray(at - windowAt));
    const start = at + headLength;
    at = start + size;
    if (at > end) throw malformed(new Error('it ends inside a block'));
    if (at > windowAt + window.length && size <= windowBytes) {
      window = await file.read(start, Math.min(windowBytes, end - start));
      windowAt = start;
    }
    const isHere = start >= windowAt && at <= windowAt + window.length;
    const whole = isHere ? window.subarray(start - windowAt, at - windowAt) : undefined;
    yield { cid, start, size, bytes: whole ? () => only(whole) : () => chunksOf(file, start, start + size) };
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function sectionAt(bytes: Uint8Array): { cid: Cid; headLength: number; size: number } {
  try {
    const [length, lengthBytes] = varint.decode(bytes);
    const [cid, rest] = CID.decodeFirst(bytes.subarray(lengthBytes));
    const cidLength = bytes.length - lengthBytes - rest.length;
    if (!Number.isSafeInteger(length) || length < cidLength)
      throw new RangeError('a section is shorter than its CID');
    return { cid: cidFrom(cid), headLength: lengthBytes + cidLength, size: length - cidLength };
  } catch (error) {
    throw malformed(error);
  }
}
