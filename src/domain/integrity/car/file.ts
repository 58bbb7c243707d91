import { varint } from 'multiformats';
import { CID } from 'multiformats/cid';
import { chunksOf, type RandomAccess } from '../../json/random-access.ts';
import { type Cid, cidFrom } from '../identifiers/cid.ts';
import { malformed, readCarHeader } from './car.ts';

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

/** Opens a CAR for several passes. @throws ServiceError `invalid_request`, `invalid_cid`. */
export async function openCarFile(file: RandomAccess): Promise<CarFile> {
  const { roots, start, end } = await readCarHeader(chunksOf(file));
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
