import { varint } from 'multiformats';
import { CID } from 'multiformats/cid';
import { chunksOf, type RandomAccess } from '../../json/random-access.ts';
import { type Cid, cidFrom } from '../identifiers/cid.ts';
import { malformed, readCarHeader } from './car.ts';

/** A block of a CAR in a file. It is not verified. */
export interface CarFileBlock {
  readonly cid: Cid;
  /** Where its bytes begin in the file. */
  readonly start: number;
  readonly size: number;
  /** Its bytes; a small block is in memory while the next one has not been asked for. */
  readonly bytes: () => AsyncIterable<Uint8Array>;
}

export interface CarFile {
  readonly roots: readonly Cid[];
  /** Blocks in their order, from the first one each time. @throws ServiceError `invalid_request`, `invalid_cid`. */
  blocks(): AsyncGenerator<CarFileBlock>;
}

/** Other work has its turn at each read: a window of small blocks takes about ten milliseconds. */
const windowBytes = 1 << 15;
/** More than the length of a section and a CID take. */
const headBytes = 128;

/** A CAR that can be gone through more than once. @throws ServiceError `invalid_request`, `invalid_cid`. */
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
    if (at > end) throw malformed(new Error('it ends inside of a block'));
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
